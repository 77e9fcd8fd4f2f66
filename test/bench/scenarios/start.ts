import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { median } from '../quantiles.ts';
import { startBench } from './bench-runtime.ts';

export type StartFigures = {
  readonly times: number;
  /** `muster --help`, from its start to its end. */
  readonly helpMs: number;
  /** `muster local` on a new folder, from its start to the first answer of its API. */
  readonly readyMs: number;
  /** A Job of one Pod that ends at once, from the POST to the watch event that says Complete. */
  readonly onePodMs: number;
};

/** @param program the built program, `dist/muster.mjs` */
export async function start({
  program,
  times,
}: {
  readonly program: string;
  readonly times: number;
}): Promise<StartFigures> {
  const help: number[] = [];
  const ready: number[] = [];
  for (let n = 0; n < times; n++) {
    help.push(helpMs(program));
    ready.push(await readyMs(program));
  }
  return { times, helpMs: median(help), readyMs: median(ready), onePodMs: median(await onePodMs(times)) };
}

function helpMs(program: string): number {
  const from = performance.now();
  const { status, stderr } = spawnSync(process.execPath, [program, '--help'], { encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr);
  return performance.now() - from;
}

async function readyMs(program: string): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'muster-bench-'));
  const from = performance.now();
  const child = spawn(process.execPath, [program, 'local', '--data', folder, '--port', '0'], { cwd: folder });
  try {
    const url = await urlIn(child);
    await (await fetch(`${url}/version`)).text();
    return performance.now() - from;
  } finally {
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGTERM');
    await ended;
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The address that `muster local` prints when it is ready. */
const urlIn = (child: ChildProcess): Promise<string> =>
  new Promise((resolve, reject) => {
    let text = '';
    const read = (bytes: Buffer): void => {
      text += bytes.toString('utf8');
      const [url] = /http:\/\/127\.0\.0\.1:\d+/.exec(text) ?? [];
      if (url !== undefined) resolve(url);
    };
    child.stdout?.on('data', read);
    child.stderr?.on('data', read);
    child.once('exit', () => reject(new Error(text)));
  });

/** One Job after the other, each seen by a watch that was open before it. */
async function onePodMs(times: number): Promise<readonly number[]> {
  const bench = await startBench();
  const over = new AbortController();
  try {
    const stream = await fetch(`${bench.url}/apis/batch/v1/jobs?watch=true`, { signal: over.signal });
    if (stream.body === null) throw new Error('the watch has no body');
    const lines = linesOf(stream.body);
    const sample: number[] = [];
    for (let n = 0; n < times; n++) {
      const from = performance.now();
      const [uid] = await Promise.all([bench.submit(`one-${n}`, 1), complete(lines, `one-${n}`)]);
      if (uid === '') throw new Error('no Job was made');
      sample.push(performance.now() - from);
    }
    return sample;
  } finally {
    over.abort();
    await bench.stop();
  }
}

type Seen = {
  readonly object: {
    readonly metadata: { readonly name: string };
    readonly status?: { readonly conditions?: readonly { readonly type: string }[] };
  };
};

/** Resolves when an event says that the Job is complete. */
async function complete(lines: AsyncIterator<string>, name: string): Promise<void> {
  for (;;) {
    const { value, done } = await lines.next();
    if (done === true) throw new Error('the watch has ended');
    const { object } = JSON.parse(value) as Seen;
    const isComplete = object.status?.conditions?.some(({ type }) => type === 'Complete') === true;
    if (object.metadata.name === name && isComplete) return;
  }
}

async function* linesOf(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  let rest = '';
  for await (const text of body.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
}
