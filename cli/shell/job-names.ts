import type { Command } from 'commander';
import { type ApiKind, ofGroup, singularOf } from '../../shared/domain/kinds/api-kind.ts';
import { JOB_KINDS, OWNERS, type OwnerKind } from '../../shared/domain/kinds/api-kinds.ts';
import { usageFailure } from './failure.ts';

/** What may stand before the name of an object of a kind: `cronjob`, `cronjobs`, `cj`, `cronjob.batch`, `cronjobs.batch`. */
export const wordsOf = (kind: ApiKind): readonly string[] => {
  const words = [singularOf(kind), kind.plural];
  return [...words, ...(kind.shortNames ?? []), ...words.map((word) => ofGroup(word, kind))];
};

/** Also of Jobs in other APIs. */
export const JOBS_WORDS: readonly string[] = [...new Set(JOB_KINDS.flatMap(wordsOf))];

/**
 * Parses the name of a Job, also in the form that `run` prints: job.batch/frames.
 *
 * @throws Failure when it names another kind
 */
export function jobName(text: string): string {
  const [kind = '', name] = text.split('/');
  if (name === undefined) return text;
  if (!JOBS_WORDS.includes(kind) || name === '') throw usageFailure(`${JSON.stringify(text)} is not the name of a Job`);
  return name;
}

/** The name of an object that makes Jobs. `kind` null: a name alone. */
export type OwnerName = { readonly kind: OwnerKind | null; readonly name: string };

/**
 * Parses the name of what makes Jobs: `nightly`, or with its kind before it, such as `cronjob/nightly`.
 *
 * @throws Failure when it names another kind
 */
export function ownerName(text: string): OwnerName {
  const [word = '', name] = text.split('/');
  if (name === undefined) return { kind: null, name: text };
  const kind = OWNERS.find((each) => wordsOf(each).includes(word));
  if (kind !== undefined && name !== '') return { kind: kind.name, name };
  throw usageFailure(
    `${JSON.stringify(text)} is not the name of ${OWNERS.map((each) => `a ${each.kind}`).join(' or ')}`,
  );
}

/**
 * Parses the name of an object of one kind, such as a CronJob: also as `cronjob.batch/nightly`.
 *
 * @param instead what does the same with an object of another kind that makes Jobs: `muster disable NAME stops its schedule`;
 *   null: nothing does
 * @throws Failure when it names another kind
 */
export function nameOfKind(
  wanted: OwnerKind,
  text: string,
  instead: (kind: OwnerKind, name: string) => string | null = () => null,
): string {
  const [word = '', name] = text.split('/');
  if (name === undefined) return text;
  const kind = OWNERS.find((each) => wordsOf(each).includes(word));
  if (kind?.name === wanted && name !== '') return name;
  const other = kind === undefined || name === '' ? null : instead(kind.name, name);
  throw usageFailure(
    other === null
      ? `${JSON.stringify(text)} is not the name of a ${wanted}`
      : `${text} is a ${kind?.kind}, not a ${wanted}: ${other}`,
  );
}

/** Which Jobs of a namespace a command applies to. */
export type JobSelection =
  | { readonly kind: 'named'; readonly names: readonly string[] }
  | { readonly kind: 'selected'; readonly labels: string }
  | { readonly kind: 'all' };

export type SelectionFlags = { readonly selector?: string; readonly all?: true };

/** Adds the ways to select Jobs to a command: names, `-l`, `--all`. */
export const selectsJobs = (command: Command): Command =>
  command
    .argument('[jobs...]', 'the Jobs', [])
    .option('-l, --selector <labels>', 'Jobs with these labels, such as app=x,tier!=test')
    .option('--all', 'all Jobs of the namespace');

/**
 * Reads the options that `selectsJobs` added.
 *
 * @throws Failure unless exactly one way to select Jobs was used
 */
export function selectionOf(jobs: readonly string[], { selector, all }: SelectionFlags): JobSelection {
  const ways = [jobs.length > 0, selector !== undefined, all === true].filter(Boolean).length;
  if (ways !== 1)
    throw usageFailure(ways === 0 ? 'specify Job names, -l, or --all' : 'names, -l, and --all cannot be combined');
  if (all === true) return { kind: 'all' };
  return selector === undefined ? { kind: 'named', names: jobs.map(jobName) } : { kind: 'selected', labels: selector };
}
