import { type Phase, type Status, shownReason } from '../../../shared/domain/scoreboard/status.ts';
import type { Transition } from '../../../shared/domain/scoreboard/transition.ts';
import type { JobSpec } from '../../../shared/domain/manifests/job.ts';
import type { Forbid } from './law.ts';
import type { Sights } from './sights.ts';
import { type Evidence, reasonsToFail, reasonsToSucceed } from './verdicts.ts';

// Whether a Job is judged when, and only when, there is reason to, and whether its judgement stays.

const waitsForOthers = ({ after, afterIndexes }: JobSpec): boolean => after.length + afterIndexes.length > 0;

type Reasons = {
  /** Restarts go up and down within a pass: the most that they came to may have decided, what is left must have. */
  readonly mayFail: readonly string[];
  readonly toFail: readonly string[];
  readonly toSucceed: readonly string[];
  /** Of these, what need not wait for Pods. */
  readonly done: readonly string[];
  readonly isKilled: boolean;
};

function reasonsOf(evidence: Evidence, releases: boolean): Reasons {
  const toSucceed = reasonsToSucceed(evidence);
  // A work queue waits until it is empty. Pods between two tasks that this very pass has given up were there when it decided; the next one will see.
  const empty = podsOf(evidence) === 0 && !releases;
  const queue = evidence.spec.completions === null;
  const { killAt } = evidence.spec;
  return {
    // Whether other Jobs give a reason, or a gang, is looked at elsewhere; a pass may have read them before they did.
    mayFail: [
      ...reasonsToFail(evidence),
      ...(waitsForOthers(evidence.spec) ? ['DependencyFailed'] : []),
      ...(evidence.spec.gang === null ? [] : ['GangTimeout']),
    ],
    toFail: reasonsToFail({ ...evidence, restarts: evidence.board.restarts }),
    toSucceed,
    done: toSucceed.filter((reason) => reason === 'SuccessPolicy' || !queue || empty),
    isKilled: killAt !== null && evidence.now >= killAt,
  };
}

const podsOf = ({ board: { counts } }: Evidence): number => counts.starting + counts.running + counts.waiting;

/** A verdict is given when, and only when, there is reason to; failure beats success, unless the Job wants it otherwise. */
export function checkVerdict(
  before: Status,
  evidence: Evidence,
  status: Status,
  releases: boolean,
  forbid: Forbid,
): void {
  const [from, to] = [before.phase, status.phase];
  if (from.kind !== 'running' && from.kind !== 'regrouping' && from.kind !== 'suspended') return;
  const reasons = reasonsOf(evidence, releases);
  const isMet = before.achieved !== null || status.achieved !== null || endsByPolicy(to);
  if (evidence.spec.whenAchieved !== 'Terminate' && isMet)
    return checkAchieved(before, evidence, status, reasons, releases, forbid);
  const { mayFail, toFail, toSucceed, done, isKilled } = reasons;
  const { successFirst } = evidence.spec;
  if (to.kind === 'draining' || to.kind === 'finished') {
    const { kind, reason } = to.verdict;
    if (reason === 'Killed') {
      forbid(!isKilled, 'G20', () => 'killed before its time');
      forbid(toFail.length + done.length > 0, 'G20', () => `killed, but there is ${[...toFail, ...done].join(', ')}`);
      return;
    }
    forbid(
      !(kind === 'failed' ? mayFail : toSucceed).includes(reason),
      'G6',
      () => `${kind} (${reason}) without reason`,
    );
    const isBeaten = kind === 'complete' && toFail.length > 0 && !successFirst;
    forbid(isBeaten, 'G6', () => `complete, but there is ${toFail.join(', ')}`);
    const isHasty = kind === 'failed' && successFirst && done.length > 0;
    forbid(isHasty, 'G20', () => `${reason}, but success comes first, and there is ${done.join(', ')}`);
  } else if (to.kind === 'running' || to.kind === 'regrouping' || to.kind === 'suspended') {
    forbid(toFail.length > 0, 'G8', () => `${to.kind}, but there is ${toFail.join(', ')}`);
    forbid(isKilled, 'G20', () => `${to.kind}, but its kill time has come`);
    forbid(done.length > 0, 'G8', () => `${to.kind}, but there is ${done.join(', ')}`);
  }
}

const endsByPolicy = (phase: Phase): boolean => 'verdict' in phase && phase.verdict.reason === 'SuccessPolicy';

/** Of a Job whose Pods go on: it succeeds with reason, stays so, and ends when its Pods have, or its time is up. */
function checkAchieved(
  before: Status,
  evidence: Evidence,
  status: Status,
  { mayFail, toFail, toSucceed, done, isKilled }: Reasons,
  releases: boolean,
  forbid: Forbid,
): void {
  const to = status.phase;
  if (before.achieved === null) {
    const { successFirst } = evidence.spec;
    forbid(!toSucceed.includes('SuccessPolicy'), 'G20', () => 'its success criteria are met without reason');
    const isBeaten = toFail.length > 0 && !successFirst;
    forbid(isBeaten, 'G6', () => `its success criteria are met, but there is ${toFail.join(', ')}`);
  }
  const isIdle = podsOf(evidence) + status.inFlight.length + status.replacedTasks.length === 0;
  const goesAlone = evidence.spec.whenAchieved === 'Continue';
  const isOver = (failures: readonly string[], successes: readonly string[]): boolean =>
    isKilled ||
    failures.includes('DeadlineExceeded') ||
    (goesAlone ? isIdle : failures.length > 0 || successes.includes('CompletionsReached'));
  if ('verdict' in to) forbid(!isOver(mayFail, toSucceed), 'G20', () => `${to.kind}, although its Pods were to go on`);
  else
    forbid(isOver(toFail, done) && !releases, 'G8', () => `${to.kind}, although it has succeeded and nothing goes on`);
}

/** What fails in such a Job is not tried again: it makes no new Pod. */
export const isLastTry = ({ achieved }: Pick<Status, 'achieved'>, { whenAchieved }: JobSpec): boolean =>
  achieved !== null && whenAchieved === 'Continue';

/** What has succeeded stays so, whatever fails; and where Pods go on without others, no other is made. */
export function checkGoingOn(
  before: Status,
  { status, spec, sights }: { readonly status: Status; readonly spec: JobSpec; readonly sights: Sights },
  fresh: readonly Transition[],
  forbid: Forbid,
): void {
  const made = fresh.find(({ op }) => op === 'claim' || (op === 'restart' && before.achieved !== null));
  forbid(
    made !== undefined && isLastTry(status, spec),
    'G20',
    () => `${made?.op} ${made?.index}/${made?.attempt} after success, where nothing is to start`,
  );
  const { phase } = status;
  if (before.achieved === null) return sights.see(...(status.achieved === null ? [] : ['achieved']));
  if (fresh.some(({ op }) => op === 'failed' || op === 'failedForGood')) sights.see('failed after success');
  const [was, is] = [before.achieved, 'verdict' in phase ? phase : status.achieved];
  forbid(
    is === null || is.since !== was.since || shownReason(is.verdict) !== shownReason(was.verdict),
    'G6',
    () => `a Job that has succeeded is ${phase.kind}${'verdict' in phase ? ` (${phase.verdict.reason})` : ''}`,
  );
}
