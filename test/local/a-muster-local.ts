import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { onTestFinished } from 'vitest';

/** Writes down each module that a process loads: for `node --import`. */
const NOTE = `
  import { register } from 'node:module';
  register('data:text/javascript,' + encodeURIComponent(\`
    import { appendFileSync } from 'node:fs';
    export async function load(url, context, next) {
      appendFileSync(process.env.LOADED, url + '\\\\n');
      return next(url, context);
    }
  \`));
`;

/** Arguments of node for the command line, which then writes down what it loads into the file LOADED. */
const PROGRAM = [
  ...[import.meta.resolve('tsx'), `data:text/javascript,${encodeURIComponent(NOTE)}`].flatMap((each) => [
    '--import',
    each,
  ]),
  resolve('cli/main.ts'),
];

/** URLs of the modules that a command has loaded by its end. */
export function loadedBy(...command: readonly string[]): readonly string[] {
  const dir = mkdtempSync(join(tmpdir(), 'muster-fresh-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  const file = join(dir, 'loaded');
  const { status, stderr } = spawnSync(process.execPath, [...PROGRAM, ...command], {
    cwd: dir,
    env: { ...process.env, LOADED: file },
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(stderr);
  return readFileSync(file, 'utf8').trim().split('\n');
}

export type AMusterLocal = {
  readonly pid: number;
  /** its data folder */
  readonly dataDir: string;
  /** URLs of the modules that it has loaded so far */
  readonly loaded: () => readonly string[];
  /** Ends it as Ctrl-C does; resolves with what it has printed. */
  readonly stop: () => Promise<string>;
};

/** `muster local` with simulated tasks, in a process of its own, once it says that it is ready. */
export async function aMusterLocal(...options: readonly string[]): Promise<AMusterLocal> {
  const dir = mkdtempSync(join(tmpdir(), 'muster-fresh-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  const command = ['local', '--driver', 'simulated', '--data', 'data', ...options];
  const child = spawn(process.execPath, [...PROGRAM, ...command], {
    cwd: dir,
    env: { ...process.env, LOADED: join(dir, 'loaded') },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const ended = once(child, 'exit');
  let said = '';
  const ready = new Promise<void>((done) => {
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (part: Buffer) => {
        said += part.toString();
        if (said.includes('Ctrl-C stops it')) done();
      });
    }
  });
  await Promise.race([ready, ended.then(() => Promise.reject(new Error(`it has ended: ${said}`)))]);
  return {
    pid: child.pid!,
    dataDir: join(dir, 'data'),
    loaded: () => readFileSync(join(dir, 'loaded'), 'utf8').trim().split('\n'),
    async stop() {
      child.kill('SIGTERM');
      await ended;
      return said;
    },
  };
}
