import { randomBytes } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { Command, CommanderError, InvalidArgumentError } from 'commander';
import { connect } from '../../cli/client/kube-client.ts';
import { EXIT, Failure, usageFailure } from '../../cli/shell/failure.ts';
import { onceInterrupted } from '../../cli/shell/interrupt.ts';
import { type Shell, processShell } from '../../cli/shell/shell.ts';
import { type Against, againstEmbedded, againstServer } from './against.ts';
import { ALL_QUESTIONS } from './all-questions.ts';
import { askAll } from './ask-all.ts';
import { isAllAssumed, lineOf, tableOf } from './report.ts';

const NAMES = ALL_QUESTIONS.map(({ name }) => name);

const EPILOG = `
Questions: ${NAMES.join(', ')}

Examples:
  npm run smoke:aws -- --server "$API_URL"
  npm run smoke:aws -- --server "$API_URL" --cluster "$CLUSTER" --json > smoke.json
  npm run smoke:aws -- --server "$API_URL" --only exit-codes,delete-pod
  npm run smoke:aws -- --against-embedded

It needs execute-api:Invoke on the API; with --cluster, ecs:ListTasks and ecs:DescribeTasks, too. Some thirty tasks of a quarter
vCPU run for a minute or two each, which is less than a tenth of a dollar. All Jobs are in a namespace of this run, which is deleted
at the end, after a failure, and after Ctrl-C; a second Ctrl-C ends at once and leaves it.

Exit codes:
  0    all that was asked is as assumed
  1    something is not, something could not be removed, or the stack does not answer
  2    invalid command line
  130  Ctrl-C`;

type Options = {
  readonly server?: string;
  readonly region?: string;
  readonly cluster?: string;
  readonly againstEmbedded?: true;
  readonly only?: readonly string[];
  readonly image: string;
  readonly minutes: number;
  readonly json?: true;
};

const IDLE_MS = 125_000;
const MINUTE_MS = 60_000;

/** `npm run smoke:aws`: asks a deployed stack whether AWS is as we assume. Returns the exit code. */
async function smoke(options: Options, shell: Shell): Promise<number> {
  const questions = ALL_QUESTIONS.filter(({ name }) => options.only?.includes(name) ?? true);
  const say = (line: string): void => shell.err.write(`${line}\n`);
  const over = new AbortController();
  setMaxListeners(0, over.signal); // each question that is under way listens
  const interrupted = onceInterrupted(shell, 'Ended at once; delete the namespace yourself.').then(() => over.abort());
  const against = await reach(options, shell, say);
  try {
    const client = await connect({ server: against.url, namespace: 'default', token: null, file: '--server' });
    const namespace = `muster-smoke-${randomBytes(4).toString('hex')}`;
    say(`${questions.length} questions in namespace ${namespace}; Ctrl-C ends and removes it.`);
    const ground = {
      client,
      apiUrl: against.apiUrl,
      namespace,
      image: options.image,
      patienceMs: options.minutes * MINUTE_MS,
      idleMs: IDLE_MS,
      ecs: against.ecs,
      signal: over.signal,
    };
    const { rows, left } = await askAll(questions, ground, (row) => say(lineOf(row)), say);
    shell.out.write(options.json === true ? `${JSON.stringify(rows, null, 2)}\n` : tableOf(rows));
    if (left !== null) say(`error: ${left}`);
    if (over.signal.aborted) return EXIT.interrupted;
    return isAllAssumed(rows) && left === null ? EXIT.ok : EXIT.failed;
  } finally {
    void interrupted;
    await against.close();
  }
}

async function reach(options: Options, { env }: Shell, say: (line: string) => void): Promise<Against> {
  const server = options.server ?? (options.againstEmbedded === true ? '' : (env['MUSTER_SERVER'] ?? ''));
  if (options.againstEmbedded === true) {
    if (server !== '') throw usageFailure('--server and --against-embedded exclude each other');
    return againstEmbedded();
  }
  if (server === '') throw usageFailure('set --server to the output ApiUrl of the deployment, or --against-embedded');
  return againstServer(server, { region: options.region ?? null, cluster: options.cluster ?? null }, say);
}

function someNames(text: string): readonly string[] {
  const wanted = text.split(',');
  const unknown = wanted.filter((name) => !NAMES.includes(name));
  if (unknown.length > 0)
    throw new InvalidArgumentError(`no question ${unknown.join(', ')}; there are ${NAMES.join(', ')}`);
  return wanted;
}

function positive(text: string): number {
  const value = Number(text);
  if (value > 0) return value;
  throw new InvalidArgumentError(`${text} is not greater than 0.`);
}

const shell = processShell();
const program = new Command('npm run smoke:aws --')
  .description(
    'Asks a deployed Muster whether AWS is as Muster assumes, by running Jobs, and prints a table. Deploys nothing.',
  )
  .option('--server <url>', 'the output ApiUrl of the deployment (default: MUSTER_SERVER)')
  .option('--region <region>', 'its Region, if the host name does not have it')
  .option('--cluster <name>', 'the output Cluster: tasks are looked at in ECS, too')
  .option('--against-embedded', 'ask the embedded AWS instead, behind a gateway that checks signatures')
  .option('--only <names>', 'these questions, comma-separated', someNames)
  .option('--image <image>', 'with a shell and busybox', 'public.ecr.aws/docker/library/busybox:stable')
  .option('--minutes <n>', 'how long to wait for one thing', positive, 10)
  .option('--json', 'the rows as JSON')
  .addHelpText('after', EPILOG)
  .exitOverride()
  .action(async (options: Options) => {
    process.exitCode = await smoke(options, shell);
  });

try {
  await program.parseAsync();
} catch (error) {
  if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? EXIT.ok : EXIT.usage;
  else if (error instanceof Failure) {
    shell.err.write(`${error.message}\n`);
    process.exitCode = error.exitCode;
  } else throw error;
}
