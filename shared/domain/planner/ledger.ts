import { type EpochMs, later } from '../base/time.ts';
import type { AttemptId, FactOf } from '../base/fact.ts';
import {
  foldBackoff,
  indexBackoffEndsAt,
  lossDelayEndsAt,
  restartDelayEndsAt,
  retryDelayEndsAt,
  startDelayEndsAt,
} from '../scoreboard/backoff.ts';
import type { WorkingBoard } from '../scoreboard/working-board.ts';
import { EVICTED, LATE, NO_TIMES, OVERDUE } from './ending.ts';
import { FRESH, type IndexRecord } from '../scoreboard/index-record.ts';
import { unreachable } from '../base/invariant.ts';
import { isOutOfRange } from '../manifests/job.ts';
import type { SuccessRule } from '../manifests/success-rules.ts';
import type { PolicyVerdict } from './decide-phase.ts';
import { type Judged, hasSpentLimit, judge } from './judge.ts';
import type { Pass } from './pass.ts';
import type { EndedAttempt } from './plan.ts';
import { type PolicyMatch, failJobMessage, failsJob } from '../manifests/pod-failure-policy.ts';
import type { PolicyAction } from '../manifests/manifest.ts';
import { podName } from '../task/pod-name.ts';
import { isEnding } from '../scoreboard/status.ts';
import { countHit, startsNothing } from './success-policy.ts';
import { firstTask } from '../scoreboard/transition.ts';
import { withinBounds } from '../scoreboard/why.ts';

type Context = Pick<Pass, 'job' | 'status' | 'rules'>;
type Ended = { readonly index: number; readonly attempt: number; readonly at: EpochMs };

const REPLACED: Judged = { as: 'failed', why: { kind: 'podReplaced' }, match: null };
const GIVEN_UP: Judged = { as: 'failedForGood', why: { kind: 'podGivenUp' }, match: null };

/** What one batch adds to the Job's counts. */
export class Ledger {
  readonly counted = { succeeded: 0, failed: 0, ignored: 0, lost: 0, failedIndexes: 0, policyActions: noActions() };
  readonly #board: WorkingBoard;
  readonly #context: Context;
  readonly #ended: EndedAttempt[] = [];
  readonly #failedAt: EpochMs[];
  readonly #succeededAt: EpochMs[];
  #ruleHits: readonly number[];
  #failJob: PolicyVerdict | null;
  #lastSucceeded: number | null = null;
  #lastFailed: number | null = null;
  #lastGivenUp: number | null = null;

  constructor(board: WorkingBoard, context: Context) {
    this.#board = board;
    this.#context = context;
    const { succeededAt, failedAt, failJob } = context.rules.besideBoard;
    this.#failedAt = [...failedAt];
    this.#succeededAt = [...succeededAt];
    this.#failJob = failJob;
    this.#ruleHits = context.status.ruleHits;
  }

  /** An attempt has ended: judges it and writes the judgement to the board. */
  close(fact: FactOf<'stopped'>, record: IndexRecord): void {
    const { job, status, rules } = this.#context;
    const { index, ending, times, at } = fact;
    const judged = judge({
      spec: job.spec,
      phase: status.phase,
      record,
      ending,
      pod: rules.podOf(ending, record, index),
      at,
      startedAt: times.startedAt,
      outOfRange: isOutOfRange(job.spec, index),
      isLast: startsNothing(job.spec, status.achieved),
    });
    this.#note(fact, judged, record);
    if (judged.match !== null) this.#noteMatch(fact, judged.match);
    this.#write(fact, judged, record);
  }

  /** A replaced attempt has stopped; it was counted when its Pod was deleted. */
  noteReplaced(fact: FactOf<'stopped'>): void {
    const record = this.#board.record(fact.index);
    const wasLast = record?.state === 'failed' && record.attempt === fact.attempt;
    this.#note(fact, wasLast ? GIVEN_UP : REPLACED, { ...FRESH, podDeleted: true });
  }

  /** A Pod without a task was deleted: it counts as failed, unless it was evicted and a policy says otherwise. */
  deletePod(fact: AttemptId & Ended, record: IndexRecord): void {
    const ending = record.late !== null ? LATE : record.overdue ? OVERDUE : record.evicted ? EVICTED : null;
    if (ending === null) this.failOrGiveUp(fact, record);
    else this.close({ ...fact, kind: 'stopped', taskArn: null, ending, times: NO_TIMES }, record);
  }

  /** The attempt counts as failed; its index has had its last attempt, or is retried. */
  failOrGiveUp(fact: Ended, record: IndexRecord): void {
    if (hasSpentLimit(this.#context.job.spec, record)) this.#failForGood(fact, record);
    else this.fail(fact, record);
  }

  /** The attempt counts as failed, and its index may be retried. */
  fail({ index, attempt, at }: Ended, record: IndexRecord): void {
    const notBefore = this.#indexBackoff(record, at);
    this.#board.apply({ op: 'failed', index, attempt, notBefore, ...this.#goneWith(record) });
    this.#countFailure(index, at);
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

  #note(fact: FactOf<'stopped'>, { as, why }: Judged, record: IndexRecord): void {
    const { index, attempt, nonce, taskArn, ending, times } = fact;
    const { failures, ignored, restarts, podCreatedSec } = record;
    const judgement = { as, why: withinBounds(why) };
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
      ...(podCreatedSec === null ? {} : { podCreatedSec }),
      ...this.#goneWith(record),
    });
  }

  #noteMatch({ index, attempt }: Ended, match: PolicyMatch): void {
    const { job } = this.#context;
    this.counted.policyActions[match.action]++;
    if (!failsJob(match)) return;
    const pod = `${job.namespace}/${podName({ ...job, completionMode: job.spec.completionMode }, index, attempt)}`;
    this.#failJob ??= { message: failJobMessage(match, pod), index };
  }

  #write(fact: FactOf<'stopped'>, { as }: Judged, record: IndexRecord): void {
    const { index, attempt, at } = fact;
    const id = { index, attempt };
    const gone = this.#goneWith(record);
    switch (as) {
      case 'succeeded':
        return this.#succeed(fact, record);
      case 'failed':
        return this.fail(fact, record);
      case 'failedForGood':
        return this.#failForGood(fact, record);
      case 'ignored':
        this.#board.apply({ op: 'ignored', ...id, notBefore: this.#indexBackoff(record, at), ...gone });
        this.#failedAt.push(at);
        this.counted.ignored++;
        return;
      case 'restarted':
        return this.#restart(fact, record);
      case 'unstarted':
        return this.#waitToStart(fact, record);
      case 'lost':
      case 'lostToSpot':
        this.#board.apply({ op: as, ...id, notBefore: this.#lossDelay(record, at), ...gone });
        this.counted.lost++;
        return;
      case 'released':
        return this.#board.apply({ op: 'released', ...id });
      default:
        return unreachable(as);
    }
  }

  #succeed({ index, attempt, at }: Ended, record: IndexRecord): void {
    this.#board.apply({ op: 'succeeded', index, attempt, ...this.#goneWith(record) });
    this.#succeededAt.push(at);
    this.counted.succeeded++;
    this.#hit(this.#context.job.spec.successPolicy ?? [], index);
  }

  /** The same Pod continues in a new task. */
  #restart({ index, attempt, at, times }: FactOf<'stopped'>, record: IndexRecord): void {
    // A waiting Pod always has a due time, so the scan finds it; for the first restart, that time has already come.
    const notBefore = restartDelayEndsAt(record.restarts, at) ?? at;
    this.#board.apply({ op: 'restart', index, attempt, notBefore, ...firstTask(record, times) });
    this.#lastFailed = index;
  }

  /** The same Pod keeps waiting for a task that starts. */
  #waitToStart({ index, attempt, at, times, ending }: FactOf<'stopped'>, record: IndexRecord): void {
    const since = ending.cause === 'StartFailed' ? at : null;
    const notBefore = startDelayEndsAt(record.nonce + 1, at);
    this.#board.apply({ op: 'unstarted', index, attempt, notBefore, since, ...firstTask(record, times) });
  }

  #hit(rules: readonly SuccessRule[], index: number): void {
    const hits = countHit(rules, this.#ruleHits, index);
    const isListed = hits.some((count, i) => count !== (this.#ruleHits[i] ?? 0));
    const isCounted = rules.some(({ indexes }) => indexes === null);
    if (isListed || isCounted || rules.length === 0) this.#lastSucceeded = index;
    this.#ruleHits = hits;
  }

  #failForGood({ index, attempt, at }: Ended, record: IndexRecord): void {
    this.#lastGivenUp = index;
    this.#board.apply({ op: 'failedForGood', index, attempt, ...this.#goneWith(record) });
    this.#countFailure(index, at);
    this.counted.failedIndexes++;
  }

  /** The index's deadline has passed while it had no Pod: nothing fails but the index. */
  expire({ index, attempt }: Ended): void {
    this.#lastGivenUp = index;
    this.#board.apply({ op: 'expire', index, attempt });
    this.counted.failedIndexes++;
  }

  #countFailure(index: number, at: EpochMs): void {
    this.#failedAt.push(at);
    this.#lastFailed = index;
    this.counted.failed++;
  }

  /** A Pod that users have seen being deleted disappears when it ends, whatever its end counts as. */
  #goneWith({ stopping, podDeleted }: IndexRecord): { readonly gone?: true } {
    return isEnding(this.#context.status.phase) || stopping || podDeleted ? { gone: true } : {};
  }

  /** A constant delay holds after every end, so it may be the longer one. */
  #lossDelay({ infra, spot }: IndexRecord, at: EpochMs): EpochMs | null {
    const { retryDelaySec } = this.#context.job.spec;
    const own = lossDelayEndsAt(infra + spot, at);
    const constant = retryDelaySec === null ? null : retryDelayEndsAt(retryDelaySec, at);
    return own === null || constant === null ? (own ?? constant) : later(own, constant);
  }

  /** null if the Job as a whole is in back-off, not each index. */
  #indexBackoff({ failures, ignored }: IndexRecord, at: EpochMs): EpochMs | null {
    const { backoffLimitPerIndex, retryDelaySec } = this.#context.job.spec;
    if (backoffLimitPerIndex === null) return null;
    return retryDelaySec === null
      ? indexBackoffEndsAt(failures + ignored + 1, at)
      : retryDelayEndsAt(retryDelaySec, at);
  }
}

const noActions = (): Record<PolicyAction, number> => ({ FailJob: 0, FailIndex: 0, Ignore: 0, Count: 0 });
