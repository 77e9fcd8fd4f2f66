import { type ChildProcess, spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** The only package that we can depend on: it contains the program for Linux on x64, and no code to locate it. */
const PACKAGE = '@dynoxide/linux-x64';
const PROGRAM = 'dynoxide';

/** The engine opens its port after 0.1 to 0.4 s; on a busy machine, after a few seconds. */
const READY_WITHIN_MS = 15_000;
const POLL_MS = 20;
/** It ends within milliseconds of SIGTERM. A kill cannot tear its file, which is journaled. */
const TERM_WITHIN_MS = 3_000;

export type DynamoEngine = {
  readonly kind: 'started';
  /** `http://<address>:<port>` */
  readonly endpoint: string;
  readonly pid: number;
  /** Resolves when the process is gone. */
  stop(): Promise<void>;
  /** Resolves with a sentence when the process ends, for any reason. */
  readonly ended: Promise<string>;
};

/** The engine does not exist for this machine; `reason` is a sentence for people. */
export type NoEngine = { readonly kind: 'absent'; readonly reason: string };

/**
 * Starts a DynamoDB engine on loopback, which stores its data in the file `dbPath` (default: in memory). It answers any web
 * page that finds it, whatever its Origin, and a client that writes rows can start Jobs. So it listens on an address in
 * 127.0.0.0/8 and a port that no page can guess, unless `at` (an earlier engine's endpoint) is given. It has its own
 * process group, so Ctrl-C reaches the process that started it first, which then calls `stop`. Throws if the program exists
 * but does not become ready.
 */
export async function startDynamoEngine(
  options: { readonly at?: string; readonly dbPath?: string } = {},
): Promise<DynamoEngine | NoEngine> {
  const program = findEngine();
  if (program === null) {
    return { kind: 'absent', reason: `${PACKAGE} is not installed (it exists for Linux on x64 only)` };
  }
  const endpoint = options.at ?? (await freeEndpoint());
  const { hostname, port } = new URL(endpoint);
  const file = options.dbPath === undefined ? [] : ['--db-path', options.dbPath];
  const child = spawn(program, ['--host', hostname, '--port', port, ...file], {
    stdio: ['ignore', 'ignore', 'pipe'],
    detached: true,
    env: {},
  });
  const said: string[] = [];
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said.push(text);
    if (said.length > 20) said.shift();
  });
  const ended = endOf(child, said);
  // However this process ends, except by SIGKILL, its engine ends, too.
  const killAtExit = (): void => void child.kill('SIGKILL');
  process.once('exit', killAtExit);
  void ended.then(() => process.off('exit', killAtExit));
  await Promise.race([
    // Waits for the engine's own output first: any other program on that port would answer as well.
    listens(child).then(async () => answers(endpoint)),
    ended.then((how) => {
      throw new Error(`the DynamoDB engine did not start: ${how}`);
    }),
  ]).catch(async (error: unknown) => {
    await stop(child, ended);
    throw error;
  });
  if (child.pid === undefined) throw new Error('a process that answers has a pid');
  return { kind: 'started', endpoint, pid: child.pid, ended, stop: async () => stop(child, ended) };
}

/** Path of the engine's program; null where its package is not installed. */
function findEngine(): string | null {
  try {
    return join(dirname(createRequire(import.meta.url).resolve(`${PACKAGE}/package.json`)), PROGRAM);
  } catch {
    return null;
  }
}

/**
 * One of 16 million addresses, all of which belong to this machine on Linux, and one of its ports that was free a moment
 * ago.
 */
async function freeEndpoint(): Promise<string> {
  const host = `127.${randomInt(1, 255)}.${randomInt(1, 255)}.${randomInt(1, 255)}`;
  const server = createServer().listen(0, host);
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('no port is free');
  return `http://${host}:${address.port}`;
}

async function listens(child: ChildProcess): Promise<void> {
  await new Promise<void>((resolve) => {
    child.stderr?.on('data', (text: string) => {
      if (/listening on/i.test(text)) resolve();
    });
  });
}

async function answers(endpoint: string): Promise<void> {
  for (let waitedMs = 0; waitedMs < READY_WITHIN_MS; waitedMs += POLL_MS) {
    const answer = await fetch(endpoint).catch(() => null);
    if (answer !== null) {
      await answer.body?.cancel();
      return;
    }
    await sleep(POLL_MS);
  }
  throw new Error(`the DynamoDB engine did not answer within ${READY_WITHIN_MS / 1000} s`);
}

async function endOf(child: ChildProcess, said: readonly string[]): Promise<string> {
  return new Promise((resolve) => {
    child.once('error', (error) => resolve(error.message));
    child.once('exit', (code, signal) => resolve(`${signal ?? `exit ${code ?? '?'}`}. ${said.join('').trim()}`.trim()));
  });
}

async function stop(child: ChildProcess, ended: Promise<string>): Promise<void> {
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), TERM_WITHIN_MS);
  await ended;
  clearTimeout(timer);
}
