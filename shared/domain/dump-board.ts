import { indexBackoffEndsAt } from './backoff.ts';
import { CHUNK_INDEXES, type Chunk, chunksFor, countRecords, emptyChunk, setRecord } from './board.ts';
import { type EpochMs, asTaskArn } from './brand.ts';
import type { ClusterDump, DumpedPod } from './cluster-dump.ts';
import type { Ending, Fact } from './fact.ts';
import { type IndexSet, NO_INDEXES, has, indexSetOf, intersect, parseStatusIndexes, size, union } from './index-set.ts';
import { FRESH, type IndexRecord } from './index-record.ts';
import {
  asFailedPod,
  countsAsFailed,
  endsIndex,
  finishedAt,
  hasFailed,
  inRange,
  isPodActive,
  isTerminal,
  isTerminating,
  lastFailed,
  leavesBefore,
  waitsForEnd,
} from './dumped-pods.ts';
import type { JobSpec } from './job.ts';
import type { Dumped } from './plan-job.ts';
import { type FailedPod, failJobMessage, matchPodFailurePolicy } from './pod-failure-policy.ts';
import { type Lingering, type Phase, type Status, chunkLength, freshStatus } from './status.ts';

/** A cluster's dump as the planner's input: what has been counted as a board, what has not as facts. */
export type DumpBoard = {
  readonly status: Status;
  readonly stored: ReadonlyMap<number, Chunk>;
  readonly facts: readonly Fact[];
  readonly dumped: Dumped;
  readonly standing: DumpStanding;
};

/** What the way back from the plan to Pods needs. */
export type DumpStanding = {
  readonly succeeded: IndexSet;
  /** For good: those of the status, and those whose last failure a Pod shows. */
  readonly failed: IndexSet;
  readonly active: readonly DumpedPod[];
  readonly terminating: number;
  /** The active Pod of a slot. */
  readonly podOfSlot: ReadonlyMap<number, DumpedPod>;
  /** In the order in which they are given up. */
  readonly ranked: readonly DumpedPod[];
  /** Pods whose end this pass sees for the first time, and those that have been noted but not counted for good. */
  readonly fresh: ReadonlySet<DumpedPod>;
  readonly noted: ReadonlySet<DumpedPod>;
};

/** Pods that a sync of upstream's creates or deletes, and whose end it counts, at most (kubernetes-job.md 2). */
export const PODS_PER_SYNC_MAX = 500;

/**
 * Sets a board up from a dump. Each completion index gets its best Pod; Pods beside it (duplicates, such without an
 * index or with one that the Job has not) get slots beyond the completions, which a planner gives up first, as it does
 * after a Job was made smaller. A NonIndexed Job's Pods get a slot each, behind one for each success so far.
 */
export function boardOf(dump: ClusterDump, now: EpochMs, caps: boolean): DumpBoard {
  const { job, pods } = dump;
  const { spec } = job;
  const layout = new Layout(dump);
  if (spec.completionMode === 'Indexed') layIndexes(layout, dump);
  else laySlots(layout, dump);
  const records = layout.records();
  const stored = chunksOf(records);
  const counted = layout.bystanders.filter((pod) => countsAsFailed(spec, pod));
  const fresh = freshStatus(job, now);
  return {
    stored,
    facts: layout.facts,
    status: {
      ...fresh,
      phase: phaseOf(dump, now),
      startTime: job.status.startTime,
      size: records.length,
      chunks: [...stored].map(([no, chunk]) => ({
        ...countRecords(chunk, chunkLength(records.length, no)),
        version: 1,
        foldedSeq: 0,
        firstPending: 0,
        soonestDue: null,
      })),
      failed: job.status.failed + job.status.uncounted.failed.length + counted.length,
      restarts: sum(pods.filter(({ phase }) => phase === 'Pending' || phase === 'Running').map((pod) => pod.restarts)),
      ruleHits: (spec.successPolicy ?? []).map(({ indexes }) =>
        indexes === null ? 0 : size(intersect(indexes, layout.counted())),
      ),
      lingering: layout.lingering,
    },
    dumped: {
      limits: {
        claimsMax: caps ? PODS_PER_SYNC_MAX : Number.MAX_SAFE_INTEGER,
        placesMax: caps ? PODS_PER_SYNC_MAX : Number.MAX_SAFE_INTEGER,
        stopsMax: caps ? PODS_PER_SYNC_MAX : Number.MAX_SAFE_INTEGER,
        rankOf: (slot) => layout.rankOf(slot),
      },
      handsOff: job.deleting,
      podOfIndex: layout.failedPods,
      failedAt: layout.bystanders.map(finishedAt),
      succeededAt: layout.lateSuccesses.map(finishedAt),
      doneBeside: layout.doneBeside,
      failJob: failJobOf(dump),
    },
    standing: {
      succeeded: layout.succeeded,
      failed: layout.failed,
      active: layout.active,
      terminating: pods.filter(isTerminating).length,
      podOfSlot: layout.podOfSlot,
      ranked: layout.ranked,
      fresh: layout.fresh,
      noted: layout.noted,
    },
  };
}

/** Any failed Pod counts, also one whose end was counted long ago; the first of the list decides. */
function failJobOf({ job, pods }: ClusterDump): Dumped['failJob'] {
  const { podFailurePolicy } = job.spec;
  if (podFailurePolicy === null) return null;
  for (const pod of pods) {
    if (pod.phase !== 'Failed') continue;
    const match = matchPodFailurePolicy(podFailurePolicy, asFailedPod(pod));
    if (match?.action !== 'FailJob') continue;
    return { message: failJobMessage(match, `${job.namespace}/${pod.name}`), index: pod.index ?? 0 };
  }
  return null;
}

function phaseOf(dump: ClusterDump, now: EpochMs): Phase {
  for (const { type, status: truth, reason, message } of dump.job.status.conditions) {
    if (truth !== 'True') continue;
    // Whatever word a cluster has for its reason, the planner keeps a verdict that is there.
    const verdict = { reason, message, decidedBy: null };
    if (type === 'FailureTarget') {
      return { kind: 'draining', verdict: { ...verdict, kind: 'failed', reason: 'BackoffLimitExceeded' }, since: now };
    }
    if (type === 'SuccessCriteriaMet') {
      return { kind: 'draining', verdict: { ...verdict, kind: 'complete', reason: 'SuccessPolicy' }, since: now };
    }
  }
  // A suspended Job, too: what has ended by itself is judged, and may fail it, before it is found suspended again.
  return { kind: 'running' };
}

/** Where the Pods of a dump come to lie. */
class Layout {
  readonly active: readonly DumpedPod[];
  readonly ranked: readonly DumpedPod[];
  readonly succeeded: IndexSet;
  readonly failed: IndexSet;
  readonly fresh: ReadonlySet<DumpedPod>;
  readonly noted: ReadonlySet<DumpedPod>;
  readonly facts: Fact[] = [];
  readonly lingering: Lingering[] = [];
  readonly failedPods = new Map<number, FailedPod>();
  readonly podOfSlot = new Map<number, DumpedPod>();
  /** Pods whose failure moves no slot. */
  readonly bystanders: DumpedPod[] = [];
  /** Pods whose success moves no slot: their index has succeeded before, or another Pod has its slot. */
  readonly lateSuccesses: DumpedPod[] = [];
  readonly doneBeside = { succeeded: 0, failed: 0 };
  readonly #succeededBeside: number[] = [];
  readonly #records: IndexRecord[] = [];
  readonly #ranks: ReadonlyMap<DumpedPod, number>;

  constructor({ job, pods }: ClusterDump) {
    const { spec, status } = job;
    const completions = spec.completions ?? 0;
    const uncounted = new Set([...status.uncounted.succeeded, ...status.uncounted.failed]);
    this.active = pods.filter(isPodActive);
    this.ranked = [...this.active].sort(leavesBefore);
    this.#ranks = new Map(this.ranked.map((pod, rank) => [pod, rank]));
    const indexed = spec.completionMode === 'Indexed';
    this.succeeded = indexed ? parseStatusIndexes(status.completedIndexes, completions) : NO_INDEXES;
    const ended = pods.filter(
      (pod) => pod.hasFinalizer && inRange(spec, pod) && (pod.phase === 'Succeeded' || hasFailed(spec, pod)),
    );
    const givenUp = ended.flatMap((pod) => (pod.index !== null && endsIndex(spec, pod) ? [pod.index] : []));
    this.failed = indexed
      ? union(parseStatusIndexes(status.failedIndexes ?? '', completions), indexSetOf(givenUp.sort((a, b) => a - b)))
      : NO_INDEXES;
    this.noted = new Set(ended.filter(({ uid }) => uncounted.has(uid)));
    this.fresh = new Set(ended.filter(({ uid }) => !uncounted.has(uid)));
  }

  /** The next free slot, or slot `at`. */
  put(record: IndexRecord, at = this.#records.length): number {
    this.#records[at] = record;
    return at;
  }

  putActive(pod: DumpedPod, at?: number): void {
    this.podOfSlot.set(this.put({ ...FRESH, attempt: 1, state: stateOf(pod) }, at), pod);
  }

  /** A Pod that is being deleted: it holds its place until it has ended, or it lingers beside its replacement. */
  putTerminating(pod: DumpedPod, holdsPlace: boolean, at?: number): void {
    if (holdsPlace) this.put({ ...FRESH, attempt: 1, state: 'running', podDeleted: true }, at);
    else {
      const id = { index: this.lingering.length, attempt: 0, nonce: 0 };
      this.lingering.push({ ...id, taskArn: asTaskArn(pod.name), since: pod.deletedAt ?? pod.createdAt });
    }
  }

  /** A Pod that has ended, and whose end is the planner's to judge. */
  putEnded(pod: DumpedPod, at?: number): void {
    const { failureCount: failures, ignoredFailureCount: ignored } = pod;
    const index = this.put({ ...FRESH, attempt: 1, state: 'running', failures, ignored }, at);
    const stoppedAt = finishedAt(pod);
    this.failedPods.set(index, asFailedPod(pod));
    this.facts.push({
      kind: 'stopped',
      index,
      attempt: 1,
      nonce: 0,
      taskArn: null,
      ending: pod.phase === 'Succeeded' ? SUCCEEDED : FAILED,
      times: { createdAt: null, startedAt: null, stoppedAt },
      at: stoppedAt,
    });
  }

  /** Indexes that have succeeded, by what is no fact any more. */
  counted(): IndexSet {
    return union(this.succeeded, indexSetOf(this.#succeededBeside));
  }

  /** An index is done, but a Pod of its own that is active has its slot. Indexes come in ascending order. */
  markDone(index: number, as: 'succeeded' | 'failed'): void {
    this.doneBeside[as]++;
    if (as === 'succeeded') this.#succeededBeside.push(index);
  }

  records(): readonly IndexRecord[] {
    return this.#records;
  }

  /** The active one that would be given up last. */
  bestOf(pods: readonly DumpedPod[]): DumpedPod | undefined {
    const rank = (pod: DumpedPod): number => this.#ranks.get(pod) ?? -1;
    return pods.filter(isPodActive).sort((a, b) => rank(b) - rank(a))[0];
  }

  rankOf(slot: number): number {
    const pod = this.podOfSlot.get(slot);
    return pod === undefined ? -1 : (this.#ranks.get(pod) ?? -1);
  }
}

const SUCCEEDED: Ending = { cause: 'Completed', exitCode: 0, container: null, reason: '' };
/** In a cluster's dump nothing restarts in place, and every loss counts: that is the letter. */
const FAILED: Ending = { cause: 'Infrastructure', exitCode: null, container: null, reason: 'the Pod failed' };

function layIndexes(layout: Layout, { job, pods }: ClusterDump): void {
  const { spec } = job;
  const completions = spec.completions ?? 0;
  const byIndex = new Map<number, DumpedPod[]>();
  const strays: DumpedPod[] = [];
  for (const pod of pods) {
    if (pod.index === null || !inRange(spec, pod)) strays.push(pod);
    else byIndex.set(pod.index, [...(byIndex.get(pod.index) ?? []), pod]);
  }
  for (let index = 0; index < completions; index++) {
    const own = byIndex.get(index) ?? [];
    const succeedsNow = own.some((pod) => pod.phase === 'Succeeded' && layout.fresh.has(pod));
    const hasFailedOnly = has(layout.failed, index) && !succeedsNow;
    const settled = has(layout.succeeded, index) ? 'succeeded' : hasFailedOnly ? 'failed' : null;
    strays.push(...layIndex(layout, spec, index, settled, own));
  }
  for (const pod of strays) {
    if (isPodActive(pod)) layout.putActive(pod);
    else if (isTerminating(pod)) layout.putTerminating(pod, waitsForEnd(spec));
  }
}

/** Gives an index the Pod that says most about it; returns the others. */
function layIndex(
  layout: Layout,
  spec: JobSpec,
  index: number,
  settled: 'succeeded' | 'failed' | null,
  own: readonly DumpedPod[],
): readonly DumpedPod[] {
  const fresh = own.filter((pod) => layout.fresh.has(pod));
  const failures = fresh.filter((pod) => hasFailed(spec, pod));
  const alive = own.filter((pod) => !isTerminal(pod) && !failures.includes(pod));
  const lingerers = failures.filter(isTerminating);
  const best = layout.bestOf(own);
  const [success, ...twins] = fresh.filter(({ phase }) => phase === 'Succeeded');
  const held = waitsForEnd(spec) ? alive.find(isTerminating) : undefined;
  const carrier = lastFailed(
    own.filter((pod) => failures.includes(pod) || (layout.noted.has(pod) && hasFailed(spec, pod))),
  );
  const perIndex = spec.backoffLimitPerIndex !== null;
  for (const pod of lingerers) layout.putTerminating(pod, false);

  const done = settled ?? (success === undefined ? null : 'succeeded');
  const isFact = best === undefined && settled === null && success !== undefined;
  layout.lateSuccesses.push(...twins, ...(success === undefined || isFact ? [] : [success]));
  if (done === 'succeeded' && has(layout.failed, index)) layout.markDone(index, 'failed'); // upstream's sets may share it
  if (best !== undefined) {
    layout.putActive(best, index);
    if (done !== null) layout.markDone(index, done);
  } else if (settled !== null) layout.put({ ...FRESH, state: settled, attempt: 1 }, index);
  else if (success !== undefined) layout.putEnded(success, index);
  else if (held !== undefined) layout.putTerminating(held, true, index);
  else if (carrier !== undefined && layout.fresh.has(carrier)) layout.putEnded(carrier, index);
  else layout.put(carrier === undefined || !perIndex ? FRESH : afterFailure(spec, carrier), index);

  const judged = layout.facts.at(-1)?.index === index ? carrier : undefined;
  layout.bystanders.push(...failures.filter((pod) => pod !== judged || success !== undefined));
  const onBoard = best ?? (done === null ? held : undefined);
  return alive.filter((pod) => pod !== onBoard);
}

/** An index whose last failure is counted already, while its Pod still stands for the count. */
function afterFailure(spec: JobSpec, pod: DumpedPod): IndexRecord {
  const counts = countsAsFailed(spec, pod);
  return {
    ...FRESH,
    attempt: 1,
    failures: pod.failureCount + (counts ? 1 : 0),
    ignored: pod.ignoredFailureCount + (counts ? 0 : 1),
    notBefore: indexBackoffEndsAt(pod.failureCount + pod.ignoredFailureCount + 1, finishedAt(pod)),
  };
}

function laySlots(layout: Layout, { job, pods }: ClusterDump): void {
  const { spec, status } = job;
  const succeeded = status.succeeded + status.uncounted.succeeded.length;
  for (let n = 0; n < succeeded; n++) layout.put({ ...FRESH, state: 'succeeded', attempt: 1 });
  for (const pod of pods) {
    if (layout.fresh.has(pod)) {
      layout.putEnded(pod);
      if (isTerminating(pod)) layout.putTerminating(pod, false);
    } else if (isPodActive(pod)) layout.putActive(pod);
    else if (isTerminating(pod)) layout.putTerminating(pod, waitsForEnd(spec));
  }
  const slots = Math.max(layout.records().length, spec.completions ?? 0) + spec.parallelism;
  while (layout.records().length < slots) layout.put(FRESH);
}

function stateOf({ phase, scheduled }: DumpedPod): IndexRecord['state'] {
  if (phase === 'Running') return 'running';
  return scheduled ? 'launched' : 'claimed';
}

function chunksOf(records: readonly IndexRecord[]): ReadonlyMap<number, Chunk> {
  const chunks = new Map<number, Chunk>();
  for (let no = 0; no < chunksFor(records.length); no++) chunks.set(no, emptyChunk());
  for (const [slot, record] of records.entries()) {
    const chunk = chunks.get(Math.floor(slot / CHUNK_INDEXES));
    if (chunk !== undefined) setRecord(chunk, slot % CHUNK_INDEXES, record);
  }
  return chunks;
}

const sum = (numbers: readonly number[]): number => numbers.reduce((a, b) => a + b, 0);
