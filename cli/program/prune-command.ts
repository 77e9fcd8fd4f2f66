import { type Command, Option } from 'commander';
import { type Done, common, examples, namespaceOption } from '../shell/command-parts.ts';
import { usageFailure } from '../shell/failure.ts';
import { age } from '../shell/option-values.ts';
import { OBJECT_FORMS, type ObjectForm } from '../render/object-forms.ts';
import type { Shell } from '../shell/shell.ts';

const EXAMPLES = examples(
  'muster prune --older-than 7d --dry-run # which finished Jobs would be deleted',
  'muster prune --older-than 7d',
  'muster prune --older-than 12h -A       # in all namespaces',
  "muster prune --older-than 30d -o json | jq -r '.jobs[].name'",
);

const EXIT_CODES = `
Exit codes:
  0 they are deleted, or there were none    1 the server refused one    2 the command line is wrong
`;

type PruneOptions = {
  readonly olderThan?: number;
  readonly dryRun?: true;
  readonly namespace?: string;
  readonly allNamespaces?: true;
  readonly output?: ObjectForm;
};

export function addPrune(program: Command, shell: Shell, done: Done): void {
  program
    .command('prune')
    .summary('delete Jobs that ended long ago')
    .description(
      'Deletes Jobs that are Complete or Failed and ended at least that long ago, those of CronJobs as well.\n' +
        'Jobs that are not over, and suspended Jobs, stay.',
    )
    .addOption(new Option('--older-than <age>', 'required: ended this long ago, such as 7d, 12h, 90m').argParser(age))
    .option('--dry-run', 'only say what would be deleted')
    .addOption(namespaceOption())
    .option('-A, --all-namespaces', 'in all namespaces')
    .addOption(new Option('-o, --output <format>', 'how to print').choices(OBJECT_FORMS))
    .addHelpText('after', `${EXAMPLES}${EXIT_CODES}`)
    .action(async (flags: PruneOptions) => {
      const { olderThan = null, dryRun = false, allNamespaces = false, output = null } = flags;
      if (olderThan === null) throw usageFailure('give --older-than, such as --older-than 7d; --dry-run only looks');
      if (allNamespaces && flags.namespace !== undefined) throw usageFailure('-A and -n cannot be combined');
      const { prune } = await import('../commands/prune.ts');
      const { namespace, kubeconfig } = common(program, flags);
      done(await prune({ olderThanMs: olderThan, dryRun, namespace, allNamespaces, output, kubeconfig }, shell));
    });
}
