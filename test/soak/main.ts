import { type Dirent, lstatSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Command, InvalidArgumentError } from 'commander';
import { familyAnonBytes } from '../bench/processes.ts';
import { startBuiltLocal } from '../support/built/built-program.ts';
import { type Sample, verdictOf } from './verdict.ts';

/** `npm run soak`: runs a built `muster local` under steady work, prints its memory and data folder, and judges them. */
const program = new Command('npm run soak --')
  .description(
    'Runs a Job every few seconds beside deletes and watches, and shows whether memory and data folder grow.',
  )
  .option('--minutes <n>', 'how long; from 100 on, the first hour is left out of the verdict', positive, 150)
  .option('--every <seconds>', 'a Job so often', positive, 10)
  .option('--indexes <n>', 'indexes of each Job', positive, 50)
  .option('--keep <n>', 'ended Jobs that stay; every second Job is deleted at once', positive, 30)
  .addHelpText(
    'after',
    `
Examples:
  npm run soak
  npm run soak -- --minutes 5 --every 2

Exit codes: 0 flat    1 something grew, or a Job was counted wrong    2 invalid command line    130 Ctrl-C`,
  )
  .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : 2))
  .action(run);

type Options = {
  readonly minutes: number;
  readonly every: number;
  readonly indexes: number;
  readonly keep: number;
};

type Counts = { ended: number; wrong: number; indexes: number };

const PROGRAM = join(import.meta.dirname, '../../dist/muster.mjs');
const SAMPLE_MS = 10_000;
const JOB_ENDS_WITHIN_MS = 120_000;

async function run({ minutes, every, indexes, keep }: Options): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'muster-soak-'));
  const { pid, url, stop } = await startBuiltLocal(PROGRAM, folder);
  const over = new AbortController();
  process.once('SIGINT', () => over.abort());
  const samples: Sample[] = [];
  try {
    for (const what of ['apis/batch/v1/jobs', 'api/v1/pods', 'api/v1/events'])
      void watch(`${url}/${what}`, over.signal);
    const jobs = `${url}/apis/batch/v1/namespaces/default/jobs`;
    const counts: Counts = { ended: 0, wrong: 0, indexes: 0 };
    const startedAt = performance.now();
    const sampling = sample(samples, pid, join(folder, 'data'), counts, over.signal);
    for (let n = 0; performance.now() - startedAt < minutes * 60_000 && !over.signal.aborted; n++) {
      void oneJob(jobs, n, indexes, counts).catch((error: unknown) => {
        if (over.signal.aborted) return;
        counts.wrong++;
        process.stderr.write(`soak-${n}: ${String(error)}\n`);
      });
      // Half are deleted soon after they have ended, or before; of the others only the newest stay.
      if (n % 2 === 1) await remove(jobs, n - 1);
      else if (n > 2 * keep) await remove(jobs, n - 2 * keep - 1);
      await sleep(every * 1_000, undefined, { signal: over.signal }).catch(() => undefined);
    }
    over.abort();
    await sampling;
    const verdict = verdictOf(samples);
    process.stdout.write(`${counts.ended} Jobs of ${indexes} complete, ${counts.wrong} wrong\n${verdict.text}\n`);
    process.exitCode = verdict.isFlat && counts.wrong === 0 ? 0 : 1;
  } finally {
    over.abort();
    await stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Creates a Job and waits for its end, or for its deletion. Throws if it was counted wrong. */
async function oneJob(jobs: string, n: number, indexes: number, counts: Counts): Promise<void> {
  const created = await fetch(jobs, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(manifestOf(n, indexes)),
  });
  if (created.status !== 201) throw new Error(await created.text());
  await created.body?.cancel();
  for (const untilMs = performance.now() + JOB_ENDS_WITHIN_MS; performance.now() < untilMs; await sleep(500)) {
    const response = await fetch(`${jobs}/${nameOf(n)}`);
    const job = (await response.json()) as {
      readonly status?: { readonly succeeded?: number; readonly conditions?: readonly { readonly type: string }[] };
    };
    if (response.status === 404) return;
    if (job.status?.conditions?.some(({ type }) => type === 'Complete') !== true) continue;
    if (job.status.succeeded !== indexes) throw new Error(`${job.status.succeeded} of ${indexes} were counted`);
    counts.ended++;
    counts.indexes += indexes;
    return;
  }
  throw new Error('it did not end');
}

async function remove(jobs: string, n: number): Promise<void> {
  const answer = await fetch(`${jobs}/${nameOf(n)}?propagationPolicy=Background`, { method: 'DELETE' });
  await answer.body?.cancel();
}

const nameOf = (n: number): string => `soak-${n}`;

const manifestOf = (n: number, indexes: number): object => ({
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: { name: nameOf(n) },
  spec: {
    completions: indexes,
    parallelism: 10,
    completionMode: 'Indexed',
    template: {
      spec: {
        restartPolicy: 'Never',
        containers: [{ name: 'main', image: 'any', command: ['sh', '-c', 'echo "$JOB_COMPLETION_INDEX"'] }],
      },
    },
  },
});

/** Keeps a watch open, and opens it again when it ends. */
async function watch(url: string, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    try {
      const { body } = await fetch(`${url}?watch=true`, { signal });
      if (body !== null) for await (const _ of body);
    } catch {
      await sleep(1_000, undefined, { signal }).catch(() => undefined);
    }
  }
}

async function sample(
  samples: Sample[],
  pid: number,
  data: string,
  counts: Readonly<Counts>,
  signal: AbortSignal,
): Promise<void> {
  const startedAt = performance.now();
  while (!signal.aborted) {
    await sleep(SAMPLE_MS, undefined, { signal }).catch(() => undefined);
    const { bytes, files } = sizeOf(data);
    const next: Sample = {
      atSec: (performance.now() - startedAt) / 1_000,
      anonBytes: familyAnonBytes(pid),
      bytes,
      files,
      indexes: counts.indexes,
    };
    samples.push(next);
    if (samples.length % 6 !== 1) continue;
    const mib = (value: number): string => (value / 2 ** 20).toFixed(0);
    process.stdout.write(
      `${(next.atSec / 60).toFixed(0).padStart(3)} min: ${mib(next.anonBytes)} MiB of memory, ${mib(bytes)} MiB in ${files} files, ${counts.ended} Jobs complete, ${counts.wrong} wrong\n`,
    );
  }
}

/** Space that a folder takes on the disk; what vanishes meanwhile is left out: an ended task's folder goes after an hour. */
function sizeOf(folder: string): { readonly bytes: number; readonly files: number } {
  let [bytes, files] = [0, 0];
  for (const entry of entriesOf(folder)) {
    const path = join(folder, entry.name);
    const stat = lstatSync(path, { throwIfNoEntry: false });
    const within = entry.isDirectory() ? sizeOf(path) : { bytes: 0, files: 0 };
    bytes += (stat?.blocks ?? 0) * 512 + within.bytes;
    files += (stat === undefined ? 0 : 1) + within.files;
  }
  return { bytes, files };
}

function entriesOf(folder: string): readonly Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return []; // gone since its parent was read
  }
}

function positive(text: string): number {
  const value = Number(text);
  if (value > 0) return value;
  throw new InvalidArgumentError(`${text} is not greater than 0.`);
}

await program.parseAsync();
