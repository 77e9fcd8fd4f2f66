import { parseStatusIndexes, size } from '../../shared/domain/base/index-set.ts';
import { type Condition, type Job, keyOf } from './objects.ts';
import { msOf } from './time-words.ts';

/** Where a Job stands. `quiet`: it is not over, and nothing of it runs. */
export const JOB_STATES = ['running', 'ending', 'quiet', 'suspended', 'failed', 'complete'] as const;
export type JobState = (typeof JOB_STATES)[number];

export type JobRow = {
  readonly key: string;
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly state: JobState;
  readonly isOver: boolean;
  readonly succeeded: number;
  readonly active: number;
  /** Indexes that are not retried. */
  readonly failedIndexes: number;
  /** Attempts that failed and count. */
  readonly failedAttempts: number;
  /** Successes that make it complete; null: the first success does. */
  readonly total: number | null;
  readonly left: number;
  readonly createdMs: number;
  readonly startedMs: number | null;
  readonly endedMs: number | null;
  /** Why it has ended, or is not running. */
  readonly message: string;
  readonly labels: Readonly<Record<string, string>>;
};

const isTrue = (condition: Condition | undefined): condition is Condition => condition?.status === 'True';

/** A Job in one row. */
export function jobRowOf(job: Job): JobRow {
  const { metadata, spec, status = {} } = job;
  const of = (type: string): Condition | undefined => status.conditions?.find((each) => each.type === type);
  const [complete, failed, suspended] = [of('Complete'), of('Failed'), of('Suspended')];
  const ended = [complete, failed].find(isTrue);
  const ending = [of('FailureTarget'), of('SuccessCriteriaMet')].find(isTrue);
  const total = spec.completions ?? (spec.completionMode === 'Indexed' ? 0 : null);
  const succeeded = status.succeeded ?? 0;
  const active = status.active ?? 0;
  const failedIndexes =
    status.failedIndexes === undefined || status.failedIndexes === ''
      ? 0
      : size(parseStatusIndexes(status.failedIndexes, total ?? 0));
  const state = stateOf({
    ended,
    isEnding: ending !== undefined || metadata.deletionTimestamp !== undefined,
    isSuspended: spec.suspend === true,
    active,
  });
  return {
    key: keyOf(job),
    namespace: metadata.namespace ?? '',
    name: metadata.name,
    uid: metadata.uid ?? '',
    state,
    isOver: ended !== undefined,
    succeeded,
    active,
    failedIndexes,
    failedAttempts: status.failed ?? 0,
    total,
    left: ended === undefined ? Math.max((total ?? 1) - succeeded - active - failedIndexes, 0) : 0,
    createdMs: msOf(metadata.creationTimestamp) ?? 0,
    startedMs: msOf(status.startTime),
    endedMs: ended === undefined ? null : (msOf(status.completionTime) ?? msOf(ended.lastTransitionTime)),
    message: (ended ?? ending ?? (isTrue(suspended) ? suspended : undefined))?.message ?? '',
    labels: metadata.labels ?? {},
  };
}

function stateOf(said: {
  readonly ended: Condition | undefined;
  readonly isEnding: boolean;
  readonly isSuspended: boolean;
  readonly active: number;
}): JobState {
  if (said.ended?.type === 'Complete') return 'complete';
  if (said.ended !== undefined) return 'failed';
  if (said.isEnding) return 'ending';
  if (said.isSuspended) return 'suspended';
  return said.active > 0 ? 'running' : 'quiet';
}

/** What the list of Jobs is asked for. */
export type JobWish = {
  readonly filter: string;
  readonly state: string | null;
  readonly namespace: string | null;
  readonly sort: string;
};

export const SORTS = ['activity', 'name', 'progress', 'failed', 'age'] as const;

/**
 * Whether a row has all words of a filter: in its name or namespace; `label=value` among its labels; `-word` wants the opposite.
 */
export function matches(row: JobRow, filter: string): boolean {
  return filter
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '' && word !== '-')
    .every((word) => (word.startsWith('-') ? !hasWord(row, word.slice(1)) : hasWord(row, word)));
}

function hasWord({ name, namespace, labels }: JobRow, word: string): boolean {
  const texts = word.includes('=')
    ? Object.entries(labels).map(([key, value]) => `${key}=${value}`)
    : [`${namespace}/${name}`];
  return texts.some((text) => text.toLowerCase().includes(word));
}

/** The rows of a wish, in its order. */
export function wishedRows(rows: readonly JobRow[], { filter, state, namespace, sort }: JobWish): readonly JobRow[] {
  return rows
    .filter(
      (row) =>
        (state === null || row.state === state) &&
        (namespace === null || row.namespace === namespace) &&
        matches(row, filter),
    )
    .toSorted((a, b) => byWish(a, b, sort) || b.createdMs - a.createdMs || (a.key < b.key ? -1 : 1));
}

function byWish(a: JobRow, b: JobRow, sort: string): number {
  if (sort === 'name') return a.name < b.name ? -1 : Number(a.name > b.name);
  if (sort === 'progress') return shareOf(b) - shareOf(a);
  if (sort === 'failed') return b.failedIndexes - a.failedIndexes || b.failedAttempts - a.failedAttempts;
  if (sort === 'age') return 0;
  return activityOf(a) - activityOf(b) || (b.endedMs ?? 0) - (a.endedMs ?? 0);
}

/** What goes on comes before what waits, and both before what is over. */
const activityOf = ({ isOver, state }: JobRow): number => (isOver ? JOB_STATES.length : JOB_STATES.indexOf(state));

const shareOf = ({ succeeded, total }: JobRow): number => succeeded / Math.max(total ?? 1, 1);

/** How many rows are in each state. */
export function countStates(rows: readonly JobRow[]): ReadonlyMap<JobState, number> {
  const counts = new Map<JobState, number>();
  for (const { state } of rows) counts.set(state, (counts.get(state) ?? 0) + 1);
  return counts;
}

/** A whole number with thin spaces between its thousands: `100 000`. */
export const numberWords = (value: number): string =>
  String(Math.round(value)).replaceAll(/\B(?=(\d{3})+(?!\d))/g, '\u2009');
