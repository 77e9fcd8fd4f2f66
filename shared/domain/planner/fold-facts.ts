import type { TaskArn } from '../base/ids.ts';
import type { Backoff } from '../scoreboard/backoff.ts';
import type { WorkingBoard } from '../scoreboard/working-board.ts';
import { LOST, NO_TIMES } from './ending.ts';
import { type AttemptId, type Fact, type FactOf, inOrder, isSameAttempt } from '../base/fact.ts';
import { type IndexRecord, hasPod, isActive } from '../scoreboard/index-record.ts';
import { unreachable } from '../base/invariant.ts';
import { isOutOfRange } from '../manifests/job.ts';
import type { PolicyVerdict } from './decide-phase.ts';
import { Ledger } from './ledger.ts';
import type { Pass } from './pass.ts';
import type { PassCounts, EndedAttempt } from './plan.ts';
import { deletionOf } from './pod-replacement.ts';
import { lateBefore } from '../scoreboard/deadlines.ts';
import { STOPS_PER_PASS_MAX } from '../base/timing.ts';
import type { EpochMs } from '../base/time.ts';
import { overduePods } from '../scoreboard/start-timeout.ts';
import { type Claim, type ReplacedTask, type Phase, isEnding } from '../scoreboard/status.ts';

/** The result of a batch of facts. */
export type Folded = {
  readonly failed: number;
  readonly ruleHits: readonly number[];
  readonly replacedTasks: readonly ReplacedTask[];
  readonly backoff: Backoff;
  readonly inFlight: readonly Claim[];
  readonly waitReason: string | null;
  readonly ended: readonly EndedAttempt[];
  readonly orphans: readonly TaskArn[];
  /** Attempts whose Pods users have deleted: they must be stopped, and replaced tasks at once. */
  readonly deleted: readonly AttemptId[];
  readonly replaced: readonly TaskArn[];
  /** The reason why a launch will never be accepted; null: there was none. */
  readonly rejected: string | null;
  /** A podFailurePolicy rule that fails the Job matched. */
  readonly failJob: PolicyVerdict | null;
  /** In this batch, the last index that advanced the success policy, and the last that failed: permanently, if any did. */
  readonly lastSucceeded: number | null;
  readonly lastFailed: number | null;
  /** Facts about indexes whose chunk was not loaded. */
  readonly deferred: readonly Fact[];
  readonly counted: PassCounts;
};

/** What the facts are read against. */
export type FoldContext = Pick<Pass, 'job' | 'status' | 'rules' | 'now'>;

/**
 * Applies facts to the board. The board alone decides what a fact means: it counts if it moves the current attempt of its index
 * forward (claimed → launched → running → stopped). Any other fact is already known, or is about a task that should not exist
 * and that is stopped if it may still run.
 */
export function foldFacts(board: WorkingBoard, context: FoldContext, facts: readonly Fact[]): Folded {
  const batch = new Batch(board, context);
  for (const fact of inOrder(facts)) batch.take(fact);
  // After the facts: a Pod that runs by now is not overdue.
  const { job, status, now } = context;
  for (const fact of overduePods(board, job.spec, status.phase, now)) batch.take(fact);
  if (job.spec.managed && status.phase.kind === 'running') batch.endLate();
  return batch.result(facts.length);
}

/** The result of the facts of one batch, applied one after the other. */
class Batch {
  readonly #board: WorkingBoard;
  readonly #context: FoldContext;
  readonly #ledger: Ledger;
  /** Indexes whose claim is answered, and claims that continue under another nonce. */
  readonly #answered = new Set<number>();
  readonly #renonced = new Map<number, Claim>();
  readonly #orphans: TaskArn[] = [];
  readonly #deleted: AttemptId[] = [];
  readonly #replaced: TaskArn[] = [];
  readonly #deferred: Fact[] = [];
  #replacedTasks: readonly ReplacedTask[];
  #waitReason: string | null;
  #rejected: string | null = null;
  #refused = 0;

  constructor(board: WorkingBoard, context: FoldContext) {
    this.#board = board;
    this.#context = context;
    this.#ledger = new Ledger(board, context);
    this.#replacedTasks = context.status.replacedTasks;
    this.#waitReason = context.status.waitReason;
  }

  take(reported: Fact): void {
    const record = this.#board.record(reported.index);
    if (record === null && reported.index < this.#board.size) this.#deferred.push(reported);
    else if (isEnd(reported) && this.#replacedTasks.some((id) => isSameAttempt(id, reported)))
      this.#endReplacedTask(reported);
    else {
      const fact = record === null ? reported : meant(reported, record);
      if (record !== null && isCurrent(record, fact)) this.#apply(fact, record);
      else if (fact.kind === 'running' && !isPast(record, fact)) this.#orphans.push(fact.taskArn);
    }
  }

  /** Whatever is past a deadline, of itself or its index, as much as one pass can stop. */
  endLate(): void {
    const { job, now } = this.#context;
    const before = lateBefore(job.spec, now);
    for (const index of this.#board.late(STOPS_PER_PASS_MAX, before, Math.floor(now / 1000))) {
      const record = this.#board.record(index);
      if (record === null) continue;
      const { attempt, nonce, state, launchedSec } = record;
      const isIndex = launchedSec !== null && before.launched !== null && launchedSec < before.launched;
      const late = isIndex ? 'index' : 'attempt';
      const id = { index, attempt, nonce };
      if (state === 'pending') this.#ledger.expire({ ...id, at: now });
      else if (state === 'waiting') this.#ledger.deletePod({ ...id, at: now }, { ...record, late });
      else {
        this.#board.apply({ op: isIndex ? 'lateIndex' : 'late', index, attempt });
        this.#deleted.push(id);
      }
    }
  }

  result(facts: number): Folded {
    return {
      ...this.#ledger.result(),
      replacedTasks: this.#replacedTasks,
      inFlight: this.#context.status.inFlight
        .filter((claim) => !this.#answered.has(claim.index))
        .map((claim) => this.#renonced.get(claim.index) ?? claim),
      waitReason: this.#waitReason,
      orphans: this.#orphans,
      deleted: this.#deleted,
      replaced: this.#replaced,
      rejected: this.#rejected,
      deferred: this.#deferred,
      counted: { facts, refused: this.#refused, ...this.#ledger.counted },
    };
  }

  /** A replaced attempt has stopped at last: it was counted when its Pod was deleted. */
  #endReplacedTask(fact: Fact): void {
    this.#replacedTasks = this.#replacedTasks.filter((id) => !isSameAttempt(id, fact));
    if (fact.kind === 'stopped') this.#ledger.noteReplaced(fact);
    const { index, attempt } = fact;
    if (this.#board.record(index) !== null) this.#board.apply({ op: 'removed', index, attempt });
  }

  /** A fact about the current attempt of its index. */
  #apply(fact: Fact, record: IndexRecord): void {
    switch (fact.kind) {
      case 'launched':
        return this.#launched(fact, record);
      case 'running':
        return this.#running(fact, record);
      case 'refused':
        return this.#refuse(fact, record);
      case 'rejected':
        return this.#reject(fact, record);
      case 'cancelled':
        return this.#cancel(fact, record);
      case 'deleted':
        return this.#delete(fact, record);
      case 'stopped':
        return this.#stop(fact, record);
      default:
        return unreachable(fact);
    }
  }

  #launched({ index, attempt }: Fact, { state }: IndexRecord): void {
    if (state === 'claimed') this.#board.apply({ op: 'launched', index, attempt });
    this.#answered.add(index);
    this.#waitReason = null;
  }

  #running({ index, attempt, at }: FactOf<'running'>, { state, ranSec }: IndexRecord): void {
    const since = this.#ranSince(ranSec, at);
    if (state === 'claimed' || state === 'launched') this.#board.apply({ op: 'running', index, attempt, ...since });
    this.#answered.add(index);
  }

  /** What has to be recorded of a task that started at `at`: the Pod's deadline counts from its first. */
  #ranSince(known: number | null, at: EpochMs | null): { readonly ranSec?: number } {
    const { podDeadlineSec, barePod } = this.#context.job.spec;
    const isTimed = (podDeadlineSec !== null || barePod) && known === null && at !== null;
    return isTimed ? { ranSec: Math.floor(at / 1000) } : {};
  }

  #refuse({ index, attempt, nonce, reason, retryAt }: FactOf<'refused'>, { state }: IndexRecord): void {
    if (state !== 'claimed') return;
    this.#board.apply({ op: 'renonce', index, attempt });
    this.#renonced.set(index, { index, attempt, nonce: nonce + 1, dueAt: retryAt });
    this.#waitReason = reason;
    this.#refused++;
  }

  #reject({ index, attempt, reason }: FactOf<'rejected'>, { state }: IndexRecord): void {
    if (state !== 'claimed') return;
    this.#board.apply({ op: 'released', index, attempt });
    this.#answered.add(index);
    this.#rejected = reason;
  }

  #cancel(fact: FactOf<'cancelled'>, record: IndexRecord): void {
    if (record.state !== 'claimed') return;
    const { job, status } = this.#context;
    const { index, attempt, nonce, at } = fact;
    this.#board.apply({ op: 'renonce', index, attempt }); // if its task appears anyway, it is an orphan
    // What ends while all of a gang are stopped costs no try, as in `judge`.
    const isFree = isOutOfRange(job.spec, index) || status.phase.kind === 'regrouping';
    // Refused without our knowing: one attempt is all that a bare Pod has, so this one is launched again.
    const goesOn = job.spec.barePod && !isEnding(status.phase) && !record.stopping;
    if (isFree) this.#board.apply({ op: 'released', index, attempt });
    else if (isFailing(status.phase)) this.#ledger.fail(fact, record);
    else if (record.podDeleted || record.late !== null) this.#ledger.deletePod(fact, record);
    else if (goesOn) return void this.#renonced.set(index, { index, attempt, nonce: nonce + 1, dueAt: at });
    else this.#board.apply({ op: 'released', index, attempt });
    this.#answered.add(index);
  }

  #delete(fact: FactOf<'deleted'>, record: IndexRecord): void {
    const { index, attempt, at, launchedAt: since = at } = fact;
    const { nonce } = record;
    const { job, status } = this.#context;
    const evicted = fact.evicted === true;
    const overdue = fact.overdue === true;
    const deletion = deletionOf(fact, record, {
      spec: job.spec,
      phase: status.phase,
      replacedTasks: this.#replacedTasks.length,
    });
    switch (deletion.kind) {
      case 'stopping':
        return;
      case 'released':
        return this.#board.apply({ op: 'released', index, attempt });
      case 'ended':
        return this.#ledger.deletePod(fact, { ...record, podDeleted: true, evicted, overdue });
      case 'replaced':
        this.#replacedTasks = [...this.#replacedTasks, { index, attempt, nonce, taskArn: deletion.taskArn, since }];
        this.#ledger.failOrGiveUp(fact, record);
        this.#board.apply({ op: 'lingers', index, attempt });
        this.#answered.add(index);
        this.#replaced.push(deletion.taskArn);
        return;
      case 'stopped':
        this.#board.apply({ op: overdue ? 'overdue' : evicted ? 'evicted' : 'podDeleted', index, attempt });
        this.#deleted.push({ index, attempt, nonce });
        return;
      default:
        return unreachable(deletion);
    }
  }

  #stop(fact: FactOf<'stopped'>, seen: IndexRecord): void {
    const { index, attempt, times } = fact;
    const record = this.#withStart(fact, seen);
    this.#answered.add(index);
    this.#renonced.delete(index);
    if (times.stoppedAt === null) this.#board.apply({ op: 'renonce', index, attempt }); // nobody has seen it stop
    this.#ledger.close(fact, record);
  }

  /** A Pod that may go on in another task must not forget when its first one ran, although no event has told of that. */
  #withStart({ index, attempt, times }: FactOf<'stopped'>, record: IndexRecord): IndexRecord {
    const since = this.#ranSince(record.ranSec, times.startedAt);
    const goesOn = this.#context.job.spec.restartPolicy === 'OnFailure' && record.state !== 'running';
    if (since.ranSec === undefined || !goesOn) return record;
    this.#board.apply({ op: 'running', index, attempt, ...since });
    return this.#board.record(index) ?? record;
  }
}

const isFailing = (phase: Phase): boolean => phase.kind === 'draining' && phase.verdict.kind === 'failed';

/**
 * Nothing runs, or will run, under a cancelled nonce. If the board knows a task for it anyway, that task was searched for and
 * not found, and the fact that said so was lost.
 */
const meant = (fact: Fact, { state }: IndexRecord): Fact =>
  fact.kind === 'cancelled' && (state === 'launched' || state === 'running')
    ? { ...fact, kind: 'stopped', taskArn: null, ending: LOST, times: NO_TIMES }
    : fact;

/** The fact is about the launch that the board has as active. What users do is about the Pod, with a task or between two. */
const isCurrent = (record: IndexRecord, fact: Fact): boolean =>
  record.attempt === fact.attempt &&
  (fact.kind === 'deleted' ? hasPod(record.state) : isActive(record.state) && record.nonce === fact.nonce);

/** The fact is about a launch that the board has seen stop: a late or repeated event. */
const isPast = (record: IndexRecord | null, fact: Fact): boolean =>
  record?.attempt === fact.attempt && record.nonce === fact.nonce;

/** Nothing runs under this nonce any more. */
const isEnd = ({ kind }: Fact): boolean =>
  kind === 'stopped' || kind === 'cancelled' || kind === 'refused' || kind === 'rejected';
