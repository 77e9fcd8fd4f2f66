import { type EpochMs, asTime } from '../../../domain/base/time.ts';
import { formatIndexSet, indexSetOf } from '../../../domain/base/index-set.ts';
import { ITEMS_NAMED_MAX, type ItemOf, indexText, itemsText } from '../../../domain/base/shown-index.ts';

/** `info`: how things are. `warning`: inconsistent but self-healing, or worth knowing. `error`: it does not heal itself. */
export type Severity = 'error' | 'warning' | 'info';

/** Every kind of finding, in one word; docs/doctor.md has a row for each. */
export const FINDING_KINDS = [
  // how a Job failed
  'JobFailed',
  'PodsFailed',
  // what keeps a Job running
  'Active',
  'Waiting',
  'WaitsInVain',
  'Stopping',
  'Replaced',
  'Finalizers',
  'ForegroundDeletion',
  'Outlived',
  'NamesHeld',
  // what is inconsistent in it
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
  'Unannounced',
  'Torn',
  'NameAstray',
  'Unnamed',
  'DeadLetters',
  // what a restore means for it
  'Rewound',
  'RunsAgain',
  'MayRunAgain',
  // about the installation
  'QueueBehind',
  'NamespaceTerminating',
  'NeverFires',
  'DeletedJob',
  'LaunchesCut',
  'EngineLeftovers',
  // about the check itself
  'Sampled',
  'NotChecked',
] as const;
export type FindingKind = (typeof FINDING_KINDS)[number];

/** Something that keeps a Job running or is inconsistent, for people. */
export type Finding = {
  readonly severity: Severity;
  readonly kind: FindingKind;
  /** `job/<namespace>/<name>`, `queue/<name>`, `namespace/<name>`, `installation`. */
  readonly subject: string;
  /** A sentence. */
  readonly what: string;
  /** null: unknown. */
  readonly since: EpochMs | null;
  /** What to do, or what will fix it; '' if nothing. */
  readonly remedy: string;
  /** The same for programs, if there is more than a sentence to report. */
  readonly details?: Readonly<Record<string, string | number | boolean | null | readonly string[]>>;
};

/** Before this age, a message, a pass, and an answer are still in progress, not inconsistent. */
export const SOON_MS = 60_000;
/** An alarm may be a minute late by design (the sweep's), and its message must be processed. */
export const OVERDUE_MS = 3 * 60_000;
/** Cloud Map calls are paced, so a large Job's names are registered one after the other. */
export const NAMES_LONG_MS = 10 * 60_000;
/** A change is tried after one, two, four, and eight minutes: three times by then. */
export const UNANNOUNCED_LONG_MS = 10 * 60_000;
/** The hourly sweep compares every live task with its board. */
export const ORPHAN_TOO_LONG_MS = 75 * 60_000;

export const subjectOfJob = ({ namespace, name }: { readonly namespace: string; readonly name: string }): string =>
  `job/${namespace}/${name}`;

/** For something that could not be checked: nothing can be said about its health. */
export const notChecked = (subject: string, what: string, reason: string): Finding => ({
  severity: 'error',
  kind: 'NotChecked',
  subject,
  what: `${what} could not be checked: ${reason}`,
  since: null,
  remedy: 'Try again; if it persists, check the throttles and errors of the named function or service.',
});

const RANK: Readonly<Record<Severity, number>> = { error: 0, warning: 1, info: 2 };

/** The worst first; equally bad findings keep their order. */
export const worstFirst = (findings: readonly Finding[]): readonly Finding[] =>
  findings.toSorted((a, b) => RANK[a.severity] - RANK[b.severity]);

/** `index 7 (a.txt)`, `3 indexes (4-6: a.txt, b.txt, c.txt)`; of many, only the first ones. */
export function indexesText(indexes: readonly number[], itemOf: ItemOf): string {
  const sorted = [...new Set(indexes)].sort((a, b) => a - b);
  const [only] = sorted;
  if (only !== undefined && sorted.length === 1) return indexText(only, itemOf(only));
  const [first, rest] = [sorted.slice(0, LISTED_MAX), sorted.length - LISTED_MAX];
  const set = formatIndexSet(indexSetOf(first));
  const items = itemsText(sorted.length, sorted.slice(0, ITEMS_NAMED_MAX).map(itemOf));
  return `${sorted.length} indexes (${set}${rest > 0 ? `, and ${rest} more` : ''}${items})`;
}
const LISTED_MAX = 20;

/** The earliest of several moments, any of which may be unknown. */
export const oldestOf = (moments: readonly (EpochMs | null)[]): EpochMs | null =>
  moments.reduce<EpochMs | null>((oldest, at) => (oldest === null || (at !== null && at < oldest) ? at : oldest), null);

/** `1 Job`, `2 Jobs`; `more`: at least this many. */
export const some = (count: number, noun: string, more = false): string =>
  `${count}${more ? ' or more' : ''} ${noun}${count === 1 && !more ? '' : 's'}`;

export const atTime = (at: EpochMs): string => `at ${asTime(at)}`;
