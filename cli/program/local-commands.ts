import { type Command, Option } from 'commander';
import type { Formats } from '../../shared/domain/manifests/new-in-release.ts';
import { DRIVERS, type DriverName } from '../../local/drivers.ts';
import { ENV } from '../../shared/names/env.ts';
import { type Done, examples } from '../shell/command-parts.ts';
import { machineRoom } from '../../local/machine-room.ts';
import type { LocalFlags } from '../commands/local.ts';
import { usageFailure } from '../shell/failure.ts';
import { type EnvironmentEntry, environmentEntry } from '../shell/task-environment.ts';
import {
  cpuCount,
  driver,
  duration,
  memorySize,
  httpUrl,
  rate,
  serverPort,
  share,
  span,
  wholeNumber,
} from '../shell/option-values.ts';
import type { Shell } from '../shell/shell.ts';

const LOCAL_EXAMPLES = examples(
  'muster local',
  'muster local --driver docker           # tasks are containers of their images',
  'muster local --detach                  # returns when it is ready; muster stop ends it',
  'muster local --env CUDA_VISIBLE_DEVICES --env LEVEL=debug',
  `muster local --on-event 'notify-send "$MUSTER_JOB_NAME: $MUSTER_EVENT_STATE"'`,
  'muster local --users users.csv --kubeconfig-user kim',
  'muster local --port 8080 --data /var/lib/muster --workspace ~/work',
  'muster local --in-memory --driver simulated --task-ms 500-2000 --launches-per-sec 18',
  'muster local --cpus 6 --memory 12Gi    # what running tasks may request together; others wait for room',
  'muster local --emulate-aws             # requests of the AWS SDK to emulators, for CI; data in .muster-aws',
  'muster local --events-duplicate 1 --events-shuffle-ms 2000 --events-drop 0.1 --seed 7',
);

const STOP_EXAMPLES = examples('muster stop', 'muster stop --data /var/lib/muster --timeout 10s');

type LocalOptions = {
  readonly port?: number;
  readonly data?: string;
  readonly workspace: string;
  readonly allowHostPath: readonly string[];
  readonly driver?: DriverName;
  readonly emulateAws: boolean;
  readonly dynamodbEndpoint?: string;
  readonly inMemory: boolean;
  readonly discardRow?: string;
  readonly detach: boolean;
  readonly env: readonly EnvironmentEntry[];
  readonly inheritEnv: boolean;
  readonly launchesPerSec?: number;
  readonly stopsPerSec?: number;
  readonly cpus?: number | null;
  readonly memory?: number | null;
  readonly formats?: Formats;
  readonly taskMs?: readonly [number, number];
  readonly taskFail?: number;
  readonly eventsDuplicate?: number;
  readonly eventsDrop?: number;
  readonly eventsShuffleMs?: number;
  readonly seed?: number;
  readonly onEvent?: string;
  readonly onEventUrl?: string;
  readonly onEventUrlFile?: string;
  readonly eventKeyFile?: string;
  readonly users?: string;
  readonly kubeconfigUser?: string;
  readonly audit?: string;
};

const FORMATS: readonly Formats[] = ['current', 'previous'];

/** What tasks run in, if the command line does not say it. */
function driverIn(env: Shell['env']): DriverName | null {
  const text = env['MUSTER_DRIVER'] ?? '';
  const known = DRIVERS.find((each) => each === text) ?? null;
  if (text !== '' && known === null)
    throw usageFailure(`MUSTER_DRIVER must be ${DRIVERS.join(', ')}: ${JSON.stringify(text)}`);
  return known;
}

/** The setting that functions on AWS have. */
function formatsIn(env: Shell['env']): Formats {
  const text = env[ENV.formats] ?? '';
  const known = text === '' ? 'current' : FORMATS.find((each) => each === text);
  if (known === undefined)
    throw usageFailure(`${ENV.formats} must be ${FORMATS.join(' or ')}: ${JSON.stringify(text)}`);
  return known;
}

/** Data folders, below the current one. Neither mode accepts a folder of the other. */
const DATA = { inProcess: '.muster', emulateAws: '.muster-aws' } as const;

const EVENT_FAULTS = 'Faults of the embedded ECS (to check that nothing is lost or counted twice):';
const SCRIPT = 'With --driver simulated:';

export function addLocal(program: Command, shell: Shell, done: Done): void {
  const rates = (flags: string, text: string) => new Option(flags, text).argParser(rate);
  const eventOption = (flags: string, text: string, parse: (text: string) => number) =>
    new Option(flags, text).argParser(parse).helpGroup(EVENT_FAULTS);
  program
    .command('local')
    .summary('run Muster on this machine')
    .description(
      'Runs all of Muster on this machine: tasks are processes of yours, started in the workspace, or containers.\n' +
        'If you share the machine with people you do not trust, see docs/run-locally.md, Safety.',
    )
    .addOption(new Option('-d, --detach', 'run in the background; return when it is ready').default(false))
    .option('--port <port>', 'of the API on 127.0.0.1; 0: any free port (default: the previous one)', serverPort)
    .option('--data <folder>', `where Jobs, logs and the kubeconfig are kept (default: "${DATA.inProcess}")`)
    .option('--workspace <folder>', 'where tasks start; they see it as MUSTER_WORKSPACE', '.')
    .addOption(
      new Option(
        '--allow-host-path <folder>',
        'let Pods mount what is in this folder, by hostPath (docs/run-locally.md); may be repeated',
      )
        .argParser((folder: string, before: readonly string[]) => [...before, folder])
        .default([], 'none'),
    )
    .addOption(
      new Option(
        '-e, --env <name[=value]>',
        'pass this variable to tasks, with its current or a new value; may be repeated',
      )
        .argParser(environmentEntry)
        .default([], 'none'),
    )
    .addOption(new Option('--inherit-env', 'pass all variables of this shell to tasks').default(false))
    .addOption(
      new Option(
        '--driver <driver>',
        "how tasks run: docker takes a container of the task's image, process a process of yours (default: $MUSTER_DRIVER, the one of before, or process)",
      )
        .choices(DRIVERS)
        .argParser(driver),
    )
    .addOption(
      new Option(
        '--emulate-aws',
        `call everything as on AWS: SDK clients, emulators on loopback; --data is "${DATA.emulateAws}"`,
      ).default(false),
    )
    .option('--dynamodb-endpoint <url>', 'keep Jobs in this DynamoDB; implies --emulate-aws', httpUrl)
    .addOption(
      new Option('--in-memory', 'keep Jobs in memory: they are lost when Muster ends')
        .default(false)
        .conflicts('dynamodbEndpoint'),
    )
    .addOption(
      new Option(
        '--discard-row <key>',
        'begin without this row, which an error says cannot be decoded (docs/run-locally.md)',
      ).conflicts(['inMemory', 'emulateAws', 'dynamodbEndpoint']),
    )
    .addOption(
      new Option(
        '--cpus <count>',
        'what the requests of running tasks may add up to; others wait; 0: no limit (default: those of this machine)',
      ).argParser(cpuCount),
    )
    .addOption(
      new Option(
        '--memory <size>',
        'the same for memory: 8Gi, 512Mi; 0: no limit (default: that of this machine)',
      ).argParser(memorySize),
    )
    .addOption(rates('--launches-per-sec <rate>', 'the maximum of tasks started per second (default: no limit)'))
    .addOption(rates('--stops-per-sec <rate>', 'the maximum of tasks stopped per second (default: no limit)'))
    .addOption(
      new Option(
        '--formats <which>',
        'previous: store nothing that the release before cannot read (default: $MUSTER_FORMATS, or current)',
      ).choices(FORMATS),
    )
    .option('--on-event <command>', 'run this for each state change of a Job: JSON on standard input (docs/events.md)')
    .option(
      '--on-event-url <url>',
      'post each state change of a Job to this address (default: $MUSTER_EVENT_URL)',
      httpUrl,
    )
    .addOption(
      new Option('--on-event-url-file <file>', 'the same, to the address in this file').conflicts('onEventUrl'),
    )
    .option('--event-key-file <file>', 'sign what is posted with the key in this file (default: $MUSTER_EVENT_KEY)')
    .option('--users <file>', "only these may call the API: Kubernetes' token file, CSV (docs/access.md)")
    .option('--kubeconfig-user <name>', 'of --users: the kubeconfig has the token of this user (default: of nobody)')
    .option('--audit <file>', 'append who changes what, and what is forbidden, to this file (docs/audit.md)')
    .addOption(new Option('--task-ms <ms>', 'how long tasks take: 500, or 500-2000').argParser(span).helpGroup(SCRIPT))
    .addOption(eventOption('--task-fail <share>', 'share of tasks that fail, 0 to 1', share).helpGroup(SCRIPT))
    .addOption(eventOption('--events-duplicate <share>', 'share of events that arrive twice, 0 to 1', share))
    .addOption(eventOption('--events-drop <share>', 'share of events that are lost, 0 to 1', share))
    .addOption(
      eventOption(
        '--events-shuffle-ms <ms>',
        'events arrive up to this late, out of order',
        wholeNumber(0, SHUFFLE_MS_MAX),
      ),
    )
    .addOption(eventOption('--seed <number>', 'repeat the same faults', wholeNumber(0)))
    .addHelpText('after', LOCAL_EXAMPLES)
    .action(async (flags: LocalOptions) => {
      const { runLocal, runLocalDetached } = await import('../commands/local.ts');
      done(
        await (flags.detach && shell.starter === null ? runLocalDetached : runLocal)(localFlags(flags, shell), shell),
      );
    });
}

const STOP_EXIT_CODES = `
Exit codes:
  0 no runtime is left    1 it belongs to another user    2 invalid command line
  124 timed out: it is still stopping
`;

export function addStop(program: Command, shell: Shell, done: Done): void {
  program
    .command('stop')
    .summary('stop the Muster that runs on this machine')
    .description(
      'Stops the runtime of a data folder and all of its tasks, and returns when all of it is gone.\n' +
        'Unfinished Jobs continue when you start `muster local` there again.',
    )
    .option('--data <folder>', 'the data folder of the runtime', '.muster')
    .addOption(
      new Option('--timeout <duration>', 'stop waiting after this').argParser(duration).default(STOP_TIMEOUT_MS, '60s'),
    )
    .addHelpText('after', `${STOP_EXAMPLES}${STOP_EXIT_CODES}`)
    .action(async ({ data, timeout }: { readonly data: string; readonly timeout: number }) => {
      const { stopLocal } = await import('../commands/stop.ts');
      done(await stopLocal({ data, timeoutMs: timeout }, shell));
    });
}

/** Tasks get three seconds to end; the rest is for a busy machine. */
const STOP_TIMEOUT_MS = 60_000;

/** Ten minutes: later than the sweep checks a task. */
const SHUFFLE_MS_MAX = 600_000;

function localFlags(flags: LocalOptions, { env }: Pick<Shell, 'env'>): LocalFlags {
  const { workspace, port = null, seed } = flags;
  const wanted = flags.driver ?? driverIn(env);
  if (wanted !== 'simulated' && (flags.taskMs ?? flags.taskFail) !== undefined)
    throw usageFailure('--task-ms and --task-fail need --driver simulated');
  const seeded = seed === undefined ? {} : { seed };
  const events = {
    ...seeded,
    ...(flags.eventsDuplicate === undefined ? {} : { duplicate: flags.eventsDuplicate }),
    ...(flags.eventsDrop === undefined ? {} : { drop: flags.eventsDrop }),
    ...(flags.eventsShuffleMs === undefined ? {} : { shuffleMs: flags.eventsShuffleMs }),
  };
  const script = {
    ...seeded,
    ...(flags.taskMs === undefined ? {} : { runMs: flags.taskMs }),
    ...(flags.taskFail === undefined ? {} : { fail: flags.taskFail }),
  };
  const endpoint = flags.dynamodbEndpoint;
  const wiring = flags.emulateAws || endpoint !== undefined ? 'emulateAws' : 'inProcess';
  const usual = wiring === 'emulateAws' ? 'engine' : 'lmdb';
  const store = flags.inMemory ? 'memory' : endpoint === undefined ? usual : { endpoint };
  const { data = DATA[wiring] } = flags;
  const { launchesPerSec = null, stopsPerSec = null } = flags;
  const rates = { launchesPerSec, stopsPerSec, formats: flags.formats ?? formatsIn(env) };
  const environment = { entries: flags.env, inherit: flags.inheritEnv };
  if (flags.kubeconfigUser !== undefined && flags.users === undefined)
    throw usageFailure('--kubeconfig-user needs --users');
  if (flags.onEvent?.trim() === '') throw usageFailure('--on-event: the command is empty');
  const listeners = {
    ...(flags.onEvent === undefined ? {} : { command: flags.onEvent }),
    ...(flags.onEventUrl === undefined ? {} : { url: flags.onEventUrl }),
  };
  return {
    data,
    workspace,
    allowHostPath: flags.allowHostPath,
    driver: wanted,
    port,
    environment,
    listeners,
    eventUrlFile: flags.onEventUrlFile ?? null,
    eventKeyFile: flags.eventKeyFile ?? null,
    users: flags.users ?? null,
    kubeconfigUser: flags.kubeconfigUser ?? null,
    audit: flags.audit,
    discardRow: flags.discardRow,
    events,
    store,
    wiring,
    ...rates,
    room: roomOf(flags),
    ...(wanted === 'simulated' ? { script } : {}),
  };
}

/** What is not said is the machine's. */
function roomOf({ cpus, memory }: LocalOptions): LocalFlags['room'] {
  const machine = machineRoom();
  return {
    milliCpu: cpus === undefined ? machine.milliCpu : cpus,
    memoryMib: memory === undefined ? machine.memoryMib : memory,
  };
}
