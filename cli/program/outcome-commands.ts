import { type Command, Option } from 'commander';
import { type Done, common, examples, itemOption, namespaceOption } from '../shell/command-parts.ts';
import { usageFailure } from '../shell/failure.ts';
import { jobName } from '../shell/job-names.ts';
import { wholeNumber } from '../shell/option-values.ts';
import { OBJECT_FORMS, type ObjectForm } from '../render/object-forms.ts';
import { JOBLOG_FORMS, type JoblogForm } from '../render/joblog.ts';
import type { Shell } from '../shell/shell.ts';

// What came of a Job: its logs, its results, what failed.

const EXAMPLES = {
  logs: examples(
    'muster logs frames --index 7',
    'muster logs frames --index 7 --attempt 1',
    'muster logs frames --index 0-3,7 --tail 5',
    'muster logs frames --index 7 -f',
    'muster logs matrix -i node=22,os=debian',
    'muster logs frames --failed --tail 20  # each index that failed',
    'muster logs frames --results out       # out/000007/stdout, exit, attempt; again: what is missing',
  ),
  failures: examples(
    'muster failures frames                 # which indexes failed, in which ways',
    'muster failures frames --lines 20',
    "muster failures frames -o json | jq -r '.groups[0].indexes'",
  ),
  joblog: examples(
    'muster joblog frames                   # the columns of GNU parallel, and more',
    'muster joblog frames | awk -F"\\t" \'NR > 1 && $7 != 0\'',
    'muster joblog frames --attempts --format csv > attempts.csv',
    "muster joblog frames --format json | jq 'map(.VcpuSeconds) | add'",
  ),
} as const;

type LogOptions = {
  readonly index?: string;
  readonly item?: readonly string[];
  readonly attempt?: number;
  readonly retryIndex?: number;
  readonly container?: string;
  readonly follow?: true;
  readonly failed?: true;
  readonly tail?: number;
  readonly results?: string;
  readonly resumeFailed?: true;
  readonly namespace?: string;
};

export function addLogs(program: Command, shell: Shell, done: Done): void {
  program
    .command('logs')
    .summary('print the logs of tasks')
    .description(
      'Prints the logs of the tasks of a Job. With several indexes, each line starts with its index, and its item.',
    )
    .argument('<job>', 'the Job')
    .option(
      '-i, --index <indexes>',
      "one index, or several such as 0-3,7 (default: all); of Furiko's Jobs also a key, or name=value,…",
    )
    .addOption(itemOption())
    .option('--attempt <number>', 'from 1 (default: the latest of each index)', wholeNumber(1))
    .option('-r, --retry-index <number>', 'the same, from 0', wholeNumber(0))
    .option('-c, --container <name>', 'the container (default: the first)')
    .option('--failed', 'the last failed attempt of each index that has not succeeded')
    .option('-f, --follow', 'keep printing until the attempts are over')
    .option('--tail <lines>', 'only this many lines from the end of each', wholeNumber(0))
    .option('--results <folder>', 'write a folder for each index instead: stdout, exit, attempt')
    .option('--resume-failed', 'with --results: only what failed, or is missing there')
    .addOption(namespaceOption())
    .addHelpText('after', `${EXAMPLES.logs}${RESULTS}`)
    .action(async (job: string, flags: LogOptions) => {
      if (flags.results !== undefined) {
        done(await fetchResults(job, { ...flags, folder: flags.results }, program, shell));
        return;
      }
      if (flags.resumeFailed === true) throw usageFailure('--resume-failed needs --results');
      const { logs } = await import('../commands/logs.ts');
      const { index = null, item = [], container = null, retryIndex } = flags;
      if (flags.attempt !== undefined && retryIndex !== undefined)
        throw usageFailure('--attempt and --retry-index cannot be combined');
      const attempt = flags.attempt ?? (retryIndex === undefined ? null : retryIndex + 1);
      const { follow = false, failed = false, tail = null } = flags;
      if (index !== null && item.length > 0) throw usageFailure('--index and --item cannot be combined');
      if (failed && attempt !== null) throw usageFailure('--failed and --attempt cannot be combined');
      const wanted = { indexes: index, items: item, attempt, container, follow, failed, tailLines: tail };
      done(await logs(jobName(job), { ...wanted, ...common(program, flags) }, shell));
    });
}

const RESULTS = `
With --results, of each index the last attempt that has ended:
  FOLDER/000007-banana.txt/stdout    all that it printed (000007 without a list of items)
  FOLDER/000007-banana.txt/exit      its exit code; -1 if nothing has exited
  FOLDER/000007-banana.txt/attempt   its number
  FOLDER/joblog.tsv                  as \`muster joblog\` prints it
  FOLDER/job.json                    whose results these are
  A rerun's results join those of the Job that it repeats, with FOLDER/joblog-RERUN.tsv beside.
  What is complete and unchanged is not fetched again, so the same command continues after Ctrl-C.
`;

async function fetchResults(
  job: string,
  flags: LogOptions & { readonly folder: string },
  program: Command,
  shell: Shell,
): Promise<number> {
  const others = {
    '--item': flags.item,
    '--attempt': flags.attempt,
    '--retry-index': flags.retryIndex,
    '--failed': flags.failed,
    '--follow': flags.follow,
    '--tail': flags.tail,
  };
  for (const [option, value] of Object.entries(others))
    if (value !== undefined) throw usageFailure(`--results and ${option} cannot be combined`);
  const { results } = await import('../commands/results.ts');
  const { folder, index = null, container = null, resumeFailed = false } = flags;
  const wanted = { folder, indexes: index, container, resumeFailed };
  return results(jobName(job), { ...wanted, ...common(program, flags) }, shell);
}

type FailuresOptions = { readonly output: ObjectForm | 'text'; readonly lines: number; readonly namespace?: string };

const FAILURES_EXIT_CODES = `
Exit codes:
  0 the report is complete, whether or not anything has failed    1 it could not be made    130 Ctrl-C
`;

export function addFailures(program: Command, shell: Shell, done: Done): void {
  program
    .command('failures')
    .summary('show which indexes failed, and in which ways')
    .description(
      'Groups the failed indexes of a Job by verdict, exit code, and the last line of their logs without numbers, addresses, ' +
        'times, and items. Reads at most 200 logs. Also for a Job that runs: what is tried again is listed apart.',
    )
    .argument('<job>', 'the Job')
    .option('--lines <number>', 'lines to show from the end of one log of each group', wholeNumber(0), 5)
    .addOption(namespaceOption())
    .addOption(new Option('-o, --output <format>', 'how to print').choices(['text', ...OBJECT_FORMS]).default('text'))
    .addHelpText('after', `${EXAMPLES.failures}${FAILURES_EXIT_CODES}`)
    .action(async (job: string, flags: FailuresOptions) => {
      const { failures } = await import('../commands/failures.ts');
      const { output, lines } = flags;
      done(await failures(jobName(job), { output, lines, ...common(program, flags) }, shell));
    });
}

type JoblogOptions = { readonly format: JoblogForm; readonly attempts?: true; readonly namespace?: string };

const JOBLOG_COLUMNS = `
Columns:
  Seq          the index, counted from 1
  Host         the task
  Starttime    seconds since 1970
  JobRuntime   seconds
  Send         0, because nothing is sent
  Receive      0, because logs are not read
  Exitval      the exit code; -1 if nothing has exited
  Signal       the signal that an exit code above 128 names
  Command      the command of the first container
  Index, Item, Attempts (how often it was started), VcpuSeconds (of this attempt: the task's vCPUs for JobRuntime)
  In tsv, tabs, line ends, and backslashes in a field are written as \\t, \\n, \\r, and \\\\.
`;

export function addJoblog(program: Command, shell: Shell, done: Done): void {
  program
    .command('joblog')
    .summary('print a table of the last attempt of each index, or with --attempts of all')
    .description(
      'Prints a row for the last ended attempt of each index, in index order, in the columns of GNU parallel (--joblog).',
    )
    .argument('<job>', 'the Job')
    .addOption(new Option('--format <format>', 'how to print').choices(JOBLOG_FORMS).default('tsv'))
    .option('--attempts', 'every attempt that has ended, not only the last of each index')
    .addOption(namespaceOption())
    .addHelpText('after', `${EXAMPLES.joblog}${JOBLOG_COLUMNS}`)
    .action(async (job: string, flags: JoblogOptions) => {
      const { joblog } = await import('../commands/joblog.ts');
      const { format, attempts = false } = flags;
      done(await joblog(jobName(job), { form: format, attempts, ...common(program, flags) }, shell));
    });
}
