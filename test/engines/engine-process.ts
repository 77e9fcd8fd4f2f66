import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** A server that runs in a process of its own. */
export type EngineProcess = {
  /** `http://127.0.0.1:<port>` */
  readonly url: string;
  /** Ends the process and resolves when it is gone. */
  stop(): Promise<void>;
};

const POLL_MS = 50;
/** A server that has not ended this long after SIGTERM is killed. */
const TERM_WITHIN_MS = 5_000;
/** The end of what a process said, for the message about its end. */
const SAID_MAX = 2_000;

/**
 * Starts `program` with what `args` says for a port that is free, and resolves when it answers HTTP there. Throws if it ends before.
 * However this process ends, except by SIGKILL, its servers end, too.
 */
export async function startEngine(
  program: string,
  args: (port: number) => readonly string[],
  env: (port: number) => Readonly<Record<string, string>>,
): Promise<EngineProcess> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const child = spawn(program, args(port), {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH: process.env['PATH'], HOME: process.env['HOME'], TMPDIR: process.env['TMPDIR'], ...env(port) },
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (said = `${said}${text}`.slice(-SAID_MAX)));
  const kill = (): void => void child.kill('SIGKILL');
  process.once('exit', kill);
  const ended = endOf(child);
  void ended.then(() => process.off('exit', kill));
  const stop = async (): Promise<void> => {
    child.kill('SIGTERM');
    const timer = setTimeout(kill, TERM_WITHIN_MS);
    await ended;
    clearTimeout(timer);
  };
  try {
    await Promise.race([
      answers(url, child),
      ended.then((how) => Promise.reject(new Error(`${program} ${args(port).join(' ')}: ${how}. It said:\n${said}`))),
    ]);
  } catch (error) {
    await stop();
    throw error;
  }
  return { url, stop };
}

async function answers(url: string, child: ChildProcess): Promise<void> {
  while (child.exitCode === null && child.signalCode === null) {
    const answer = await fetch(url).catch(() => null);
    if (answer !== null) {
      await answer.body?.cancel();
      return;
    }
    await sleep(POLL_MS);
  }
}

/** A port of 127.0.0.1 that was free a moment ago. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

async function endOf(child: ChildProcess): Promise<string> {
  return new Promise((resolve) => {
    child.once('error', ({ message }) => resolve(message));
    child.once('exit', (code, signal) => resolve(signal ?? `exit ${code ?? '?'}`));
  });
}
