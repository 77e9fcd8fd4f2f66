import { type Backoff, foldBackoff, lossDelayEndsAt } from './backoff.ts';
import type { EpochMs, TaskArn } from './brand.ts';
import type { Draft } from './draft.ts';
import { LOST, NO_TIMES } from './ending.ts';
import { type Fact, inOrder } from './fact.ts';
import { type IndexRecord, isActive } from './index-record.ts';
import { unreachable } from './invariant.ts';
import type { Counted, EndedAttempt } from './plan.ts';
import { type Claim, type Phase, type Status, isEnding } from './status.ts';

/** What a batch of facts has come to. */
export type Folded = {
  readonly failed: number;
  readonly backoff: Backoff;
  readonly inFlight: readonly Claim[];
  readonly waitReason: string | null;
  readonly ended: readonly EndedAttempt[];
  readonly ghosts: readonly TaskArn[];
  /** A launch that will never be accepted, in words; null: there was none. */
  readonly rejected: string | null;
  /** Facts about indexes whose chunk was not at hand. */
  readonly deferred: readonly Fact[];
  readonly counted: Counted;
};

/**
 * Takes facts into the draft. The board alone decides what a fact is worth: it counts if it moves its attempt forward
 * (claimed → launched → running → stopped) and the attempt is the index's current one; all else has been told before,
 * or is of a task that should not be, which is stopped if it may still run.
 */
export function foldFacts(draft: Draft, status: Status, facts: readonly Fact[]): Folded {
  const answered = new Set<number>();
  const renonced = new Map<number, Claim>();
  const failedAt: EpochMs[] = [];
  const succeededAt: EpochMs[] = [];
  const ended: EndedAttempt[] = [];
  const ghosts: TaskArn[] = [];
  const deferred: Fact[] = [];
  const counted = { facts: facts.length, succeeded: 0, failed: 0, lost: 0, refused: 0 };
  let waitReason = status.waitReason;
  let rejected: string | null = null;

  for (const told of inOrder(facts)) {
    const { index, attempt, nonce } = told;
    const record = draft.record(index);
    if (record === null && index < draft.size) {
      deferred.push(told);
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
        if (record.state !== 'running') draft.apply({ op: 'running', index, attempt });
        answered.add(index);
        break;
      case 'refused':
        if (record.state !== 'claimed') break;
        draft.apply({ op: 'renonce', index, attempt });
        renonced.set(index, { index, attempt, nonce: nonce + 1, dueAt: fact.retryAt });
        waitReason = fact.reason;
        counted.refused++;
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
        draft.apply({ op: 'released', index, attempt });
        answered.add(index);
        break;
      case 'stopped': {
        answered.add(index);
        renonced.delete(index);
        ended.push({ index, attempt, nonce, taskArn: fact.taskArn, ending: fact.ending, times: fact.times });
        if (fact.times.stoppedAt === null) draft.apply({ op: 'renonce', index, attempt }); // nobody has seen it stop
        const op = judge(record, fact.ending.cause, status.phase);
        if (op === 'succeeded') {
          draft.apply({ op, index, attempt });
          succeededAt.push(fact.at);
          counted.succeeded++;
        } else if (op === 'failed') {
          draft.apply({ op, index, attempt });
          failedAt.push(fact.at);
          counted.failed++;
        } else if (op === 'released') {
          draft.apply({ op, index, attempt });
        } else {
          const losses = record.infra + record.spot;
          draft.apply({ op, index, attempt, notBefore: lossDelayEndsAt(losses, fact.at) });
          counted.lost++;
        }
        break;
      }
      default:
        return unreachable(fact);
    }
  }
  return {
    failed: status.failed + counted.failed,
    backoff: foldBackoff(status.backoff, failedAt, succeededAt),
    inFlight: status.inFlight
      .filter((claim) => !answered.has(claim.index))
      .map((claim) => renonced.get(claim.index) ?? claim),
    waitReason,
    ended,
    ghosts,
    rejected,
    deferred,
    counted,
  };
}

/**
 * Nothing runs, or will run, under a nonce that is cancelled. Where the board knows of a task all the same, that task was
 * looked for and found nowhere, and the fact that said so was lost.
 */
const meant = (fact: Fact, { state }: IndexRecord): Fact =>
  fact.kind === 'cancelled' && (state === 'launched' || state === 'running')
    ? { ...fact, kind: 'stopped', taskArn: null, ending: LOST, times: NO_TIMES }
    : fact;

/** The fact is about the very launch that the board holds active. */
const isCurrent = (record: IndexRecord, fact: Fact): boolean =>
  isActive(record.state) && record.attempt === fact.attempt && record.nonce === fact.nonce;

/** The fact is about a launch that the board has seen stop: an event that comes late, or twice. */
const isPast = (record: IndexRecord | null, fact: Fact): boolean =>
  record?.attempt === fact.attempt && record.nonce === fact.nonce;

type Judgement = 'succeeded' | 'failed' | 'released' | 'lost' | 'lostToSpot';

/** What the end of an attempt counts as: by what ended it first, by what the board wanted second, by the exit code last. */
function judge(
  record: IndexRecord,
  cause: Extract<Fact, { kind: 'stopped' }>['ending']['cause'],
  phase: Phase,
): Judgement {
  const unwanted = record.stopping || isEnding(phase);
  // What still ran when the Job failed counts as failed (kubernetes-job.md 6.4); what a suspend, a scale-down, a delete
  // or a success ended counts as nothing.
  const failing = phase.kind === 'draining' && phase.verdict.kind === 'failed';
  switch (cause) {
    case 'Completed':
      return 'succeeded';
    case 'Error':
    case 'OOMKilled':
      return 'failed';
    case 'Stopped':
      return failing || !unwanted ? 'failed' : 'released';
    case 'Spot':
      return failing ? 'failed' : unwanted ? 'released' : 'lostToSpot';
    case 'Infrastructure':
    case 'StartFailed':
      return failing ? 'failed' : unwanted ? 'released' : 'lost';
    default:
      return unreachable(cause);
  }
}
