import { type EpochMs, asTime } from './brand.ts';
import { formatIndexSet, indexSetOf } from './index-set.ts';

/** `info`: how things are. `warning`: out of step, and it mends itself, or somebody should know. `error`: it does not mend itself. */
export type Severity = 'error' | 'warning' | 'info';

/** Every kind of finding, in one word; docs/doctor.md has a row for each. */
export const FINDING_KINDS = [
  // how a Job has failed
  'JobFailed',
  'PodsFailed',
  // what holds a Job open
  'Active',
  'Waiting',
  'Stopping',
  'Replaced',
  'Finalizers',
  'ForegroundDeletion',
  'Outlived',
  'NamesHeld',
  // what of it is out of step
  'AlarmOverdue',
  'NoAlarm',
  'ClaimOverdue',
  'LaunchUnanswered',
  'TaskUnknown',
  'TaskMissing',
  'StartUnseen',
  'EndUnseen',
  'StartsSlowly',
  'StrangerTask',
  'FeedBehind',
  'Torn',
  'NameAstray',
  'Unnamed',
  'DeadLetters',
  // of the installation
  'QueueBehind',
  'NamespaceTerminating',
  'DeletedJob',
  'LaunchesCut',
  // of the examination
  'Sampled',
  'NotChecked',
] as const;
export type FindingKind = (typeof FINDING_KINDS)[number];

/** Something that holds a Job open or is out of step, for people. */
export type Finding = {
  readonly severity: Severity;
  readonly kind: FindingKind;
  /** `job/<namespace>/<name>`, `queue/<name>`, `namespace/<name>`, `installation`. */
  readonly subject: string;
  /** A sentence. */
  readonly what: string;
  /** null: nobody knows. */
  readonly since: EpochMs | null;
  /** What to do, or what will mend it; '': nothing. */
  readonly remedy: string;
  /** The same for programs, where there is more than a sentence to tell. */
  readonly details?: Readonly<Record<string, string | number | boolean | null | readonly string[]>>;
};

/** What somebody has looked at; `unseen`: it could not be checked, and why. */
export type Sight<T> =
  | { readonly kind: 'seen'; readonly value: T }
  | { readonly kind: 'unseen'; readonly reason: string };

/** What takes a message, a pass and an answer is under way, and not out of step, before this. */
export const SOON_MS = 60_000;
/** An alarm may come a minute late by design (the sweep's), and its message has to be worked on. */
export const OVERDUE_MS = 3 * 60_000;
/** Cloud Map's calls are paced, so that a large Job's names go one after the other. */
export const NAMES_LONG_MS = 10 * 60_000;
/** The hourly sweep shows every live task to its board. */
export const STRANGER_TOO_LONG_MS = 75 * 60_000;

export const subjectOfJob = ({ namespace, name }: { readonly namespace: string; readonly name: string }): string =>
  `job/${namespace}/${name}`;

/** For something that could not be checked: nobody can say that all is well. */
export const notChecked = (subject: string, what: string, reason: string): Finding => ({
  severity: 'error',
  kind: 'NotChecked',
  subject,
  what: `${what} could not be checked: ${reason}`,
  since: null,
  remedy: 'Ask again; if it stays so, look at the throttles and errors of the function or service that is named.',
});

const RANK: Readonly<Record<Severity, number>> = { error: 0, warning: 1, info: 2 };

/** The worst first; what is equally bad stays in its order. */
export const worstFirst = (findings: readonly Finding[]): readonly Finding[] =>
  findings.toSorted((a, b) => RANK[a.severity] - RANK[b.severity]);

/** `index 7`, `3 indexes (4-6)`; of many only the first. */
export function indexesText(indexes: readonly number[]): string {
  const sorted = [...new Set(indexes)].sort((a, b) => a - b);
  if (sorted.length === 1) return `index ${sorted[0]}`;
  const [first, rest] = [sorted.slice(0, LISTED_MAX), sorted.length - LISTED_MAX];
  const set = formatIndexSet(indexSetOf(first));
  return `${sorted.length} indexes (${set}${rest > 0 ? `, and ${rest} more` : ''})`;
}
const LISTED_MAX = 20;

/** The soonest of some moments that may not be known. */
export const oldestOf = (moments: readonly (EpochMs | null)[]): EpochMs | null =>
  moments.reduce<EpochMs | null>((oldest, at) => (oldest === null || (at !== null && at < oldest) ? at : oldest), null);

/** `1 Job`, `2 Jobs`; `more`: at least so many. */
export const some = (count: number, noun: string, more = false): string =>
  `${count}${more ? ' or more' : ''} ${noun}${count === 1 && !more ? '' : 's'}`;

export const atTime = (at: EpochMs): string => `at ${asTime(at)}`;
