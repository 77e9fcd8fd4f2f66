import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startBuiltLocal } from '../../support/built/built-program.ts';
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
  try {
    const from = performance.now();
    const { url, stop } = await startBuiltLocal(program, folder);
    await (await fetch(`${url}/version`)).text();
    const ms = performance.now() - from;
    await stop();
    return ms;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

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
async function complete(lines: AsyncGenerator<string, undefined>, name: string): Promise<void> {
  for (;;) {
    const { value, done } = await lines.next();
    if (done === true) throw new Error('the watch has ended');
    const { object } = JSON.parse(value) as Seen;
    const isComplete = object.status?.conditions?.some(({ type }) => type === 'Complete') === true;
    if (object.metadata.name === name && isComplete) return;
  }
}

async function* linesOf(body: ReadableStream<Uint8Array>): AsyncGenerator<string, undefined> {
  let rest = '';
  for await (const text of body.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
}
