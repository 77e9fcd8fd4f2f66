import { type IndexSet, indexSetOf, subtract, union } from '../base/index-set.ts';
import type { Settled } from './settled-indexes.ts';
import { podKey } from './published-pods.ts';
import { type Journal, type Status, type Tally, tally } from './status.ts';

/**
 * What a row of the feed publishes of a Job's STATUS, apart from its indexes. The row has it, and the Job's mark, beside what was
 * published about its Pods: so users see both of one version, whatever has been committed since.
 */
export type ShownStatus = Pick<Status, (typeof FIELDS)[number]> & {
  /** Its Pods, by what they do; `stopping` are also starting or running. */
  readonly pods: Pick<Tally, 'starting' | 'running' | 'waiting' | 'stopping' | 'succeeded'>;
  readonly replaced: number;
  /** For each Job that it waits for: whether that need not be looked at again. */
  readonly met: readonly boolean[];
};

const FIELDS = ['revision', 'phase', 'startTime', 'resumedAt', 'endedSuspendedSince', 'achieved', 'failed'] as const;

/** What a row publishes that is appended for this STATUS. */
export function shownStatus(status: Status): ShownStatus {
  const { revision, phase, startTime, resumedAt, endedSuspendedSince, achieved, failed } = status;
  const { starting, running, waiting, stopping, succeeded } = tally(status.chunks);
  return {
    revision,
    phase,
    startTime,
    resumedAt,
    endedSuspendedSince,
    achieved,
    failed,
    pods: { starting, running, waiting, stopping, succeeded },
    replaced: status.replacedTasks.length,
    met: status.upstreams.map(({ isMet }) => isMet),
  };
}

/** A Job as it was published, from the mark and from what STATUS has now. */
export type Published = {
  readonly shown: ShownStatus;
  /** What the journal has from here on is not published. */
  readonly seq: number;
};

/** STATUS with what was published of it; board and journal are as they are now. */
export function asPublished(status: Status, { shown }: Published): Status {
  const { pods: _pods, replaced: _replaced, met, ...fields } = shown;
  const upstreams = status.upstreams.map((each, nth) => ({ ...each, isMet: met[nth] ?? each.isMet }));
  return { ...status, ...fields, upstreams };
}

/**
 * The set of indexes in a state as it was published: `now` without the steps since then. Only steps that users see of no Pod may
 * be missing, once they are folded.
 */
export function publishedIndexes(now: IndexSet, state: Settled, { entries }: Journal, { seq }: Published): IndexSet {
  const before = new Map<number, boolean>();
  for (const { seq: at, transition } of entries) {
    const { index, op } = transition;
    if (at < seq || before.has(index)) continue;
    if (ENTERS[state].some((each) => each === op)) before.set(index, false);
    else if (state === 'failed' && op === 'retry') before.set(index, true);
  }
  const those = (was: boolean) =>
    indexSetOf([...before].flatMap(([index, each]) => (each === was ? [index] : [])).sort((a, b) => a - b));
  return union(subtract(now, those(false)), those(true));
}

/** The marks of a Pod that is to end which it has got since what was published. */
export type UnpublishedStop = { readonly stopping: boolean; readonly podDeleted: boolean };

/** Pods that are to end since what was published, by {@link podKey}: users do not see that yet, unless another reason is older. */
export function unpublishedStops(
  { entries }: Journal,
  published: Pick<Published, 'seq'> | null,
): ReadonlyMap<string, UnpublishedStop> {
  const stops = new Map<string, UnpublishedStop>();
  if (published === null) return stops;
  for (const { seq, transition } of entries) {
    const mark = MARKS.get(transition.op);
    if (seq < published.seq || mark === undefined) continue;
    const key = podKey(transition);
    stops.set(key, { ...(stops.get(key) ?? { stopping: false, podDeleted: false }), [mark]: true });
  }
  return stops;
}

const MARKS: ReadonlyMap<string, keyof UnpublishedStop> = new Map([
  ['stopping', 'stopping'],
  ['cancel', 'stopping'],
  ['requeue', 'stopping'],
  ['podDeleted', 'podDeleted'],
  ['evicted', 'podDeleted'],
  ['overdue', 'podDeleted'],
]);

const ENTERS = { succeeded: ['succeeded'], failed: ['failedForGood', 'expire'] } as const;

/** How many indexes below `completions` have succeeded that are not published as such. */
export const unpublishedSuccesses = ({ entries }: Journal, { seq }: Published, completions: number): number =>
  entries.filter(
    (entry) => entry.seq >= seq && entry.transition.op === 'succeeded' && entry.transition.index < completions,
  ).length;
