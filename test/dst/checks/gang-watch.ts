import { type EpochMs, plusMs } from '../../../shared/domain/base/time.ts';
import type { Status } from '../../../shared/domain/scoreboard/status.ts';
import { type Transition, isBesideBoard } from '../../../shared/domain/scoreboard/transition.ts';
import type { JobSpec } from '../../../shared/domain/manifests/job.ts';
import type { Forbid } from './law.ts';
import type { Shadow, ShadowBoard } from './shadow.ts';
import type { Sights } from './sights.ts';

// G23: the indexes of a gang run together. A commit says that all run if, and only if, they do; if they do not in time, all are
// stopped and start again, at no cost to the user, and not more often than the Job says.

/** What the commits so far say of a gang. */
export class Gang {
  /** The claim since which not all have run. */
  since: EpochMs | null = null;
  restarts = 0;
  /** By attempts and nonces: the times that all of them ran. */
  readonly whole = new Set<string>();
  /** The present one; null: not all run. */
  now: string | null = null;
}

type Watched = {
  readonly status: Status;
  readonly spec: JobSpec;
  readonly board: ShadowBoard;
  readonly gang: Gang;
  readonly sights: Sights;
};

/** Looks at a pass; its steps are on the board. */
export function checkGang(
  { status, spec, board, gang, sights }: Watched,
  before: Status,
  fresh: readonly Transition[],
  forbid: Forbid,
): void {
  if (spec.gang === null) return forbid(status.gang !== null, 'G23', () => 'a Job without a gang keeps one');
  const [from, to] = [before.phase, status.phase];
  const members = membersOf(spec, board);
  const late = isLate(gang, spec, members, status.now);
  const begins = to.kind === 'regrouping' && from.kind !== 'regrouping';
  if (begins) {
    gang.restarts++;
    sights.see('gang started again');
    forbid(!late && status.now < (dueOf(gang, spec) ?? Infinity), 'G23', () => 'a gang starts again before its time');
  }
  forbid(gang.restarts > spec.gang.restartsMax, 'G23', () => `a gang starts again ${gang.restarts} times`);
  if (from.kind === 'regrouping') checkUnspent(fresh, forbid);
  const fails = 'verdict' in to && to.verdict.reason === 'GangTimeout' && !('verdict' in from);
  forbid(fails && !late, 'G23', () => 'a gang fails that is not late');
  forbid(fails && gang.restarts < spec.gang.restartsMax, 'G23', () => 'a gang fails that may start again');
  const isBound = status.achieved === null;
  const goesOn = from.kind === 'running' && to.kind === 'running' && isBound && !spec.suspend;
  forbid(goesOn && late, 'G23', () => `a gang is late since ${dueOf(gang, spec)}, and goes on`);
  note(gang, status, members, fresh, to.kind === 'running' && isBound);
  if (gang.now !== null) sights.see('gang whole');
  const says = status.gang;
  forbid(says?.since !== gang.since, 'G23', () => `not all run since ${gang.since}, it says ${says?.since}`);
  forbid(says?.restarts !== gang.restarts, 'G23', () => `${says?.restarts} restarts, there were ${gang.restarts}`);
  forbid(
    (says?.isReady ?? false) !== (gang.now !== null),
    'G23',
    () =>
      `it says that all ${says?.isReady === true ? 'run' : 'do not run'}, but they ${gang.now === null ? 'do not' : 'do'}`,
  );
}

/** When all of a gang must run; null: none waits for the others. */
export const dueOf = ({ since }: Gang, { gang }: JobSpec): EpochMs | null =>
  gang === null || since === null ? null : plusMs(since, gang.timeoutSec * 1000);

/** What ends while all are being stopped has cost nobody an attempt. */
function checkUnspent(fresh: readonly Transition[], forbid: Forbid): void {
  for (const { op, index, attempt } of fresh)
    forbid(
      !isBesideBoard(op) &&
        op !== 'released' &&
        op !== 'succeeded' &&
        op !== 'renonce' &&
        op !== 'claim' &&
        op !== 'relaunch' &&
        !MOVES.has(op),
      'G23',
      () => `${op} ${index}/${attempt}, although all of the gang are being stopped`,
      index,
    );
}
const MOVES: ReadonlySet<Transition['op']> = new Set(['launched', 'running', 'stopping', 'podDeleted', 'evicted']);

const isLate = (gang: Gang, spec: JobSpec, members: readonly Shadow[], now: EpochMs): boolean => {
  const due = dueOf(gang, spec);
  return due !== null && now >= due && !members.every(runsOrIsDone);
};

const runsOrIsDone = ({ state }: Shadow): boolean => state === 'running' || state === 'succeeded';

function membersOf({ completions }: JobSpec, board: ShadowBoard): readonly Shadow[] {
  const { inherited, excluded } = board.unrun;
  return Array.from({ length: completions ?? 0 }, (_, index) => index)
    .filter((index) => !inherited.has(index) && !excluded.has(index))
    .map((index) => board.at(index))
    .filter(({ state }) => state !== 'excluded'); // a user has cancelled it
}

function note(
  gang: Gang,
  { now }: Status,
  members: readonly Shadow[],
  fresh: readonly Transition[],
  isBound: boolean,
): void {
  const hasClaimed = fresh.some(({ op }) => op === 'claim' || op === 'relaunch');
  if (!isBound || members.every(runsOrIsDone)) gang.since = null;
  else gang.since ??= hasClaimed ? now : null;
  const runs = ({ state, stopping, podDeleted }: Shadow): boolean => state === 'running' && !stopping && !podDeleted;
  gang.now = isBound && members.length > 0 && members.every(runs) ? timeOf(members) : null;
  if (gang.now !== null) gang.whole.add(gang.now);
}

const timeOf = (members: readonly Shadow[]): string =>
  `${members.reduce((sum, { attempt }) => sum + attempt, 0)}-${members.reduce((sum, { nonce }) => sum + nonce, 0)}`;
