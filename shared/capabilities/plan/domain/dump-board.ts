import { indexBackoffEndsAt } from '../../../domain/scoreboard/backoff.ts';
import {
  CHUNK_INDEXES,
  type Chunk,
  chunksFor,
  countRecords,
  emptyChunk,
  setRecord,
} from '../../../domain/scoreboard/board.ts';
import type { EpochMs } from '../../../domain/base/time.ts';
import { asTaskArn } from '../../../domain/base/ids.ts';
import type { ClusterDump, DumpedPod } from './cluster-dump.ts';
import type { Ending, Fact } from '../../../domain/base/fact.ts';
import {
  type IndexSet,
  NO_INDEXES,
  has,
  indexSetOf,
  intersect,
  parseStatusIndexes,
  size,
  union,
} from '../../../domain/base/index-set.ts';
import { FRESH, type IndexRecord } from '../../../domain/scoreboard/index-record.ts';
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
import type { JobSpec } from '../../../domain/manifests/job.ts';
import { podOf } from '../../../domain/planner/judge.ts';
import type { PolicyVerdict } from '../../../domain/planner/decide-phase.ts';
import type { PlanRules } from '../../../domain/planner/plan-rules.ts';
import {
  type FailedPod,
  failJobMessage,
  failsJob,
  matchPodFailurePolicy,
} from '../../../domain/manifests/pod-failure-policy.ts';
import {
  type ReplacedTask,
  type Phase,
  type Status,
  chunkLength,
  freshStatus,
} from '../../../domain/scoreboard/status.ts';

/** A cluster's dump as the planner's input: what has been counted is a board, what has not is facts. */
export type DumpBoard = {
  readonly status: Status;
  readonly stored: ReadonlyMap<number, Chunk>;
  readonly facts: readonly Fact[];
  readonly rules: PlanRules;
  readonly standing: DumpStanding;
};

/** What is needed to translate the plan back to Pods. */
export type DumpStanding = {
  readonly succeeded: IndexSet;
  /** Permanently: those in the status, and those whose last failure is visible on a Pod. */
  readonly failed: IndexSet;
  readonly active: readonly DumpedPod[];
  readonly terminating: number;
  /** The active Pod of a slot. */
  readonly podOfSlot: ReadonlyMap<number, DumpedPod>;
  /** In the order in which they are deleted. */
  readonly ranked: readonly DumpedPod[];
  /** Pods whose end this pass sees for the first time, and those that are noted but not finally counted. */
  readonly fresh: ReadonlySet<DumpedPod>;
  readonly noted: ReadonlySet<DumpedPod>;
};

/** The most Pods that one sync of upstream's creates, deletes, or counts (kubernetes-job.md 2). */
export const PODS_PER_SYNC_MAX = 500;

/**
 * Builds a board from a dump. Each completion index gets its best Pod. Other Pods (duplicates, Pods without an index or with
 * one outside the Job) get slots above the completions, which the planner deletes first, as it does after a Job was made
 * smaller. Each Pod of a NonIndexed Job gets a slot, after one slot for each success so far.
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
        startingSince: null,
        runningSince: null,
        indexSince: null,
      })),
      failed: job.status.failed + job.status.uncounted.failed.length + counted.length,
      restarts: sum(pods.filter(({ phase }) => phase === 'Pending' || phase === 'Running').map((pod) => pod.restarts)),
      ruleHits: (spec.successPolicy ?? []).map(({ indexes }) =>
        indexes === null ? 0 : size(intersect(indexes, layout.counted())),
      ),
      replacedTasks: layout.replacedTasks,
    },
    rules: rulesOf(dump, layout, caps),
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

/** How a cluster's controller differs: its limits, which Pods it deletes first, and what counts outside the board. */
function rulesOf(dump: ClusterDump, layout: Layout, caps: boolean): PlanRules {
  const podsMax = caps ? PODS_PER_SYNC_MAX : Number.MAX_SAFE_INTEGER;
  return {
    limits: {
      claimsMax: podsMax,
      claimsAtOnce: 1,
      placesMax: podsMax,
      stopsMax: podsMax,
      rankOf: (slot) => layout.rankOf(slot),
    },
    managesAttempts: !dump.job.deleting,
    podOf: (ending, record, slot) => layout.failedPods.get(slot) ?? podOf(ending, record),
    besideBoard: {
      ...layout.doneBeside,
      succeededAt: layout.lateSuccesses.map(finishedAt),
      failedAt: layout.bystanders.map(finishedAt),
      failJob: failJobOf(dump),
    },
    announces: false,
  };
}

/** Any failed Pod counts, even one whose end was counted long ago; the first in the list decides. */
function failJobOf({ job, pods }: ClusterDump): PolicyVerdict | null {
  const { podFailurePolicy } = job.spec;
  if (podFailurePolicy === null) return null;
  for (const pod of pods) {
    if (pod.phase !== 'Failed') continue;
    const match = matchPodFailurePolicy(podFailurePolicy, asFailedPod(pod));
    if (match === null || !failsJob(match)) continue;
    return { message: failJobMessage(match, `${job.namespace}/${pod.name}`), index: pod.index ?? 0 };
  }
  return null;
}

function phaseOf(dump: ClusterDump, now: EpochMs): Phase {
  for (const { type, status: truth, reason, message } of dump.job.status.conditions) {
    if (truth !== 'True') continue;
    // Whatever reason the cluster uses, the planner keeps an existing verdict.
    const verdict = { reason, message, decidedBy: null };
    if (type === 'FailureTarget') {
      return { kind: 'draining', verdict: { ...verdict, kind: 'failed', reason: 'BackoffLimitExceeded' }, since: now };
    }
    if (type === 'SuccessCriteriaMet') {
      return { kind: 'draining', verdict: { ...verdict, kind: 'complete', reason: 'SuccessPolicy' }, since: now };
    }
  }
  // Also for a suspended Job: Pods that ended by themselves are judged, and may fail it, before it is found suspended again.
  return { kind: 'running' };
}

/** Which slots the Pods of a dump get. */
class Layout {
  readonly active: readonly DumpedPod[];
  readonly ranked: readonly DumpedPod[];
  readonly succeeded: IndexSet;
  readonly failed: IndexSet;
  readonly fresh: ReadonlySet<DumpedPod>;
  readonly noted: ReadonlySet<DumpedPod>;
  readonly facts: Fact[] = [];
  readonly replacedTasks: ReplacedTask[] = [];
  readonly failedPods = new Map<number, FailedPod>();
  readonly podOfSlot = new Map<number, DumpedPod>();
  /** Pods whose failure changes no slot. */
  readonly bystanders: DumpedPod[] = [];
  /** Pods whose success changes no slot: their index has already succeeded, or another Pod has its slot. */
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

  /** A Pod that is being deleted: it keeps its place until it has ended, or it is terminating next to its replacement. */
  putTerminating(pod: DumpedPod, holdsPlace: boolean, at?: number): void {
    if (holdsPlace) this.put({ ...FRESH, attempt: 1, state: 'running', podDeleted: true }, at);
    else {
      const id = { index: this.replacedTasks.length, attempt: 0, nonce: 0 };
      this.replacedTasks.push({ ...id, taskArn: asTaskArn(pod.name), since: pod.deletedAt ?? pod.createdAt });
    }
  }

  /** A Pod that has ended and that the planner must judge. */
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

  /** Indexes that have succeeded, apart from those that are still facts. */
  counted(): IndexSet {
    return union(this.succeeded, indexSetOf(this.#succeededBeside));
  }

  /** An index is done, but an active Pod of its own has its slot. Indexes come in ascending order. */
  markDone(index: number, as: 'succeeded' | 'failed'): void {
    this.doneBeside[as]++;
    if (as === 'succeeded') this.#succeededBeside.push(index);
  }

  records(): readonly IndexRecord[] {
    return this.#records;
  }

  /** The active Pod that would be deleted last. */
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
/** In a cluster's dump nothing restarts in place, and every loss counts, as in upstream. */
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

/** Gives an index the Pod that says the most about it; returns the others. */
function layIndex(
  layout: Layout,
  spec: JobSpec,
  index: number,
  settled: Settled | null,
  own: readonly DumpedPod[],
): readonly DumpedPod[] {
  const pods = podsOfIndex(layout, spec, own);
  const { failures, alive, best, success, twins, terminating, carrier } = pods;
  for (const pod of failures.filter(isTerminating)) layout.putTerminating(pod, false);

  const done = settled ?? (success === undefined ? null : 'succeeded');
  const isFact = best === undefined && settled === null && success !== undefined;
  layout.lateSuccesses.push(...twins, ...(success === undefined || isFact ? [] : [success]));
  if (done === 'succeeded' && has(layout.failed, index)) layout.markDone(index, 'failed'); // upstream's sets may share it
  if (best !== undefined && done !== null) layout.markDone(index, done);
  putIndex(layout, spec, index, settled, pods);

  const judged = layout.facts.at(-1)?.index === index ? carrier : undefined;
  layout.bystanders.push(...failures.filter((pod) => pod !== judged || success !== undefined));
  const onBoard = best ?? (done === null ? terminating : undefined);
  return alive.filter((pod) => pod !== onBoard);
}

/** How an index has ended, if the status already says so. */
type Settled = 'succeeded' | 'failed';

type IndexPods = {
  readonly failures: readonly DumpedPod[];
  readonly alive: readonly DumpedPod[];
  /** The active Pod that would be deleted last. */
  readonly best: DumpedPod | undefined;
  /** A success that is not counted yet, and any others of the same index. */
  readonly success: DumpedPod | undefined;
  readonly twins: readonly DumpedPod[];
  /** A Pod that is being deleted and keeps its place until it has ended. */
  readonly terminating: DumpedPod | undefined;
  /** The failed Pod that carries the counts of its index. */
  readonly carrier: DumpedPod | undefined;
};

function podsOfIndex(layout: Layout, spec: JobSpec, own: readonly DumpedPod[]): IndexPods {
  const fresh = own.filter((pod) => layout.fresh.has(pod));
  const failures = fresh.filter((pod) => hasFailed(spec, pod));
  const alive = own.filter((pod) => !isTerminal(pod) && !failures.includes(pod));
  const [success, ...twins] = fresh.filter(({ phase }) => phase === 'Succeeded');
  const terminating = waitsForEnd(spec) ? alive.find(isTerminating) : undefined;
  const carrier = lastFailed(
    own.filter((pod) => failures.includes(pod) || (layout.noted.has(pod) && hasFailed(spec, pod))),
  );
  return { failures, alive, best: layout.bestOf(own), success, twins, terminating, carrier };
}

/**
 * The slot of an index: an active Pod first, then how it has ended, then what must be judged, then what remains of a failure.
 */
function putIndex(
  layout: Layout,
  spec: JobSpec,
  index: number,
  settled: Settled | null,
  { best, success, terminating, carrier }: IndexPods,
): void {
  if (best !== undefined) return layout.putActive(best, index);
  if (settled !== null) layout.put({ ...FRESH, state: settled, attempt: 1 }, index);
  else if (success !== undefined) layout.putEnded(success, index);
  else if (terminating !== undefined) layout.putTerminating(terminating, true, index);
  else if (carrier !== undefined && layout.fresh.has(carrier)) layout.putEnded(carrier, index);
  else {
    const countsAlone = carrier !== undefined && spec.backoffLimitPerIndex !== null;
    layout.put(countsAlone ? afterFailure(spec, carrier) : FRESH, index);
  }
}

/** An index whose last failure is already counted, while its Pod still carries the counts. */
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
