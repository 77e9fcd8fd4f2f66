import { type EpochMs, plusMs } from '../../domain/base/time.ts';
import type { AttemptId, Fact } from '../../domain/base/fact.ts';
import { unreachable } from '../../domain/base/invariant.ts';
import { refusedRetryMs } from '../../domain/base/pace.ts';
import type { Run, SlotOutcome, SlotWork, Withdrawal } from '../../domain/scoreboard/launch-row.ts';
import type { Refused, Tasks } from '../../ports/tasks.ts';
import type { Doubt } from './find-launches.ts';

/** What a dispatch message learned about one launch. */
export type Answer =
  /** The board is sent `fact`, and the launch row records `outcome` (null: it already says so). */
  | { readonly kind: 'known'; readonly fact: Fact; readonly outcome: SlotOutcome | null }
  /** Throttled, over the rate, or without an answer: the same call may be repeated. `outcome`: as above. */
  | { readonly kind: 'later'; readonly id: AttemptId; readonly outcome: SlotOutcome | null }
  /** It may have become a task, so Muster searches for one. */
  | { readonly kind: 'doubt'; readonly doubt: Unclear; readonly outcome: SlotOutcome | null };

/** A launch that may have become a task, and what it is if there is none: what RunTask said when it was called again. */
export type Unclear = Doubt & { readonly otherwise: 'lost' | 'cancelled' | Refused };

/** Answers that need no call: the launch row already has them. */
export function answersIn({ launched, cancelled, withdrawn, find, doubted }: SlotWork, at: EpochMs): readonly Answer[] {
  return [
    ...launched.map(({ id, taskArn }) => known({ ...id, kind: 'launched', taskArn, at })),
    ...cancelled.map((id) => known({ ...id, kind: 'cancelled', at })),
    ...withdrawn.map((withdrawal) => known(withdrawnFact(withdrawal, at))),
    ...find.map(({ id, calledAt }) => inDoubt({ id, since: calledAt, otherwise: 'lost' })),
    ...doubted.map(({ id, refusedAt }) => inDoubt({ id, since: refusedAt, otherwise: 'cancelled' })),
  ];
}

/** What the answer to RunTask means for a launch at `at`. `unknown`: the call has no answer, and is repeated under its token. */
export function answerTo(
  run: Pick<Run, 'id' | 'doubtedSince' | 'claim'>,
  answered: Awaited<ReturnType<Tasks['run']>> | { readonly kind: 'unknown' },
  at: EpochMs,
): Answer {
  const { id, doubtedSince } = run;
  switch (answered.kind) {
    case 'launched': {
      const { taskArn, createdAt } = answered;
      return known({ ...id, kind: 'launched', taskArn, at }, { id, kind: 'launched', taskArn, createdAt });
    }
    case 'refused':
      return answered.misconfigured === true && doubtedSince !== null
        ? inDoubt({ id, since: doubtedSince, otherwise: answered }, uncalled(run))
        : known(refusedFact(id, answered.reason, at), { id, kind: 'refused' });
    case 'fatal':
      return known({ ...id, kind: 'rejected', reason: answered.reason, at }, { id, kind: 'closed' });
    case 'later':
      return notCalled(run);
    case 'unknown':
      return later(id);
    default:
      return unreachable(answered);
  }
}

export const known = (fact: Fact, outcome: SlotOutcome | null = null): Answer => ({ kind: 'known', fact, outcome });
export const later = (id: AttemptId): Answer => ({ kind: 'later', id, outcome: null });
/** Nothing was started by this call, and the same may be called again. */
export const notCalled = (run: Pick<Run, 'id' | 'claim'>): Answer => ({
  kind: 'later',
  id: run.id,
  outcome: uncalled(run),
});
export const uncalled = ({ id, claim }: Pick<Run, 'id' | 'claim'>): SlotOutcome => ({ id, kind: 'uncalled', claim });
export const inDoubt = (doubt: Unclear, outcome: SlotOutcome | null = null): Answer => ({
  kind: 'doubt',
  doubt,
  outcome,
});

export const factsOf = (answers: readonly Answer[]): readonly Fact[] =>
  answers.flatMap((answer) => (answer.kind === 'known' ? [answer.fact] : []));
export const outcomesOf = (answers: readonly Answer[]): readonly SlotOutcome[] =>
  answers.flatMap((answer) => (answer.outcome === null ? [] : [answer.outcome]));
export const laterOf = (answers: readonly Answer[]): readonly AttemptId[] =>
  answers.flatMap((answer) => (answer.kind === 'later' ? [answer.id] : []));
export const doubtsOf = (answers: readonly Answer[]): readonly Unclear[] =>
  answers.flatMap((answer) => (answer.kind === 'doubt' ? [answer.doubt] : []));

/** The next nonce of the attempt may be launched after a wait. */
export const refusedFact = (id: AttemptId, reason: string, at: EpochMs): Fact => ({
  ...id,
  kind: 'refused',
  reason,
  retryAt: plusMs(at, refusedRetryMs(id.nonce)),
  at,
});

const withdrawnFact = ({ id, why: { kind, reason } }: Withdrawal, at: EpochMs): Fact =>
  kind === 'fatal' ? { ...id, kind: 'rejected', reason, at } : refusedFact(id, reason, at);
