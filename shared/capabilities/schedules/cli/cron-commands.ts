import { type Command, InvalidArgumentError, Option } from 'commander';
import { CRON_JOB_ANNOTATIONS } from '../annotations/index.ts';
import { usageFailure } from '../../../../cli/shell/failure.ts';
import { nameOfKind, ownerName } from '../../../../cli/shell/job-names.ts';
import { singularOf } from '../../../domain/kinds/api-kind.ts';
import { OWNERS } from '../../../domain/kinds/api-kinds.ts';
import { type RangeEnd, moment, rangeEnd, wholeNumber } from '../../../../cli/shell/option-values.ts';
import { OBJECT_FORMS, type ObjectForm } from '../../../../cli/render/object-forms.ts';
import type { Shell } from '../../../../cli/shell/shell.ts';
import { type Done, common, examples, namespaceOption, timeoutOption } from '../../../../cli/shell/command-parts.ts';

// Commands for CronJobs; list and next also for other kinds that make Jobs by a schedule.

/** `a CronJob or a JobConfig` */
const A_TIMED = OWNERS.map(({ kind }) => `a ${kind}`).join(' or ');
/** `CronJobs and JobConfigs` */
const TIMED = OWNERS.map(({ kind }) => `${kind}s`).join(' and ');

const OTHERS = OWNERS.filter(({ name }) => name !== 'CronJob');

const EXAMPLES = {
  cron: examples(
    `muster cron list                       # ${TIMED}, and when they fire next`,
    'muster cron next report -n 10',
    'muster cron run-now report --wait      # a Job of its template, now',
    'muster cron backfill report --from 2026-01-01 --to 2026-04-01 --parallel 3',
    'muster cron pause report nightly',
  ),
  list: examples('muster cron list', 'muster cron list -A', 'muster cron list -o json'),
  next: examples(
    'muster cron next report',
    'muster cron next report -n 20 -o json',
    ...OTHERS.map((kind) => `muster cron next ${singularOf(kind)}/weekly`),
    'muster cron next -f cronjob.yaml --after 2026-03-28T00:00:00Z   # without a server',
  ),
  runNow: examples(
    'muster cron run-now report',
    'muster cron run-now report --name report-again --wait --timeout 1h',
    'muster cron run-now report -o name',
  ),
  backfill: examples(
    'muster cron backfill report --from 2026-01-01 --to 2026-04-01 --dry-run',
    'muster cron backfill report --from 2026-01-01 --to 2026-04-01 --parallel 3',
    'muster cron backfill report --from 2026-03-01T06:00:00Z --to 2026-03-01T12:00:00Z -o json',
  ),
  pause: examples('muster cron pause report', 'muster cron pause report nightly -n team'),
  resume: examples('muster cron resume report'),
} as const;

/** `muster cron …`. */
export function addCron(program: Command, shell: Shell, done: Done): void {
  const cron = program
    .command('cron')
    .summary('see and steer CronJobs')
    .description(
      'Lists CronJobs, says when they fire, runs them now, and stops and resumes them.' +
        (OTHERS.length === 0
          ? ''
          : `\nlist and next also show the schedules of ${OTHERS.map(({ kind }) => `${kind}s`).join(' and ')}; other commands do the rest with those.`),
    )
    .addHelpText('after', EXAMPLES.cron);
  addList(cron, program, shell, done);
  addNext(cron, program, shell, done);
  addRunNow(cron, program, shell, done);
  addBackfill(cron, program, shell, done);
  addPause(cron, program, shell, done);
}

type ListOptions = {
  readonly namespace?: string;
  readonly allNamespaces?: true;
  readonly selector?: string;
  readonly output?: ObjectForm | 'name';
};

function addList(cron: Command, program: Command, shell: Shell, done: Done): void {
  cron
    .command('list')
    .summary(`list ${TIMED}, with their last and next slots`)
    .description(
      `Lists ${TIMED} that have a schedule: the schedule, its time zone, whether it is suspended (or\n` +
        'disabled), how many of its Jobs run, the last slot, and the next.',
    )
    .addOption(namespaceOption())
    .option('-A, --all-namespaces', 'in all namespaces')
    .option('-l, --selector <labels>', 'those with these labels, such as app=x,tier!=test')
    .addOption(new Option('-o, --output <format>', 'how to print').choices([...OBJECT_FORMS, 'name']))
    .addHelpText('after', EXAMPLES.list)
    .action(async (flags: ListOptions) => {
      const { allNamespaces = false, selector = null, output = null } = flags;
      if (allNamespaces && flags.namespace !== undefined) throw usageFailure('-A and -n cannot be combined');
      const { listCrons } = await import('./cron-list.ts');
      done(await listCrons({ allNamespaces, selector, output, ...common(program, flags) }, shell));
    });
}

type NextOptions = {
  readonly slots: number;
  readonly file?: string;
  readonly after?: number;
  readonly namespace?: string;
  readonly output?: ObjectForm;
};

const SLOTS_MAX = 1_000;

function addNext(cron: Command, program: Command, shell: Shell, done: Done): void {
  cron
    .command('next')
    .summary(`when ${A_TIMED} fires next`)
    .description(
      `The next slots of ${A_TIMED}, by its time zone's clock and in UTC, and when their Jobs are created.\n` +
        'A name alone is the first of these kinds that has it.',
    )
    .argument('[cron]', A_TIMED)
    .addOption(new Option('-n, --slots <number>', 'how many').argParser(slotCount).default(5))
    .option('-f, --file <file>', `${A_TIMED} of a manifest, without a server; - reads standard input`)
    .addOption(new Option('--after <time>', 'the slots after this moment (default: the clock)').argParser(moment))
    .option('--namespace <name>', "(default: the kubeconfig's)")
    .addOption(new Option('-o, --output <format>', 'how to print').choices(OBJECT_FORMS))
    .addHelpText('after', EXAMPLES.next)
    .action(async (name: string | undefined, flags: NextOptions) => {
      const { slots, file, after = null, output = null } = flags;
      if ((name === undefined) === (file === undefined)) throw usageFailure(`give the name of ${A_TIMED}, or -f FILE`);
      if (file !== undefined && flags.namespace !== undefined)
        throw usageFailure('-f and --namespace cannot be combined');
      const { cronNext } = await import('./cron-next.ts');
      const source = file === undefined ? ownerName(name ?? '') : { file };
      done(await cronNext(source, { count: slots, afterMs: after, output, ...common(program, flags) }, shell));
    });
}

function slotCount(text: string): number {
  if (/^\d+$/.test(text)) return wholeNumber(1, SLOTS_MAX)(text);
  throw new InvalidArgumentError(`It must be a whole number from 1 to ${SLOTS_MAX}; a namespace is --namespace here.`);
}

type RunNowOptions = {
  readonly name?: string;
  readonly wait?: true;
  readonly timeout?: number;
  readonly namespace?: string;
  readonly output?: ObjectForm | 'name';
};

const RUN_NOW_EXIT_CODES = `
Exit codes:
  0 created (with --wait: complete)    1 refused, or failed    2 invalid command line
  --wait also:  3 the Job was deleted   124 timed out   130 Ctrl-C (the Job continues)
`;

function addRunNow(cron: Command, program: Command, shell: Shell, done: Done): void {
  cron
    .command('run-now')
    .summary('create a Job of a CronJob now')
    .description(
      'Creates a Job of the template of a CronJob, as kubectl create job --from does, whatever its schedule says\n' +
        'and even if it is suspended. The CronJob counts it for its history limits.',
    )
    .argument('<cron>', 'the CronJob')
    .option('--name <name>', "the new Job's name (default: the CronJob's with -manual- and five characters)")
    .option('-w, --wait', 'wait until it is over')
    .addOption(timeoutOption())
    .addOption(namespaceOption())
    .addOption(
      new Option('-o, --output <format>', 'print the Job; with --wait, at the end').choices([...OBJECT_FORMS, 'name']),
    )
    .addHelpText('after', `${EXAMPLES.runNow}${RUN_NOW_EXIT_CODES}`)
    .action(async (name: string, flags: RunNowOptions) => {
      const { wait = false, timeout = null, output = null } = flags;
      if (timeout !== null && !wait) throw usageFailure('--timeout needs --wait');
      const { runCronNow } = await import('./crons.ts');
      const { insteadOf } = await import('./named-cron.ts');
      const rest = { wait, timeoutMs: timeout, output, ...common(program, flags) };
      done(
        await runCronNow(
          nameOfKind('CronJob', name, insteadOf('run-now')),
          { name: flags.name ?? null, ...rest },
          shell,
        ),
      );
    });
}

type BackfillOptions = {
  readonly from?: RangeEnd;
  readonly to?: RangeEnd;
  readonly parallel: number;
  readonly dryRun?: true;
  readonly namespace?: string;
  readonly output?: ObjectForm;
};

const BACKFILL_RULES = `
A slot's Job has the name that the schedule gives to it, so a slot runs once, no matter what creates its Job. The same
command again goes on where it ended: Jobs that run are waited for, those that have ended are counted.
The Jobs stay until you delete them: the CronJob's history limits do not count them. Their label is
muster.run/backfill-of=NAME.

Exit codes:
  0 the Job of every slot is complete    1 one has failed, or was refused    2 invalid command line
  3 all others were deleted    130 Ctrl-C (Jobs that run continue)
`;

function addBackfill(cron: Command, program: Command, shell: Shell, done: Done): void {
  cron
    .command('backfill')
    .summary('run the slots of the past that have no Job')
    .description('Creates one Job for each slot of a range that has none, some at a time, and waits for them.')
    .argument('<cron>', 'the CronJob')
    .addOption(
      new Option('--from <time>', "required: the first moment, or the first day by the CronJob's zone").argParser(
        rangeEnd,
      ),
    )
    .addOption(new Option('--to <time>', 'required: where it ends; this moment, or day, is out').argParser(rangeEnd))
    .addOption(new Option('--parallel <number>', 'Jobs at a time').argParser(wholeNumber(1, PARALLEL_MAX)).default(1))
    .option('--dry-run', 'only say which Jobs would be created')
    .addOption(namespaceOption())
    .addOption(new Option('-o, --output <format>', 'how to print').choices(OBJECT_FORMS))
    .addHelpText('after', `${EXAMPLES.backfill}${BACKFILL_RULES}`)
    .action(async (name: string, flags: BackfillOptions) => {
      const { from, to, parallel, dryRun = false, output = null } = flags;
      if (from === undefined || to === undefined)
        throw usageFailure('give --from and --to, such as --from 2026-01-01 --to 2026-04-01');
      const { backfill } = await import('./cron-backfill.ts');
      const { insteadOf } = await import('./named-cron.ts');
      const rest = { parallel, isDry: dryRun, output, ...common(program, flags) };
      done(await backfill(nameOfKind('CronJob', name, insteadOf('backfill')), { from, to, ...rest }, shell));
    });
}

const PARALLEL_MAX = 100;

function addPause(cron: Command, program: Command, shell: Shell, done: Done): void {
  const add = (name: string, suspend: boolean): Command =>
    cron
      .command(name)
      .argument('<crons...>', 'the CronJobs')
      .addOption(namespaceOption())
      .action(async (names: string[], flags: { readonly namespace?: string }) => {
        const { pauseCrons } = await import('./crons.ts');
        const { insteadOf } = await import('./named-cron.ts');
        const instead = insteadOf(suspend ? 'pause' : 'resume');
        const crons = names.map((each) => nameOfKind('CronJob', each, instead));
        done(await pauseCrons(crons, suspend, common(program, flags), shell));
      });
  add('pause', true)
    .summary('let CronJobs make no Jobs until they are resumed')
    .description('Sets suspend: the schedule makes no Jobs. Jobs that run go on.')
    .addHelpText('after', EXAMPLES.pause);
  add('resume', false)
    .summary('let CronJobs make Jobs again')
    .description(
      'Unsets suspend. As in Kubernetes, slots of the meantime count as missed: the most recent one gets its Job at once,\n' +
        `unless startingDeadlineSeconds or the annotation ${CRON_JOB_ANNOTATIONS.catchUp.key} says otherwise.`,
    )
    .addHelpText('after', EXAMPLES.resume);
}
