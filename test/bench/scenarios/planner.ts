import { type Chunk, emptyChunk } from '../../../shared/domain/scoreboard/board.ts';
import { decodeChunk, encodeChunk } from '../../../shared/domain/codecs/board-codec.ts';
import { type EpochMs, asEpochMs, plusMs } from '../../../shared/domain/base/time.ts';
import { asTaskArn } from '../../../shared/domain/base/ids.ts';
import { chunksNeeded } from '../../../shared/domain/planner/chunks-needed.ts';
import { NO_TIMES } from '../../../shared/domain/planner/ending.ts';
import type { AttemptId, Fact } from '../../../shared/domain/base/fact.ts';
import { type Job, planningSpec } from '../../../shared/domain/manifests/job.ts';
import { planJob } from '../../../shared/domain/planner/plan-job.ts';
import { type Status, chunkLength, freshStatus } from '../../../shared/domain/scoreboard/status.ts';
import { decodeStatus, encodeStatus } from '../../../shared/domain/codecs/status-codec.ts';
import { AWS_TIMING } from '../../../shared/domain/base/timing.ts';
import { aJob } from '../../support/a-job.ts';
import { median } from '../quantiles.ts';

export type PlannerFigures = {
  readonly indexes: number;
  readonly facts: number;
  readonly chunks: number;
  /** STATUS and every chunk decoded, then planJob: what the first pass of a process takes. */
  readonly coldP50Ms: number;
  readonly coldWorstMs: number;
  /** STATUS decoded, chunks at hand: every pass after it. */
  readonly warmP50Ms: number;
  readonly warmWorstMs: number;
  /** All that one cold pass takes of the heap, its garbage included. */
  readonly heapMb: number;
};

const RUNS = 30;
const FACTS = 1_000;
const START = asEpochMs(1_800_000_000_000);

/** A pass over a Job of `indexes` running tasks with 1,000 ends of tasks in any order; rows as bytes, read from no table. */
export function planner({ indexes }: { readonly indexes: number }): PlannerFigures {
  const spec = aJob({ completions: indexes, parallelism: indexes });
  const job: Job = { ...spec.identity, revision: 1, spec: planningSpec(spec) };
  const world = launchAll(job, indexes);
  const facts = endsIn(indexes, world.now);
  const bytes = { status: encodeStatus(world.status), chunks: new Map<number, Uint8Array>() };
  for (const [no, chunk] of world.chunks) bytes.chunks.set(no, encodeChunk(chunk, chunkLength(indexes, no)));
  world.chunks.clear();

  const pass = (cache: Map<number, Chunk>) => {
    const status = decodeStatus(bytes.status);
    const stored = new Map<number, Chunk>();
    for (const no of chunksNeeded(job, status, facts, world.now)) {
      const encoded = bytes.chunks.get(no);
      const chunk = cache.get(no) ?? (encoded === undefined ? undefined : decodeChunk(encoded));
      if (chunk === undefined) continue;
      cache.set(no, chunk);
      stored.set(no, chunk);
    }
    return { status, stored, plan: planJob(job, status, stored, facts, world.now, AWS_TIMING) };
  };
  const timed = (cache: () => Map<number, Chunk>): readonly number[] =>
    Array.from({ length: RUNS }, () => {
      const using = cache();
      const from = performance.now();
      pass(using);
      return performance.now() - from;
    });

  timed(() => new Map()); // the compiler has seen it all
  const cold = timed(() => new Map());
  const warmCache = new Map<number, Chunk>();
  pass(warmCache);
  const warm = timed(() => warmCache);
  warmCache.clear();
  collect();
  const before = heapBytes();
  const held = pass(new Map());
  const heapMb = (heapBytes() - before) / 2 ** 20;
  if (held.plan.counted.succeeded !== FACTS) throw new Error(`${held.plan.counted.succeeded} of ${FACTS} were counted`);
  return {
    indexes,
    facts: FACTS,
    chunks: held.stored.size,
    coldP50Ms: median(cold),
    coldWorstMs: Math.max(...cold),
    warmP50Ms: median(warm),
    warmWorstMs: Math.max(...warm),
    heapMb,
  };
}

function collect(): void {
  if (global.gc === undefined) throw new Error('heap is measured under --expose-gc');
  global.gc();
}

/** Boards are in buffers beside the heap proper. */
function heapBytes(): number {
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

/** The Job as its passes leave it when every index runs. */
function launchAll(job: Job, indexes: number): { status: Status; chunks: Map<number, Chunk>; now: EpochMs } {
  let status = freshStatus(job, START);
  let now = START;
  const chunks = new Map<number, Chunk>();
  let facts: readonly Fact[] = [];
  for (let launched = 0; launched < indexes || facts.length > 0; ) {
    now = plusMs(now, 1_000);
    const at = now;
    const stored = new Map<number, Chunk>();
    for (const no of chunksNeeded(job, status, facts, now)) stored.set(no, chunks.get(no) ?? emptyChunk());
    const plan = planJob(job, status, stored, facts, now, AWS_TIMING);
    if (plan.status !== null) {
      const { version } = plan.status;
      // As if every pass were published at once: what is folded leaves the journal.
      status = { ...plan.status, published: { version, seq: plan.status.journal.nextSeq, at: now } };
      for (const { no, chunk } of plan.folds) chunks.set(no, chunk);
    }
    const started = plan.actions.flatMap((action) => (action.kind === 'launch' ? action.attempts : []));
    launched += started.length;
    facts = started.map((id): Fact => ({ ...id, kind: 'running', taskArn: arnOf(id), at }));
  }
  return { status, chunks, now };
}

/** Ends of tasks all over the board, none twice: steps of a number that has no factor in common with any board of ours. */
function endsIn(indexes: number, now: EpochMs): readonly Fact[] {
  return Array.from({ length: FACTS }, (_, n): Fact => {
    const id = { index: (n * 7_919) % indexes, attempt: 1, nonce: 0 };
    return {
      ...id,
      kind: 'stopped',
      taskArn: arnOf(id),
      ending: { cause: 'Completed', exitCode: 0, container: 'main', reason: '' },
      times: NO_TIMES,
      at: now,
    };
  });
}

const arnOf = ({ index }: AttemptId) =>
  asTaskArn(`arn:aws:ecs:us-east-1:000000000000:task/muster/${index.toString(16).padStart(32, '0')}`);
