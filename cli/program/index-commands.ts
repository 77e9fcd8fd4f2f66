import { type Command, Option } from 'commander';
import type { IndexAction } from '../../shared/domain/scoreboard/index-changes.ts';
import { usageFailure } from '../shell/failure.ts';
import { jobName } from '../shell/job-names.ts';
import { OBJECT_FORMS, type ObjectForm } from '../render/object-forms.ts';
import type { Shell } from '../shell/shell.ts';
import { type Done, common, examples, itemOption, namespaceOption } from '../shell/command-parts.ts';

// Commands for single indexes of a Job that is not over: hold, release, cancel, requeue.

type Described = {
  readonly action: IndexAction;
  readonly summary: string;
  readonly description: string;
  readonly examples: readonly string[];
};

const COMMANDS: readonly Described[] = [
  {
    action: 'hold',
    summary: 'hold indexes of a Job back',
    description:
      'Holds indexes back: they get no new attempt until they are released. An attempt that runs goes on; if it fails, its index is held. The Job waits for them.',
    examples: ['muster hold frames --indexes 3,7-9', 'muster hold zip --item "my file.txt"'],
  },
  {
    action: 'release',
    summary: 'let indexes that are held run',
    description: 'Releases indexes that are held: they start as soon as there is room.',
    examples: ['muster release frames --indexes 3,7-9', 'muster release frames --all'],
  },
  {
    action: 'cancel',
    summary: 'give indexes of a Job up',
    description:
      'Gives indexes up: their attempts are stopped, they never run again, and the Job is complete without them. What has succeeded stays.',
    examples: ['muster cancel frames --indexes 12', 'muster cancel frames --indexes 0-99 --dry-run'],
  },
  {
    action: 'requeue',
    summary: 'stop indexes of a Job and start them over',
    description:
      'Stops the attempts of indexes and puts them back, without spending a try. Indexes that have failed for good are tried again, as if they had never failed.',
    examples: [
      'muster requeue frames --indexes 4',
      'muster hold frames -i 4 && muster requeue frames -i 4   # stop it, and keep it',
    ],
  },
];

const RULES = `
The Job must be Indexed and not over. Doing the same again changes nothing.

Exit codes:
  0 done, or nothing to do    1 refused    2 invalid command line
`;

type Options = {
  readonly indexes?: string;
  readonly item?: readonly string[];
  readonly all?: true;
  readonly dryRun?: true;
  readonly namespace?: string;
  readonly output?: ObjectForm;
};

export function addIndexControl(program: Command, shell: Shell, done: Done): void {
  for (const { action, summary, description, examples: lines } of COMMANDS)
    program
      .command(action)
      .summary(summary)
      .description(description)
      .argument('<job>', 'the Job')
      .argument('[indexes]', 'the same as --indexes')
      .option('-i, --indexes <indexes>', 'these, such as 3,7-9')
      .addOption(itemOption())
      .option('--all', 'all indexes of the Job')
      .option('--dry-run', 'say what would become of them, change nothing')
      .addOption(namespaceOption())
      .addOption(new Option('-o, --output <format>', 'print what became of them').choices(OBJECT_FORMS))
      .addHelpText('after', `${examples(...lines)}${RULES}`)
      .action(async (job: string, behind: string | undefined, flags: Options) => {
        const chosen = chosenOf(withIndexes(flags, behind));
        const { dryRun = false, output = null } = flags;
        const { changeIndexes } = await import('../index-control/change-indexes.ts');
        const wish = { action, chosen, isDry: dryRun, output, ...common(program, flags) };
        done(await changeIndexes(jobName(job), wish, shell));
      });
}

function withIndexes(flags: Options, behind: string | undefined): Options {
  if (behind === undefined) return flags;
  if (flags.indexes !== undefined)
    throw usageFailure(`two sets of indexes: ${JSON.stringify(behind)}, and -i ${flags.indexes}`);
  return { ...flags, indexes: behind };
}

function chosenOf({ indexes, item, all }: Options) {
  const given = [
    ...(indexes === undefined ? [] : ['--indexes']),
    ...(item === undefined ? [] : ['--item']),
    ...(all === undefined ? [] : ['--all']),
  ];
  if (given.length > 1) throw usageFailure(`${given.join(' and ')} cannot be combined`);
  if (indexes !== undefined) return { kind: 'indexes', text: indexes } as const;
  if (item !== undefined) return { kind: 'items', items: item } as const;
  if (all === undefined) throw usageFailure('say which indexes: --indexes, --item, or --all');
  return { kind: 'all' } as const;
}
