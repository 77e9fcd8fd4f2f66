import {
  type Backoff,
  foldBackoff,
  indexBackoffEndsAt,
  lossDelayEndsAt,
  restartDelayEndsAt,
  startDelayEndsAt,
} from './backoff.ts';
import type { EpochMs, TaskArn } from './brand.ts';
import type { Draft } from './draft.ts';
import { EVICTED, LOST, NO_TIMES } from './ending.ts';
import { type AttemptId, type Fact, inOrder } from './fact.ts';
import { FRESH, type IndexRecord, hasPod, isActive } from './index-record.ts';
import { unreachable } from './invariant.ts';
import { type Job, type SuccessRule, isOutOfRange } from './job.ts';
import { type Judged, hasSpentLimit, judge, podOf } from './judge.ts';
import type { Counted, EndedAttempt } from './plan.ts';
import { type FailedPod, failJobMessage } from './pod-failure-policy.ts';
import { podName } from './pod-name.ts';
import { type Claim, type Lingering, type Phase, type Status, isEnding } from './status.ts';
import { countHit } from './success-policy.ts';
import { LINGERING_MAX } from './timing.ts';

/** What a batch of facts has come to. */
export type Folded = {
  readonly failed: number;
  readonly ruleHits: readonly number[];
  readonly lingering: readonly Lingering[];
  readonly backoff: Backoff;
  readonly inFlight: readonly Claim[];
  readonly waitReason: string | null;
  readonly ended: readonly EndedAttempt[];
  readonly ghosts: readonly TaskArn[];
  /** Attempts whose Pods users have deleted: they are to be stopped, and tasks that were replaced at once. */
  readonly deleted: readonly AttemptId[];
  readonly replaced: readonly TaskArn[];
  /** A launch that will never be accepted, in words; null: there was none. */
  readonly rejected: string | null;
  /** A podFailurePolicy rule that fails the Job was met. */
  readonly failJob: { readonly message: string; readonly index: number } | null;
  /** The last index, in this batch, that brought the success policy nearer, and the last that failed: for good, if one did. */
  readonly lastSucceeded: number | null;
  readonly lastFailed: number | null;
  /** Facts about indexes whose chunk was not at hand. */
  readonly deferred: readonly Fact[];
  readonly counted: Counted;
};

/** What the facts are read against; of what only a cluster's dump shows see plan-job.ts. */
export type FoldContext = {
  readonly job: Job;
  readonly status: Status;
  readonly podOfIndex: ReadonlyMap<number, FailedPod>;
  readonly failedAt: readonly EpochMs[];
  readonly succeededAt: readonly EpochMs[];
  readonly failJob: Folded['failJob'];
};

/**
 * Takes facts into the draft. The board alone decides what a fact is worth: it counts if it moves its attempt forward
 * (claimed → launched → running → stopped) and the attempt is the index's current one; all else has been told before,
 * or is of a task that should not be, which is stopped if it may still run.
 */
export function foldFacts(draft: Draft, context: FoldContext, facts: readonly Fact[]): Folded {
  const { job, status } = context;
  const ledger = new Ledger(draft, context);
  const answered = new Set<number>();
  const renonced = new Map<number, Claim>();
  const ghosts: TaskArn[] = [];
  const deleted: AttemptId[] = [];
  const replaced: TaskArn[] = [];
  const deferred: Fact[] = [];
  let { waitReason, lingering } = status;
  let refused = 0;
  let rejected: string | null = null;
  const failing = isFailing(status.phase);

  for (const told of inOrder(facts)) {
    const { index, attempt, nonce } = told;
    const record = draft.record(index);
    if (record === null && index < draft.size) {
      deferred.push(told);
      continue;
    }
    if (isEnd(told) && lingering.some((id) => isSame(id, told))) {
      lingering = lingering.filter((id) => !isSame(id, told));
      if (told.kind === 'stopped') ledger.note(told, REPLACED, { ...FRESH, podDeleted: true });
      continue;
    }
    const fact = record === null ? told : meant(told, record);
    if (record === null || !isCurrent(record, fact)) {
      if (fact.kind === 'running' && !isPast(record, fact)) ghosts.push(fact.taskArn);
      continue;
    }
    switch (fact.kind) {
      case 'launched':
        if (record.state === 'claimed') draft.apply({ op: 'launched', index, attempt });
        answered.add(index);
        waitReason = null;
        break;
      case 'running':
        if (record.state === 'claimed' || record.state === 'launched') draft.apply({ op: 'running', index, attempt });
        answered.add(index);
        break;
      case 'refused':
        if (record.state !== 'claimed') break;
        draft.apply({ op: 'renonce', index, attempt });
        renonced.set(index, { index, attempt, nonce: nonce + 1, dueAt: fact.retryAt });
        waitReason = fact.reason;
        refused++;
        break;
      case 'rejected':
        if (record.state !== 'claimed') break;
        draft.apply({ op: 'released', index, attempt });
        answered.add(index);
        rejected = fact.reason;
        break;
      case 'cancelled':
        if (record.state !== 'claimed') break;
        draft.apply({ op: 'renonce', index, attempt }); // should its task appear all the same, it is a stranger
        if (failing && !isOutOfRange(job.spec, index)) ledger.fail(fact, record);
        else if (record.podDeleted && !isOutOfRange(job.spec, index)) ledger.deletePod(fact, record);
        else draft.apply({ op: 'released', index, attempt });
        answered.add(index);
        break;
      case 'deleted':
        if (isEnding(status.phase) || record.podDeleted || record.stopping) break; // it is being stopped already
        if (record.state === 'waiting') {
          if (isOutOfRange(job.spec, index)) draft.apply({ op: 'released', index, attempt });
          else ledger.deletePod(fact, { ...record, podDeleted: true, evicted: fact.evicted === true });
        } else if (
          replacesAtOnce(job) &&
          !isOutOfRange(job.spec, index) &&
          nonce === record.nonce && // the task that the user saw is the attempt's (restartPolicy OnFailure makes more)
          fact.taskArn !== null &&
          record.state !== 'claimed' &&
          lingering.length < LINGERING_MAX
        ) {
          lingering = [...lingering, { index, attempt, nonce: record.nonce, taskArn: fact.taskArn, since: fact.at }];
          ledger.failOrGiveUp(fact, { ...record, podDeleted: true });
          answered.add(index);
          replaced.push(fact.taskArn);
        } else {
          draft.apply({ op: fact.evicted === true ? 'evicted' : 'podDeleted', index, attempt });
          deleted.push({ index, attempt, nonce: record.nonce });
        }
        break;
      case 'stopped':
        answered.add(index);
        renonced.delete(index);
        if (fact.times.stoppedAt === null) draft.apply({ op: 'renonce', index, attempt }); // nobody has seen it stop
        ledger.close(fact, record);
        break;
      default:
        return unreachable(fact);
    }
  }
  return {
    ...ledger.result(),
    lingering,
    inFlight: status.inFlight
      .filter((claim) => !answered.has(claim.index))
      .map((claim) => renonced.get(claim.index) ?? claim),
    waitReason,
    ghosts,
    deleted,
    replaced,
    rejected,
    deferred,
    counted: { facts: facts.length, refused, ...ledger.counted },
  };
}

type Stopped = Extract<Fact, { kind: 'stopped' }>;
type Failed = { readonly index: number; readonly attempt: number; readonly at: EpochMs };

const REPLACED: Judged = { as: 'failed', because: 'its Pod was deleted, and replaced at once', match: null };

/** What one batch adds to the Job's counts. */
class Ledger {
  readonly counted = { succeeded: 0, failed: 0, ignored: 0, lost: 0, failedIndexes: 0, policyActions: noActions() };
  readonly #draft: Draft;
  readonly #context: FoldContext;
  readonly #ended: EndedAttempt[] = [];
  readonly #failedAt: EpochMs[];
  readonly #succeededAt: EpochMs[];
  #ruleHits: readonly number[];
  #failJob: Folded['failJob'];
  #lastSucceeded: number | null = null;
  #lastFailed: number | null = null;
  #lastGivenUp: number | null = null;

  constructor(draft: Draft, context: FoldContext) {
    this.#draft = draft;
    this.#context = context;
    this.#failedAt = [...context.failedAt];
    this.#succeededAt = [...context.succeededAt];
    this.#failJob = context.failJob;
    this.#ruleHits = context.status.ruleHits;
  }

  /** An attempt has ended: judges it and writes the judgement on the board. */
  close(fact: Stopped, record: IndexRecord): void {
    const { job, status, podOfIndex } = this.#context;
    const { index, attempt, ending, at } = fact;
    const gone = this.#goneWith(record);
    const judged = judge({
      spec: job.spec,
      phase: status.phase,
      record,
      ending,
      pod: podOfIndex.get(index) ?? podOf(ending, record),
      at,
      outOfRange: isOutOfRange(job.spec, index),
    });
    this.note(fact, judged, record);
    const { match } = judged;
    if (match !== null) {
      this.counted.policyActions[match.action]++;
      if (match.action === 'FailJob') {
        const pod = `${job.namespace}/${podName({ ...job, completionMode: job.spec.completionMode }, index, attempt)}`;
        this.#failJob ??= { message: failJobMessage(match, pod), index };
      }
    }
    switch (judged.as) {
      case 'succeeded':
        this.#draft.apply({ op: 'succeeded', index, attempt, ...gone });
        this.#succeededAt.push(at);
        this.counted.succeeded++;
        this.#hit(job.spec.successPolicy ?? [], index);
        break;
      case 'failed':
        this.fail(fact, record);
        break;
      case 'failedForGood':
        this.#failForGood(fact, record);
        break;
      case 'ignored':
        this.#draft.apply({ op: 'ignored', index, attempt, notBefore: this.#indexBackoff(record, at), ...gone });
        this.#failedAt.push(at);
        this.counted.ignored++;
        break;
      case 'restarted':
        // Whoever waits has a moment to wait for, so that he is found: the first time it has come already.
        this.#draft.apply({ op: 'restart', index, attempt, notBefore: restartDelayEndsAt(record.restarts, at) ?? at });
        this.#lastFailed = index;
        break;
      case 'unstarted': {
        const since = ending.cause === 'StartFailed' ? at : null;
        const notBefore = startDelayEndsAt(record.nonce + 1, at);
        this.#draft.apply({ op: 'unstarted', index, attempt, notBefore, since });
        break;
      }
      case 'lost':
      case 'lostToSpot':
        this.#draft.apply({
          op: judged.as,
          index,
          attempt,
          notBefore: lossDelayEndsAt(record.infra + record.spot, at),
          ...gone,
        });
        this.counted.lost++;
        break;
      case 'released':
        this.#draft.apply({ op: 'released', index, attempt });
        break;
      default:
        unreachable(judged.as);
    }
  }

  /** A Pod without a task was deleted: it counts as failed, unless it was evicted and a policy says otherwise. */
  deletePod(fact: Fact & Failed, record: IndexRecord): void {
    if (!record.evicted) this.failOrGiveUp(fact, record);
    else this.close({ ...fact, kind: 'stopped', taskArn: null, ending: EVICTED, times: NO_TIMES }, record);
  }

  /** The attempt counts as failed; its index has had its last one, or is tried again. */
  failOrGiveUp(fact: Failed, record: IndexRecord): void {
    if (hasSpentLimit(this.#context.job.spec, record)) this.#failForGood(fact, record);
    else this.fail(fact, record);
  }

  /** The attempt counts as failed, and its index may be tried again. */
  fail({ index, attempt, at }: Failed, record: IndexRecord): void {
    const notBefore = this.#indexBackoff(record, at);
    this.#draft.apply({ op: 'failed', index, attempt, notBefore, ...this.#goneWith(record) });
    this.#countFailure(index, at);
  }

  note(fact: Stopped, { as, because }: Judged, record: IndexRecord): void {
    const { index, attempt, nonce, taskArn, ending, times } = fact;
    const { failures, ignored, restarts } = record;
    const judgement = { as, because: because.slice(0, BECAUSE_MAX_CHARS) };
    const counts = { failures, ignored, restarts };
    this.#ended.push({
      index,
      attempt,
      nonce,
      taskArn,
      ending,
      times,
      judgement,
      ...counts,
      ...this.#goneWith(record),
    });
  }

  result() {
    const { status } = this.#context;
    return {
      failed: status.failed + this.counted.failed,
      backoff: foldBackoff(status.backoff, this.#failedAt, this.#succeededAt),
      ruleHits: this.#ruleHits,
      ended: this.#ended,
      failJob: this.#failJob,
      lastSucceeded: this.#lastSucceeded,
      lastFailed: this.#lastGivenUp ?? this.#lastFailed,
    };
  }

  #hit(rules: readonly SuccessRule[], index: number): void {
    const hits = countHit(rules, this.#ruleHits, index);
    const isListed = hits.some((count, i) => count !== (this.#ruleHits[i] ?? 0));
    const isCounted = rules.some(({ indexes }) => indexes === null);
    if (isListed || isCounted || rules.length === 0) this.#lastSucceeded = index;
    this.#ruleHits = hits;
  }

  #failForGood({ index, attempt, at }: Failed, record: IndexRecord): void {
    this.#lastGivenUp = index;
    this.#draft.apply({ op: 'failedForGood', index, attempt, ...this.#goneWith(record) });
    this.#countFailure(index, at);
    this.counted.failedIndexes++;
  }

  #countFailure(index: number, at: EpochMs): void {
    this.#failedAt.push(at);
    this.#lastFailed = index;
    this.counted.failed++;
  }

  /** A Pod that users have seen being deleted goes when it ends, whatever its end counts as. */
  #goneWith({ stopping, podDeleted }: IndexRecord): { readonly gone?: true } {
    return isEnding(this.#context.status.phase) || stopping || podDeleted ? { gone: true } : {};
  }

  /** null where the Job as a whole is in back-off, not each of its indexes. */
  #indexBackoff({ failures, ignored }: IndexRecord, at: EpochMs): EpochMs | null {
    const perIndex = this.#context.job.spec.backoffLimitPerIndex !== null;
    return perIndex ? indexBackoffEndsAt(failures + ignored + 1, at) : null;
  }
}

/** Records of attempts stay below 1 KB. */
const BECAUSE_MAX_CHARS = 200;

const noActions = () => ({ FailJob: 0, FailIndex: 0, Ignore: 0, Count: 0 });

/** podReplacementPolicy TerminatingOrFailed: a Pod that is being deleted has failed (kubernetes-job.md 3, step 8). */
const replacesAtOnce = ({ spec }: Job): boolean =>
  spec.podReplacementPolicy === 'TerminatingOrFailed' && spec.podFailurePolicy === null;

const isFailing = (phase: Phase): boolean => phase.kind === 'draining' && phase.verdict.kind === 'failed';

/**
 * Nothing runs, or will run, under a nonce that is cancelled. Where the board knows of a task all the same, that task was
 * looked for and found nowhere, and the fact that said so was lost.
 */
const meant = (fact: Fact, { state }: IndexRecord): Fact =>
  fact.kind === 'cancelled' && (state === 'launched' || state === 'running')
    ? { ...fact, kind: 'stopped', taskArn: null, ending: LOST, times: NO_TIMES }
    : fact;

/** The fact is about the very launch that the board holds active; what users do is about the Pod, with a task or between two. */
const isCurrent = (record: IndexRecord, fact: Fact): boolean =>
  record.attempt === fact.attempt &&
  (fact.kind === 'deleted' ? hasPod(record.state) : isActive(record.state) && record.nonce === fact.nonce);

/** The fact is about a launch that the board has seen stop: an event that comes late, or twice. */
const isPast = (record: IndexRecord | null, fact: Fact): boolean =>
  record?.attempt === fact.attempt && record.nonce === fact.nonce;

/** Nothing runs under this nonce any more. */
const isEnd = ({ kind }: Fact): boolean =>
  kind === 'stopped' || kind === 'cancelled' || kind === 'refused' || kind === 'rejected';

const isSame = (a: AttemptId, b: AttemptId): boolean =>
  a.index === b.index && a.attempt === b.attempt && a.nonce === b.nonce;
