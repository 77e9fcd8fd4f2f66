import { type Command, Option } from 'commander';
import { type Done, common, examples, namespaceOption } from '../../../../cli/shell/command-parts.ts';
import { usageFailure } from '../../../../cli/shell/failure.ts';
import { OBJECT_FORMS, type ObjectForm } from '../../../../cli/render/object-forms.ts';
import type { Shell } from '../../../../cli/shell/shell.ts';

const EXAMPLES = examples(
  'muster doctor frames                   # why did this Job fail, or why is it not done?',
  'muster doctor                          # the installation, and all Jobs of the namespace',
  'muster doctor -A                       # and those of all namespaces',
  'muster doctor -A --after-restore       # which indexes run again',
  "muster doctor -o json | jq '.deadLetters[] | {queue, reason, body}'",
);

const EXIT_CODES = `
Exit codes:
  0 healthy (warnings resolve themselves)    1 the Job failed, or something is wrong or could not be checked    2 invalid command line
`;

type DoctorOptions = {
  readonly namespace?: string;
  readonly allNamespaces?: true;
  readonly afterRestore?: true;
  readonly output: ObjectForm | 'text';
};

export function addDoctor(program: Command, shell: Shell, done: Done): void {
  program
    .command('doctor')
    .summary('why a Job failed, what keeps it running, and what is wrong')
    .description(
      'Checks what Muster knows against what exists: rows, queues, tasks in ECS. It changes nothing.\n' +
        'With a Job: why it failed, what keeps it running, everything that is wrong. Without: the installation, and its Jobs at a glance.',
    )
    .argument('[job]', 'the Job (default: all Jobs of the namespace)')
    .addOption(namespaceOption())
    .option('-A, --all-namespaces', 'in all namespaces')
    .option('--after-restore', 'the table was restored to an earlier moment: which indexes run again')
    .addOption(new Option('-o, --output <format>', 'how to print').choices(['text', ...OBJECT_FORMS]).default('text'))
    .addHelpText('after', `${EXAMPLES}${EXIT_CODES}`)
    .action(async (job: string | undefined, flags: DoctorOptions) => {
      const { allNamespaces = false, afterRestore = false, output } = flags;
      if (afterRestore && job !== undefined) throw usageFailure('--after-restore is about all Jobs: leave the Job out');
      if (allNamespaces && flags.namespace !== undefined) throw usageFailure('-A and -n cannot be combined');
      if (allNamespaces && job !== undefined) throw usageFailure('a Job is in one namespace: use -n instead of -A');
      const { doctor } = await import('./show-diagnosis.ts');
      const name = job?.replace(/^jobs?(\.batch)?\//, '') ?? null;
      done(await doctor(name, { allNamespaces, afterRestore, output, ...common(program, flags) }, shell));
    });
}
