import { verdictOf } from '../client/job-end.ts';
import { ANNOTATIONS } from '../../shared/domain/manifests/annotations.ts';
import {
  type IndexSet,
  formatIndexSet,
  indexSetOf,
  intersect,
  parseIndexesStrict,
  parseStatusIndexes,
  size,
  subtract,
} from '../../shared/domain/base/index-set.ts';
import { allIndexes } from '../../shared/domain/manifests/selection.ts';
import type { EndedAttempt, Job } from '../client/api-objects.ts';
import { Failure, usageFailure } from '../shell/failure.ts';

/** Which indexes are to run again. */
export type Again =
  /** all that have not succeeded */
  | { readonly kind: 'failed' }
  | { readonly kind: 'indexes'; readonly text: string }
  /** those whose last failed attempt's verdict or cause holds this text */
  | { readonly kind: 'verdict'; readonly text: string };

/** What the new Job comes to. */
export type ChosenIndexes = {
  readonly running: IndexSet;
  readonly inherited: number;
  readonly excluded: number;
  /** What the new Job's annotation says; null: it needs none. */
  readonly annotation: string | null;
};

/**
 * Refuses a Job that cannot be run again, as the server would, before anything else is asked about it.
 *
 * @throws Failure that says what would be right
 */
export function refuseUnlessRerunnable(job: Job): void {
  const { name } = job.metadata;
  if (job.spec.completionMode !== 'Indexed')
    throw new Failure(`error: job.batch/${name} is NonIndexed: it has no indexes that could run again`);
  if (verdictOf(job) === null)
    throw new Failure(`error: job.batch/${name} is not over: \`muster wait ${name}\` waits for its end`);
}

/**
 * The indexes that run again, and what becomes of the others: what has succeeded is inherited, and the rest is left out.
 *
 * @param failed of each index that has failed and not succeeded since, the last attempt that has failed; read only for a verdict
 * @throws Failure if there are none
 */
export function chooseIndexes(job: Job, again: Again, failed: readonly EndedAttempt[]): ChosenIndexes {
  const completions = job.spec.completions ?? 0;
  const succeeded = parseStatusIndexes(job.status.completedIndexes, completions);
  const running = runningOf(job, again, failed, succeeded);
  const left = subtract(subtract(allIndexes(completions), running), succeeded);
  return {
    running,
    inherited: size(subtract(succeeded, running)),
    excluded: size(left),
    annotation: again.kind === 'failed' && size(left) === 0 ? null : formatIndexSet(running),
  };
}

function runningOf(job: Job, again: Again, failed: readonly EndedAttempt[], succeeded: IndexSet): IndexSet {
  const { metadata, spec } = job;
  const completions = spec.completions ?? 0;
  const nothing = (why: string): Failure => new Failure(`error: nothing to run again: ${why}`);
  switch (again.kind) {
    case 'failed': {
      // A Job that ran some of its indexes does not get the others by running again what it left.
      const chosen = metadata.annotations[ANNOTATIONS.indexes];
      const meant = chosen === undefined ? allIndexes(completions) : parseStatusIndexes(chosen, completions);
      const running = subtract(meant, succeeded);
      if (size(running) > 0) return running;
      const all = chosen === undefined ? `all ${completions}` : `all ${size(meant)} chosen`;
      throw nothing(`${all} indexes of job.batch/${metadata.name} have succeeded; --indexes runs some of them again`);
    }
    case 'indexes':
      return parseIndexes(again.text, completions);
    case 'verdict': {
      const held = failed.filter(({ verdict, cause }) => verdict.includes(again.text) || cause.includes(again.text));
      const found = indexSetOf([...new Set(held.flatMap(({ index }) => index ?? []))].sort((a, b) => a - b));
      const running = intersect(subtract(found, succeeded), allIndexes(completions));
      if (size(running) > 0) return running;
      const text = JSON.stringify(again.text);
      throw nothing(
        `no failed index of job.batch/${metadata.name} has a verdict with ${text}; \`muster failures\` shows them`,
      );
    }
  }
}

function parseIndexes(text: string, completions: number): IndexSet {
  const parsed = parseIndexesStrict(text, Infinity);
  if (parsed.kind === 'invalid') throw usageFailure(`--indexes ${JSON.stringify(text)}: ${parsed.reason}`);
  if (size(parsed.set) === 0) throw usageFailure('--indexes "": it names none');
  const last = (parsed.set.edges.at(-1) ?? 0) - 1;
  if (last >= completions) throw usageFailure(`--indexes: index ${last} does not exist: 0 to ${completions - 1} do`);
  return parsed.set;
}
