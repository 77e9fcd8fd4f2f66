import { spawn } from 'node:child_process';

export type BuiltLocal = {
  readonly pid: number;
  readonly url: string;
  /** Ends it as Ctrl-C does. */
  readonly stop: () => Promise<void>;
};

/**
 * `muster local` of a built program (`dist/muster.mjs`), on the folder `data` inside `cwd` and any port, once it has printed
 * its address; `more` are its other options. Throws what it has printed if it ends before.
 */
export async function startBuiltLocal(program: string, cwd: string, ...more: readonly string[]): Promise<BuiltLocal> {
  const child = spawn(process.execPath, [program, 'local', '--data', 'data', '--port', '0', ...more], { cwd });
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  let said = '';
  const url = await new Promise<string>((resolve, reject) => {
    const read = (bytes: Buffer): void => {
      if (said.length < SAID_MAX) said += bytes.toString('utf8');
      const [found] = /http:\/\/127\.0\.0\.1:\d+/.exec(said) ?? [];
      if (found !== undefined) resolve(found);
    };
    for (const stream of [child.stdout, child.stderr]) stream.on('data', read);
    void ended.then(() => reject(new Error(said)));
  });
  return {
    pid: child.pid ?? 0,
    url,
    async stop() {
      child.kill('SIGTERM');
      await ended;
    },
  };
}

/** The address is in the first lines. */
const SAID_MAX = 10_000;
