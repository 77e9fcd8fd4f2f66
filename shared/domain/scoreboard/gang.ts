import { type EpochMs, plusMs } from '../base/time.ts';
import { intersect, size } from '../base/index-set.ts';
import type { ChunkSummary } from './board.ts';
import { CHUNK_INDEXES } from './board.ts';
import type { IndexRecord } from './index-record.ts';
import type { GangState, Phase, Tally } from './status.ts';
import { type JobSpec, isOutOfRange } from '../manifests/job.ts';
import { allIndexes } from '../manifests/selection.ts';

// The indexes of a Job may belong together (muster.run/gang): a name says that all of them run. If not all run in time, all are
// stopped and start again. Time counts from the first claim that finds not all of them running: back-off comes before it.

type Gang = Pick<JobSpec, 'gang' | 'completions' | 'completionMode' | 'selection'>;
type Within = Pick<Tally, 'running' | 'stopping' | 'succeeded' | 'excluded'>;

/** How many indexes run in this Job, one after another or together: all but the inherited, the excluded, and the cancelled ones. */
function membersOf(
  { completions, selection }: Pick<Gang, 'completions' | 'selection'>,
  { excluded }: Pick<Within, 'excluded'>,
): number {
  return (completions ?? 0) - size(intersect(allIndexes(completions ?? 0), selection.inherited)) - excluded;
}

/** Each of them runs. What has succeeded does not run, so after the first success this never holds again. */
const isReady = (spec: Gang, within: Within): boolean =>
  within.stopping === 0 && within.running > 0 && within.running === membersOf(spec, within);

/** Each of them runs or has succeeded: there is nothing to wait for. */
const isWhole = ({ completions }: Gang, { running, succeeded, excluded }: Within): boolean =>
  running + succeeded + excluded >= (completions ?? 0);

/**
 * How the gang stands after a pass; null: the Job has none.
 *
 * @param was STATUS's, before the pass
 * @param phase before and after the pass; `isAchieved`: its success policy is met, and what still runs may go on as it likes
 * @param within the counts below `completions`, after the pass
 * @param hasClaimed the pass has claimed an index
 */
export function gangAfter(
  spec: Gang,
  was: GangState | null,
  phase: { readonly before: Phase; readonly after: Phase; readonly isAchieved: boolean },
  within: Within,
  hasClaimed: boolean,
  now: EpochMs,
): GangState | null {
  if (spec.gang === null) return null;
  const restarts = was?.restarts ?? 0;
  if (phase.after.kind !== 'running' || phase.isAchieved) {
    const begins = phase.after.kind === 'regrouping' && phase.before.kind !== 'regrouping';
    return { restarts: restarts + (begins ? 1 : 0), since: null, isReady: false };
  }
  const since = isWhole(spec, within) ? null : (was?.since ?? (hasClaimed ? now : null));
  return { restarts, since, isReady: isReady(spec, within) };
}

/** When all of them must run; null: they do, or no claim waits for others. */
export const gangDueAt = ({ gang }: Pick<Gang, 'gang'>, state: GangState | null): EpochMs | null =>
  gang === null || state === null || state.since === null ? null : plusMs(state.since, gang.timeoutSec * 1000);

/** How many of a gang run while the others do not, and since when; null: nothing waits for others. */
export const gangProgress = (
  spec: Gang,
  state: GangState | null,
  within: Within,
): { readonly running: number; readonly members: number; readonly since: EpochMs } | null =>
  state === null || state.since === null
    ? null
    : { running: within.running, members: membersOf(spec, within), since: state.since };

/** Not all of them ran in time. */
export type LateGang = { readonly message: string; readonly mayRestart: boolean };

/**
 * Whether the time is over and not all of them run; null: neither, or the Job is to rest anyway.
 *
 * @param within the counts after the facts of this pass: what runs by now is in time
 * @param recordOf null: its chunk was not loaded
 */
export function lateGang(
  spec: Gang & Pick<JobSpec, 'suspend'>,
  state: GangState | null,
  within: Within,
  recordOf: (index: number) => IndexRecord | null,
  now: EpochMs,
): LateGang | null {
  const { gang, suspend } = spec;
  const dueAt = gangDueAt(spec, state);
  if (gang === null || state === null || dueAt === null || now < dueAt || suspend || isWhole(spec, within)) return null;
  const tries = state.restarts + 1;
  const members = membersOf(spec, within);
  const missed = (spec.completions ?? 0) - within.excluded - within.succeeded - within.running;
  const ran = `${members - missed} of ${members} indexes ran within ${gang.timeoutSec} s`;
  const missing = firstMissing(spec, recordOf);
  const which = missing === null ? '' : `; index ${missing.index} did not: ${missing.why}`;
  const mayRestart = state.restarts < gang.restartsMax;
  const message = `${ran}${which}`;
  return { message: mayRestart || tries === 1 ? message : `${message} (try ${tries} of ${tries})`, mayRestart };
}

function firstMissing(
  spec: Gang,
  recordOf: (index: number) => IndexRecord | null,
): { readonly index: number; readonly why: string } | null {
  for (let index = 0; !isOutOfRange(spec, index) && index < (spec.completions ?? 0); index++) {
    const record = recordOf(index);
    if (record !== null && WHY[record.state] !== null) return { index, why: WHY[record.state] ?? '' };
  }
  return null;
}

/** Why an index in this state does not run; null: it runs, or need not. */
const WHY: Record<IndexRecord['state'], string | null> = {
  pending: 'it waits for its next attempt',
  claimed: 'ECS has not accepted its task',
  launched: 'its task has not started',
  waiting: 'it waits for its next task',
  running: null,
  succeeded: null,
  excluded: null,
  failed: 'it has failed for good',
};

/** The chunk of the first index that does not run, for a pass that may have to name it. */
export const chunksOfLateGang = (
  spec: Gang,
  state: GangState | null,
  chunks: readonly ChunkSummary[],
  now: EpochMs,
): readonly number[] => {
  const dueAt = gangDueAt(spec, state);
  if (dueAt === null || now < dueAt) return [];
  const first = chunks.findIndex(({ pending, starting, waiting, failed }) => pending + starting + waiting + failed > 0);
  return first === -1 || first * CHUNK_INDEXES >= (spec.completions ?? 0) ? [] : [first];
};
