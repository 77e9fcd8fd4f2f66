import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { onTestFinished } from 'vitest';
import { isVerifying } from '../verify/verifying.ts';

/** As users have it. */
const PROGRAM = resolve('dist/muster.mjs');
const CLOCK_MS = 20;
const READY = 'Ctrl-C stops it';
const { npm_lifecycle_event: _starter, ...INSTALLED } = process.env;

export type Runtime = {
  readonly child: ChildProcess;
  readonly pid: number;
  /** `http://127.0.0.1:<port>` */
  readonly url: string;
  readonly port: number;
  readonly dnsPort: number;
  /** its data folder */
  readonly dataDir: string;
  /** Everything that it has printed. */
  readonly said: () => string;
  readonly end: (signal?: 'SIGTERM' | 'SIGINT') => Promise<End>;
};

/** How a process has ended after a signal. */
export type End = {
  readonly code: number | null;
  /** how long that took */
  readonly ms: number;
  /** how late this process was woken meanwhile, at most: the machine's share of `ms`, or more */
  readonly lateMs: number;
};

export type StartOptions = {
  /** `ulimit -n` */
  readonly files?: number | undefined;
  readonly options?: readonly string[];
  /** where it is started; by default, a folder of its own */
  readonly dir?: string;
};

function aFolder(): string {
  const dir = mkdtempSync(join(tmpdir(), 'muster-siege-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true, maxRetries: 20 }));
  return dir;
}

/** Starts `muster local` with real tasks in a folder of its own; it is not ready yet. */
export function aStart({ files, options = [], dir = aFolder() }: StartOptions = {}) {
  const command = [process.execPath, PROGRAM, 'local', ...options];
  const limited = files === undefined ? command : ['/bin/sh', '-c', `ulimit -n ${files}; exec "$@"`, 'sh', ...command];
  const [program = '', ...words] = limited;
  const child = spawn(program, words, { cwd: dir, env: INSTALLED, stdio: ['ignore', 'pipe', 'pipe'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (part: Buffer) => (said += part.toString()));
  const ended = once(child, 'exit') as Promise<[number | null]>;
  const dataDir = join(dir, '.muster');
  const end: Runtime['end'] = async (signal = 'SIGTERM') => {
    const began = performance.now();
    let lateMs = 0;
    let wokenMs = began;
    const clock = setInterval(() => {
      const nowMs = performance.now();
      lateMs = Math.max(lateMs, nowMs - wokenMs - CLOCK_MS);
      wokenMs = nowMs;
    }, CLOCK_MS);
    child.kill(signal);
    const [code] = await ended;
    clearInterval(clock);
    return { code, ms: Math.round(performance.now() - began), lateMs: Math.round(lateMs) };
  };
  return {
    child,
    dir,
    dataDir,
    said: () => said,
    ended,
    end,
    async ready(): Promise<Runtime> {
      while (!said.includes(READY)) {
        if (child.exitCode !== null || child.signalCode !== null) throw new Error(`it has ended: ${said}`);
        await sleep(20);
      }
      const [url = ''] = /http:\/\/127\.0\.0\.1:\d+/.exec(said) ?? [];
      const dnsPort = Number(readFileSync(join(dataDir, 'dns-port'), 'utf8'));
      return { child, pid: child.pid!, url, port: Number(new URL(url).port), dnsPort, dataDir, said: () => said, end };
    },
  };
}

/** `muster local` with real tasks, once it says that it is ready. */
export const aRuntime = async (options?: StartOptions): Promise<Runtime> => aStart(options).ready();

/** A field of /proc/PID/status in MiB: `VmRSS` now, `VmHWM` at most. */
export function memoryMib(pid: number, field: 'VmRSS' | 'VmHWM'): number {
  const [, kb = 'NaN'] =
    new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Math.round(Number(kb) / 1_024);
}

export type Answer = { readonly status: number; readonly text: string; readonly ms: number };

/** One request on a connection of its own, as curl and kubectl make it; rejects if the connection fails. */
export async function ask(url: string, path: string, body?: object): Promise<Answer> {
  const began = performance.now();
  return new Promise((done, fail) => {
    const text = body === undefined ? undefined : JSON.stringify(body);
    const sent = request(
      url + path,
      {
        agent: false,
        method: text === undefined ? 'GET' : 'POST',
        headers:
          text === undefined ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) },
      },
      (response) => {
        let got = '';
        response.setEncoding('utf8').on('data', (part: string) => (got += part));
        response.on('end', () => done({ status: response.statusCode ?? 0, text: got, ms: performance.now() - began }));
        response.on('error', fail);
      },
    );
    sent.on('error', fail);
    sent.end(text);
  });
}

const JOBS = '/apis/batch/v1/namespaces/default/jobs';

/** A Job of `completions` indexes that run `command`. */
export const aJob = (name: string, completions: number, command: string, suspend = false): object => ({
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: { name },
  spec: {
    completionMode: 'Indexed',
    completions,
    parallelism: completions,
    suspend,
    template: {
      spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'any', command: ['sh', '-c', command] }] },
    },
  },
});

/** Creates a Job; throws if it is refused. */
export async function createJob({ url }: Pick<Runtime, 'url'>, job: object): Promise<number> {
  const { status, text, ms } = await ask(url, JOBS, job);
  if (status !== 201) throw new Error(`the Job was not created: ${status} ${text}`);
  return ms;
}

type Shown = { readonly status?: { readonly active?: number; readonly succeeded?: number } };

/** The status of a Job, once `holds`. `worstMs`: the slowest answer meanwhile. */
export async function jobUntil(
  { url }: Pick<Runtime, 'url'>,
  name: string,
  holds: (status: NonNullable<Shown['status']>) => boolean,
): Promise<{ readonly worstMs: number }> {
  for (let worstMs = 0; ; ) {
    const { text, ms } = await ask(url, `${JOBS}/${name}`);
    worstMs = Math.max(worstMs, ms);
    if (holds((JSON.parse(text) as Shown).status ?? {})) return { worstMs };
    await sleep(50);
  }
}

/** The slowest of each, in milliseconds. */
export type Worst = { version: number; list: number; job: number; completed: number; rounds: number };

/** What an owner does, again and again until `over`: asks, lists, and has a Job of three indexes run. */
async function owner(runtime: Pick<Runtime, 'url'>, over: () => boolean): Promise<Worst> {
  const worst: Worst = { version: 0, list: 0, job: 0, completed: 0, rounds: 0 };
  const note = (what: Exclude<keyof Worst, 'rounds'>, ms: number): void => {
    worst[what] = Math.max(worst[what], Math.round(ms));
  };
  const asking = async (): Promise<void> => {
    while (!over()) {
      note('version', (await ask(runtime.url, '/version')).ms);
      note('list', (await ask(runtime.url, `${JOBS}?limit=20`)).ms);
      await sleep(100);
    }
  };
  const running = async (): Promise<void> => {
    while (!over()) {
      const name = `owned-${worst.rounds}`;
      const began = performance.now();
      note('job', await createJob(runtime, aJob(name, 3, 'exit 0')));
      note('job', (await jobUntil(runtime, name, ({ succeeded }) => succeeded === 3)).worstMs);
      note('completed', performance.now() - began);
      worst.rounds += 1;
      await sleep(500);
    }
  };
  await Promise.all([asking(), running()]);
  return worst;
}

/** Programs of another user: Debian's python3, whatever other one comes first on the PATH; `nobody` must be able to start it. */
const PYTHON = '/usr/bin/python3';
const SCRIPT = readFileSync(join(import.meta.dirname, 'attackers.py'), 'utf8');
const AS_NOBODY = ['setpriv', '--reuid', '65534', '--regid', '65534', '--clear-groups'];

export type Attack = {
  readonly kind: string;
  readonly port: number;
  readonly seconds: number;
  /** how many connections, or socket pairs */
  readonly count: number;
  readonly path?: string;
  /** the runtime's own user instead of another one */
  readonly asOwner?: boolean;
};

/** Starts an attack; resolves when its load is on. */
export async function anAttack({ kind, port, seconds, count, path, asOwner = false }: Attack) {
  const words = [kind, String(port), String(seconds), String(count), ...(path === undefined ? [] : [path])];
  const [program = '', ...rest] = [...(asOwner ? [] : AS_NOBODY), PYTHON, '-c', SCRIPT, ...words];
  const child = spawn(program, rest, { stdio: ['ignore', 'pipe', 'pipe'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (part: Buffer) => (said += part.toString()));
  let isOver = false;
  const over = once(child, 'close').then(() => {
    isOver = true;
    return said;
  });
  while (!said.includes('begun\n')) {
    if (isOver) throw new Error(`the attack has ended before it began: ${said}`);
    await sleep(20);
  }
  return { over, isOver: () => isOver, said: () => said, stop: () => child.kill('SIGKILL') };
}

const missing = (): string | null => {
  if (process.getuid?.() !== 0) return 'only root can start programs of another user';
  const { status } = spawnSync('setpriv', [...AS_NOBODY.slice(1), PYTHON, '-c', 'import resource, selectors'], {
    stdio: 'ignore',
  });
  return status === 0 ? null : `setpriv, or ${PYTHON}, is missing, or nobody may not run it`;
};

/** Why the attacks cannot be tried here; null: they can. */
export const WHY_NOT = missing();
if (WHY_NOT !== null && isVerifying && process.platform === 'linux') throw new Error(WHY_NOT);
if (WHY_NOT !== null) console.warn(`SKIPPED: ${WHY_NOT}`);

/** What the owner waits for at most, in milliseconds, */
const ANSWER_MS = 1_000;
/** or this many times what the same costs at the same time on a runtime that nobody attacks, where the machine is busy; */
const TIMES_IDLE = 4;
/** and what the runtime takes of memory. */
const MEMORY_MIB = 400;

/**
 * Holds a runtime against an attack: meanwhile its owner is answered, its memory has a bound, and it ends while the attack goes on.
 * A line on standard error says what was measured.
 *
 * @returns what was not as it should be
 */
export async function siege(
  name: string,
  attacks: (runtime: Runtime) => readonly Attack[],
  {
    seconds,
    files,
    answerMs = ANSWER_MS,
    prepare,
  }: {
    readonly seconds: number;
    readonly files?: number | undefined;
    /** what an answer may take; {@link ANSWER_MS} by default */
    readonly answerMs?: number;
    readonly prepare?: (runtime: Runtime) => Promise<void>;
  },
): Promise<readonly string[]> {
  const runtime = await aRuntime({ files });
  await prepare?.(runtime);
  const other = await aRuntime();
  const under = await Promise.all(attacks(runtime).map(anAttack));
  const endsAt = performance.now() + seconds * 1_000;
  const over = (): boolean => performance.now() >= endsAt;
  const [here, idle] = await Promise.all([owner(runtime, over), owner(other, over)]);
  const memory = memoryMib(runtime.pid, 'VmHWM');
  const end = await runtime.end();
  for (const each of under) each.stop();
  await other.end();
  const slowest = Math.max(here.version, here.list, here.job);
  const slowestIdle = Math.max(idle.version, idle.list, idle.job);
  process.stderr.write(
    `${name}: /version ${here.version} ms at most, lists ${here.list}, a Job's requests ${here.job}, ` +
      `a Job of 3 done ${here.completed} (${here.rounds} times); not attacked: ${slowestIdle} ms, ` +
      `${(slowest / slowestIdle).toFixed(1)} times; ${memory} MiB at most; ended in ${end.ms} ms\n`,
  );
  const boundMs = Math.max(answerMs, TIMES_IDLE * slowestIdle);
  return [
    ...(here.rounds === 0 ? ['no Job was done'] : []),
    ...(slowest < boundMs ? [] : [`an answer took ${slowest} ms, not ${boundMs}`]),
    ...(memory < MEMORY_MIB ? [] : [`it took ${memory} MiB`]),
    ...lateEnd(end),
  ];
}

/** How soon a signal ends a runtime, whatever it does. */
const STOPPED_MS = 5_000;
/** A process that is woken so late has a machine that is too busy to tell. */
const BUSY_MS = 250;

/**
 * What is wrong with an end: it is to come by itself, and in time. Where the machine was busy, it may come at the deadline (124), and
 * as late as all else.
 */
export function lateEnd({ code, ms, lateMs }: End): readonly string[] {
  const isBusy = lateMs > BUSY_MS;
  const boundMs = STOPPED_MS + (isBusy ? 5 * lateMs : 0);
  return [
    ...(code === 0 || (isBusy && code === 124) ? [] : [`it ended with ${code}`]),
    ...(ms < boundMs ? [] : [`it ended after ${ms} ms, not ${boundMs}`]),
  ];
}
