import { resolve } from 'node:path';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { envFlagIn } from '../shell/env-flags.ts';
import { usageFailure } from '../shell/failure.ts';
import { LINE_FORMS, RUN_FORMS } from '../../shared/capabilities/lists/cli/commands.ts';
import type { RunForm } from '../shell/run-form.ts';
import { tasksAtOnce, wholeNumber } from '../shell/option-values.ts';
import { OBJECT_FORMS, type ObjectForm } from '../render/object-forms.ts';
import { RESTART_POLICIES, type RestartPolicy, type LineFlags } from '../run-line/line-flags.ts';
import { shellQuoted } from '../text/shell-quoted.ts';
import type { Shell } from '../shell/shell.ts';
import {
  type Done,
  common,
  examples,
  listFileOptions,
  namespaceOption,
  timeoutOption,
} from '../shell/command-parts.ts';

const EXAMPLES = examples(
  'muster run -f job.yaml --wait --timeout 5m',
  'muster run -f job.yaml --wait --replace    # edit, run, edit, run',
  'muster run -f flow.yaml --wait             # several Jobs, each after those that it waits for',
  'generate-job | muster run -f - --wait --output json > result.json',
  "muster run hello --image busybox --completions 3 -- sh -c 'echo I am $JOB_COMPLETION_INDEX'",
  "muster run zip --image debian:12-slim --per-completion-env F=@files.txt --wait -- gzip -k '$F'",
  'find . -name "*.log" | muster run logs --image debian:12-slim --allow-empty --wait -- gzip {} :::: -',
  "muster run fit --image fit:1 --items @runs.csv --header --retries 2 -P 50 -- fit --rate '$RATE'",
  'muster run old --matrix image=python:3.12,python:3.13 --image-from-items -- python -V',
  "muster run test --image ci:1 --matrix node=20,22 --matrix db=pg,my -- ./test '$node' '$db'",
  "muster run fit --image fit:1 --items @sized.csv --header --resources-from-items -- fit '$FILE'",
  'muster run zip --image debian:12-slim -- gzip -k {} ::: a.txt b.txt',
  'muster run thumbs --image resize:1 --chdir photos --env API_KEY -- resize {} ::: a.jpg b.jpg',
  "muster run sim --image sim:1 --array 1-1000%50 -- ./sim '$SLURM_ARRAY_TASK_ID'",
  'muster run merge --image sim:1 --after sim,weights:finished -- ./merge   # starts when they are over',
  ...RUN_FORMS.flatMap((form) => form.examples),
);

const RULES = `
A list gives each index an item: its columns are variables of the task. In a command, '$NAME' of a column
(in single quotes, or your shell replaces it) is replaced by its value. In a script (sh -c '… "$NAME" …')
the shell reads the variable. A command of one word with blanks in it is a script. Nothing else is split,
quoted, or evaluated.
`;

type Options = LineFlags & {
  readonly file?: string;
  readonly wait?: true;
  readonly timeout?: number;
  readonly replace?: true;
  readonly force?: true;
  readonly rm?: true;
  readonly dryRun?: 'client';
  readonly namespace?: string;
  readonly output?: ObjectForm | 'name';
};

export function addRun(program: Command, shell: Shell, done: Done): void {
  const command = program
    .command('run')
    .summary('create Jobs, and wait for them')
    .description(
      `Creates the Jobs of a file, ${orForms('a Job that runs a command once for each index', ({ object }) => `a Job of ${object}`)}.\n` +
        'With --wait it shows their progress; the exit code is their verdict.',
    )
    .usage(
      [
        '-f FILE [options]',
        'NAME --image IMAGE [options] -- COMMAND [ARGS...] [::: ITEMS...]',
        ...RUN_FORMS.map(({ argument }) => `${argument} [options]`),
      ].join('\n       muster run '),
    )
    .argument(
      '[name]',
      orForms('the name of the new Job', ({ object }) => object),
    )
    .argument('[command...]', 'after --: what each task runs')
    .option('-f, --file <file>', 'the manifest, YAML or JSON; - reads standard input')
    .option('-w, --wait', 'wait until they are over')
    .addOption(timeoutOption())
    .option('--replace', 'delete a Job of the same name first, if it is over')
    .option('--force', 'with --replace: also a Job that is not over')
    .addOption(namespaceOption())
    .addOption(
      new Option('-o, --output <format>', 'print the Job; with --wait, at the end').choices([...OBJECT_FORMS, 'name']),
    );
  for (const option of ofCommandLine(shell)) command.addOption(option);
  command
    .addHelpText('after', `${EXAMPLES}${RULES}`)
    .action(async (name: string | undefined, operands: string[], options: Options) => {
      refuseCombinations(name, options, command);
      const { wait = false, replace = false, force = false, timeout = null, output = null } = options;
      const replacing = replace ? (force ? 'any' : 'finished') : 'never';
      const flags = { wait, output, replacing, timeoutMs: timeout, ...common(program, options) } as const;
      if (name === undefined) {
        const { runJobs } = await import('../commands/run.ts');
        done(await runJobs(options.file ?? '', flags, shell));
        return;
      }
      const words = wordsOf(operands, program);
      if (words.length === 0 && options.image === undefined && options.dryRun === undefined) {
        const [form] = RUN_FORMS;
        if (form === undefined) throw usageFailure('a Job that runs a command needs --image, and the command after --');
        done(await form.run(name, givenOf(options, command), flags, shell));
        return;
      }
      refuseOtherForms(options, command);
      const { runLine } = await import('../commands/run-line.ts');
      const form = LINE_FORMS.find(({ isAsked }) => isAsked(options)) ?? null;
      const isDry = options.dryRun !== undefined;
      done(await runLine({ name, words, job: options, form, isDry, removes: options.rm === true, ...flags }, shell));
    });
}

/** Options of the form with a NAME; the names that commander gives to them are those of LineFlags. */
const ofCommandLine = (shell: Shell): readonly Option[] => [
  ...listOptions().map((option) => option.helpGroup('The items of NAME:')),
  ...jobOptions(shell).map((option) => option.helpGroup('The Job of NAME:')),
  ...RUN_FORMS.flatMap((form) => form.options().map((option) => option.helpGroup(`The Job of ${form.argument}:`))),
];

const listOptions = (): readonly Option[] => [
  new Option(
    '--per-completion-env <name=values>',
    'a column: "a b c", @FILE (a line an item), or @-; repeatable',
  ).argParser(another),
  new Option('--items <@file>', 'a list: .csv, .tsv, .jsonl, or .txt; @- reads standard input'),
  ...listFileOptions(),
  new Option('--allow-empty', 'a list without items is fine: no Job is created, exit code 0'),
  new Option('--matrix <name=a,b>', 'all combinations of values, or of numbers: seed=1..100; repeatable').argParser(
    another,
  ),
  new Option('--array <range>', "Slurm's: 3,7,10-20:2%4"),
  new Option('--colsep <text>', 'splits the items of ::: and :::: into columns'),
  new Option('--batch <number>', 'items for each index, one a line in each variable').argParser(wholeNumber(2, 1_000)),
  new Option('--resources-from-items', 'columns cpu, memory, ephemeral-storage size the tasks'),
  new Option('--image-from-items', 'column image says what each item runs in; --image is for those that say none'),
  new Option('--failed-of <job>', 'inherits the successes of a Job of the same list'),
];

const jobOptions = (shell: Shell): readonly Option[] => [
  new Option('--image <image>', 'what the tasks run in (an embedded Muster does not pull it)'),
  new Option('--completions <number>', 'how many indexes (default: the items, or 1)').argParser(wholeNumber(0)),
  new Option('--completion-index-var-name <name>', 'a variable with the index, besides JOB_COMPLETION_INDEX'),
  new Option('-P, --parallelism <number>', 'tasks at once (default: all, at most 10)').argParser(tasksAtOnce),
  new Option(
    '--retries <number>',
    'of each index that fails, without ending the others (default with a list: 1)',
  ).argParser(wholeNumber(0)),
  new Option('--max-failed <number>', 'indexes that may fail (default with a list: half, or all of 20)').argParser(
    wholeNumber(0),
  ),
  new Option('--restart <policy>', 'Never (default with a list or --retries) or OnFailure').argParser(restartPolicy),
  new Option('--cpu <quantity>', 'of a task, such as 500m'),
  new Option('--memory <quantity>', 'of a task, such as 1Gi'),
  new Option('--env <name[=value]>', 'a variable of all tasks, with a value or its current one; repeatable').argParser(
    envFlagIn(shell),
  ),
  new Option('--chdir <folder>', 'where the tasks run; a relative one is seen from here').argParser(folderIn(shell)),
  new Option('--service-account <name>', "names the tasks' IAM role"),
  new Option('--spot', 'on Fargate Spot'),
  ...LINE_FORMS.flatMap((form) => form.options()),
  new Option(
    '-p, --after <jobs>',
    [
      'Jobs to wait for, such as a,b:finished (complete, failed, or finished)',
      ...RUN_FORMS.map(({ after }) => after),
    ].join('; '),
  ),
  new Option('--after-indexes <jobs>', 'index i waits for index i of these Jobs; a/2: for 2i and 2i+1 of a'),
  new Option('--dry-run <where>', 'client: print the manifest (-o yaml), create nothing').choices(['client']),
  new Option('--rm', 'with --wait: delete the Job after its success'),
];

const another = (text: string, before: readonly string[] = []): readonly string[] => [...before, text];

/** An absolute path: a task has another folder than the shell that it is asked for in. */
const folderIn =
  ({ cwd }: Pick<Shell, 'cwd'>) =>
  (text: string): string => {
    if (text === '') throw new InvalidArgumentError('It must be a folder.');
    return resolve(cwd, text);
  };

function restartPolicy(text: string): RestartPolicy {
  const policy = RESTART_POLICIES.find((each) => each === text);
  if (policy !== undefined) return policy;
  throw new InvalidArgumentError(
    text === 'Always' ? 'A Job ends: its tasks restart OnFailure or Never.' : 'It must be OnFailure or Never.',
  );
}

/** What the command line says, without what is only said by default. */
const givenOf = (options: Options, command: Command): Readonly<Record<string, unknown>> =>
  Object.fromEntries(Object.entries(options).filter(([key]) => command.getOptionValueSource(key) !== 'default'));

/** Options of a form that makes a Job of an object, in another form. */
function refuseOtherForms(options: Options, command: Command): void {
  const given = givenOf(options, command);
  for (const form of RUN_FORMS) {
    const alien = form.options().find((option) => option.attributeName() in given);
    if (alien !== undefined) throw usageFailure(`${alien.long} is for \`muster run ${form.argument}\``);
  }
}

/** `first`, or what each form adds to it. */
const orForms = (first: string, textOf: (form: RunForm) => string): string =>
  [first, ...RUN_FORMS.map(textOf)].join(', or ');

/** Of the form with a file, too. */
const OF_BOTH = ['file', 'wait', 'timeout', 'replace', 'force', 'namespace', 'output'];

function refuseCombinations(name: string | undefined, options: Options, command: Command): void {
  const { file, wait, timeout, replace, force, rm, dryRun } = options;
  if (file === undefined && name === undefined)
    throw usageFailure(
      `specify ${orForms('-f FILE, or a NAME, --image, and a command after --', ({ argument }) => `a ${argument}`)}`,
    );
  if (file !== undefined && name !== undefined)
    throw usageFailure(`-f FILE or a NAME (${JSON.stringify(name)}), not both`);
  const alien = Object.keys(givenOf(options, command)).find((key) => !OF_BOTH.includes(key));
  if (file !== undefined && alien !== undefined) {
    const flag = command.options.find((option) => option.attributeName() === alien)?.long ?? alien;
    throw usageFailure(`${flag} is for \`muster run NAME\`; in a file the Job's own fields say it`);
  }
  if (timeout !== undefined && wait !== true) throw usageFailure('--timeout needs --wait');
  if (force === true && replace !== true) throw usageFailure('--force needs --replace');
  if (rm === true && wait !== true) throw usageFailure('--rm needs --wait');
  if (dryRun !== undefined && wait === true) throw usageFailure('--dry-run creates nothing that --wait could wait for');
  for (const form of LINE_FORMS) form.refuse(options);
}

/** The words of the command. Without `--`, nobody could tell its options from ours. */
function wordsOf(operands: readonly string[], program: Command): readonly string[] {
  const { rawArgs } = program as Command & { readonly rawArgs: readonly string[] };
  const dashes = rawArgs.indexOf('--');
  const words = dashes === -1 ? [] : rawArgs.slice(dashes + 1);
  if (words.length > operands.length) throw usageFailure('the NAME of the Job comes before --');
  if (words.length < operands.length)
    throw usageFailure(`write -- before the command: -- ${operands.map(shellQuoted).join(' ')}`);
  return words;
}
