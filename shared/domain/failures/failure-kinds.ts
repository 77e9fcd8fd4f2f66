import { type IndexSet, indexSetOf } from '../base/index-set.ts';
import { invariant } from '../base/invariant.ts';
import { linePattern } from './line-pattern.ts';

/** An attempt that has failed: the last of its index, or of its slot in a Job without indexes. */
export type FailedAttempt = {
  /** null: its Job is NonIndexed. */
  readonly index: number | null;
  readonly attempt: number;
  readonly pod: string;
  readonly item: string | null;
  /** No further attempt will follow. */
  readonly isFinal: boolean;
  readonly exitCode: number | null;
  /** What its end counts as, and why. */
  readonly verdict: string;
  /** The same as data. */
  readonly outcome: string;
  readonly why: { readonly kind: string; readonly exitCode?: unknown };
  readonly cause: string;
  /** It ran, so that it may have a log. */
  readonly hasRun: boolean;
  /** It was stopped because the Job failed: a consequence, not a cause. */
  readonly stoppedWithJob: boolean;
  readonly container: string | null;
};

/** The last lines of an attempt's log that are not blank, oldest first. */
export type LogEnd = readonly string[];

/** Attempts that failed in the same way. */
export type FailureKind = {
  readonly isFinal: boolean;
  readonly verdict: string;
  readonly cause: string;
  readonly exitCode: number | null;
  readonly stoppedWithJob: boolean;
  /** The last line of their logs, without what varies; null: they have none, or it was not read. */
  readonly lastLine: string | null;
  /** `read`: of `count` logs, this many were read, and all of them end so. */
  readonly logs:
    | { readonly kind: 'none' }
    | { readonly kind: 'unread' }
    | { readonly kind: 'read'; readonly read: number };
  readonly count: number;
  /** Empty for a NonIndexed Job. */
  readonly indexes: IndexSet;
  /** The items of the first of them. */
  readonly items: readonly string[];
  readonly example: FailedAttempt & { readonly log: LogEnd };
};

const ITEMS_SHOWN = 5;

/**
 * Which of these logs to read, at most `max`: each kind of end gets its share, a small kind all that it needs, and within a kind
 * they are spread evenly over the indexes. Of attempts that were stopped with their Job, one says enough.
 */
export function logsToRead(failed: readonly FailedAttempt[], max: number): readonly FailedAttempt[] {
  const kinds = [...byEnd(failed).values()]
    .map((kind) => kind.filter(({ hasRun }) => hasRun))
    .map((kind) => (kind[0]?.stoppedWithJob === true ? kind.slice(0, 1) : kind))
    .sort((a, b) => a.length - b.length);
  const chosen: FailedAttempt[] = [];
  for (const [i, kind] of kinds.entries()) {
    const share = Math.min(kind.length, Math.floor((max - chosen.length) / (kinds.length - i)));
    for (let nth = 0; nth < share; nth++) {
      const attempt = kind[Math.floor((nth * kind.length) / share)];
      if (attempt !== undefined) chosen.push(attempt);
    }
  }
  return chosen;
}

/**
 * Failed attempts by how they ended: verdict, exit code, and the last line of the log. If all logs that were read of one kind of
 * end have the same last line, those that were not read are taken to have it, too; otherwise they are a kind of their own. What is
 * not tried again comes first, what was stopped with the Job last, and else the largest kind first.
 *
 * @param failed in ascending order of index
 * @param logs by Pod; an attempt without an entry was not read
 */
export function failureKinds(
  failed: readonly FailedAttempt[],
  logs: ReadonlyMap<string, LogEnd>,
): readonly FailureKind[] {
  return [...byEnd(failed).values()]
    .flatMap((alike) => byLastLine(alike, logs))
    .sort(
      (a, b) =>
        Number(b.isFinal) - Number(a.isFinal) ||
        Number(a.stoppedWithJob) - Number(b.stoppedWithJob) ||
        b.count - a.count ||
        (a.example.index ?? 0) - (b.example.index ?? 0),
    );
}

/** Attempts by what is known without their logs. */
function byEnd(failed: readonly FailedAttempt[]): ReadonlyMap<string, FailedAttempt[]> {
  const kinds = new Map<string, FailedAttempt[]>();
  // Few verdicts differ, and there may be 100,000 attempts.
  const patterns = new Map<string, string>();
  const patternOf = (verdict: string): string => {
    const pattern = patterns.get(verdict) ?? linePattern(verdict);
    patterns.set(verdict, pattern);
    return pattern;
  };
  for (const attempt of failed) {
    const { isFinal, exitCode, verdict, cause, hasRun, stoppedWithJob, item } = attempt;
    // What did not run has no log that could tell it apart.
    const why = hasRun ? null : linePattern(cause, item);
    const key = JSON.stringify([isFinal, exitCode, patternOf(verdict), why, stoppedWithJob]);
    const kind = kinds.get(key);
    if (kind === undefined) kinds.set(key, [attempt]);
    else kind.push(attempt);
  }
  return kinds;
}

function byLastLine(alike: readonly FailedAttempt[], logs: ReadonlyMap<string, LogEnd>): readonly FailureKind[] {
  const lines = new Map<string | null, FailedAttempt[]>();
  const unread: FailedAttempt[] = [];
  for (const attempt of alike) {
    const log = logs.get(attempt.pod);
    if (log === undefined) {
      unread.push(attempt);
      continue;
    }
    const last = log.at(-1);
    const line = last === undefined || attempt.stoppedWithJob ? null : linePattern(last, attempt.item);
    const group = lines.get(line);
    if (group === undefined) lines.set(line, [attempt]);
    else group.push(attempt);
  }
  const [only] = lines;
  if (only === undefined) return [kindOf(alike, null, alike[0]?.hasRun === true ? 0 : null, logs)];
  if (lines.size === 1) return [kindOf(alike, only[0], only[1].length, logs)];
  const read = [...lines].map(([line, group]) => kindOf(group, line, group.length, logs));
  return unread.length === 0 ? read : [...read, kindOf(unread, null, 0, logs)];
}

/** @param read how many of their logs were read; null: they have none */
function kindOf(
  attempts: readonly FailedAttempt[],
  lastLine: string | null,
  read: number | null,
  logs: ReadonlyMap<string, LogEnd>,
): FailureKind {
  const example = attempts.find(({ pod }) => logs.has(pod)) ?? attempts[0];
  invariant(example !== undefined, 'a kind of failure has an attempt');
  const { isFinal, verdict, cause, exitCode, stoppedWithJob } = example;
  return {
    isFinal,
    verdict,
    cause,
    exitCode,
    stoppedWithJob,
    lastLine,
    logs: read === null ? { kind: 'none' } : read === 0 ? { kind: 'unread' } : { kind: 'read', read },
    count: attempts.length,
    indexes: indexSetOf(attempts.flatMap(({ index }) => (index === null ? [] : [index]))),
    items: attempts.flatMap(({ item }) => (item === null ? [] : [item])).slice(0, ITEMS_SHOWN),
    example: { ...example, log: logs.get(example.pod) ?? [] },
  };
}
