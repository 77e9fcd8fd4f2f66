import { type Command, Option } from 'commander';
import { type EnvFlag, envFlagIn } from '../shell/env-flags.ts';
import { usageFailure } from '../shell/failure.ts';
import { jobName } from '../shell/job-names.ts';
import { wholeNumber } from '../shell/option-values.ts';
import { OBJECT_FORMS, type ObjectForm } from '../render/object-forms.ts';
import type { WishedAgain } from '../commands/rerun.ts';
import type { Shell } from '../shell/shell.ts';
import { type Done, common, examples, itemOption, namespaceOption, timeoutOption } from '../shell/command-parts.ts';

const EXAMPLES = examples(
  'muster rerun frames --wait                 # all that has not succeeded',
  'muster rerun frames --dry-run              # which indexes, and how many',
  'muster rerun frames --indexes 3,7-9 --env DEBUG=1',
  'muster rerun zip --item "my file.txt"',
  "muster rerun frames --verdict 'exit code 137' --image render:2",
  'muster rerun frames --name second-try -o yaml --dry-run > again.yaml',
);

const RULES = `
The new Job has the old one's manifest and the same numbers. What has succeeded in the old Job counts as succeeded
from the start, and its other indexes are left out. The old Job must be over; afterwards it may be deleted.

Exit codes:
  0 created (with --wait: complete)    1 refused, nothing to run again, or failed    2 invalid command line
  --wait also:  3 the Job was deleted   124 timed out   130 Ctrl-C (the Job continues)
`;

type Options = {
  readonly failed?: true;
  readonly indexes?: string;
  readonly item?: readonly string[];
  readonly verdict?: string;
  readonly name?: string;
  readonly image?: string;
  readonly env?: readonly EnvFlag[];
  readonly parallelism?: number;
  readonly wait?: true;
  readonly timeout?: number;
  readonly dryRun?: true;
  readonly namespace?: string;
  readonly output?: ObjectForm | 'name';
};

export function addRerun(program: Command, shell: Shell, done: Done): void {
  program
    .command('rerun')
    .summary('run failed or chosen indexes of a Job again')
    .description('Creates a Job that runs indexes of an old Job again, and inherits what has succeeded there.')
    .argument('<job>', 'the old Job')
    .option('--failed', 'what has not succeeded (default)')
    .option('-i, --indexes <indexes>', 'these, such as 3,7-9, whether or not they have succeeded')
    .addOption(itemOption())
    .option(
      '--verdict <text>',
      'those that failed with this text in their verdict or cause (muster failures shows both)',
    )
    .option('--name <name>', "the new Job's name (default: the old one with -rerun, -rerun-2, ...)")
    .option('--image <image>', 'another image; of several containers: CONTAINER=IMAGE')
    .addOption(
      new Option(
        '--env <name[=value]>',
        'a variable of all containers, with a value or its current one; repeatable',
      ).argParser(envFlagIn(shell)),
    )
    .option('-P, --parallelism <number>', 'tasks at once', wholeNumber(0))
    .option('-w, --wait', 'wait until it is over')
    .addOption(timeoutOption())
    .option('--dry-run', 'print the indexes and their number, create nothing')
    .addOption(namespaceOption())
    .addOption(
      new Option('-o, --output <format>', 'print the Job; with --wait, at the end').choices([...OBJECT_FORMS, 'name']),
    )
    .addHelpText('after', `${EXAMPLES}${RULES}`)
    .action(async (job: string, flags: Options) => {
      const { wait = false, timeout = null, output = null, dryRun = false } = flags;
      const again = againOf(flags);
      if (timeout !== null && !wait) throw usageFailure('--timeout needs --wait');
      if (dryRun && wait) throw usageFailure('--dry-run creates nothing that --wait could wait for');
      const { rerun } = await import('../commands/rerun.ts');
      const { name = null, image = null, env = [], parallelism = null } = flags;
      const wish = { again, name, image, env, parallelism, isDry: dryRun };
      const rest = { wait, timeoutMs: timeout, output, ...common(program, flags) };
      done(await rerun(jobName(job), { ...wish, ...rest }, shell));
    });
}

function againOf({ failed, indexes, item, verdict }: Options): WishedAgain {
  const given = [
    ...(failed === undefined ? [] : ['--failed']),
    ...(indexes === undefined ? [] : ['--indexes']),
    ...(item === undefined ? [] : ['--item']),
    ...(verdict === undefined ? [] : ['--verdict']),
  ];
  if (given.length > 1) throw usageFailure(`${given.join(' and ')} cannot be combined`);
  if (indexes !== undefined) return { kind: 'indexes', text: indexes };
  if (item !== undefined) return { kind: 'items', items: item };
  if (verdict === '') throw usageFailure('--verdict "": it says nothing');
  return verdict === undefined ? { kind: 'failed' } : { kind: 'verdict', text: verdict };
}
