import type { JobAnnotation } from './annotation.ts';

/** What another Job must have reached: to have succeeded, to have failed, or to have ended in either way. */
export type AfterCondition = (typeof AFTER_CONDITIONS)[number];
export const AFTER_CONDITIONS = ['complete', 'failed', 'finished'] as const;

/** A Job of the same namespace that another one waits for. */
export type After = { readonly name: string; readonly condition: AfterCondition };

/** A Job of the same namespace whose indexes others wait for: index i for `perIndex` of them, from i × `perIndex` on. */
export type AfterIndexes = { readonly name: string; readonly perIndex: number };

type Invalid = {
  readonly kind: 'invalid';
  /** What is wrong and what would be right, without the field's path. */
  readonly reason: string;
};
export type ParsedAfter = { readonly kind: 'ok'; readonly after: readonly After[] } | Invalid;
export type ParsedAfterIndexes = { readonly kind: 'ok'; readonly afterIndexes: readonly AfterIndexes[] } | Invalid;

/** A pass reads the STATUS of each, and all stand in one message. */
export const DEPENDENCIES_MAX = 32;
/** An index waits for at most so many of one Job: they are contiguous, so a pass looks at two chunks for it. */
const PER_INDEX_MAX = 1_000;

/** A name as Kubernetes' objects have it (RFC 1123 subdomain). */
const NAME = /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)*$/;
const NAME_CHARS_MAX = 253;

/**
 * Parses `muster.run/after`: names of Jobs with commas between, each with a condition after a colon, where `complete` can be
 * omitted: `prepare, fetch:finished`.
 */
export function parseAfter(text: string): ParsedAfter {
  const parsed = parseEntries<After>(text, ':', (name, suffix) => {
    const condition = suffix === null ? 'complete' : AFTER_CONDITIONS.find((known) => known === suffix);
    return condition === undefined
      ? invalid(`${JSON.stringify(suffix)} is no condition of job ${JSON.stringify(name)}: ${CONDITIONS_SHOWN}`)
      : { kind: 'ok', entry: { name, condition } };
  });
  return parsed.kind === 'ok' ? { kind: 'ok', after: parsed.entries } : parsed;
}

/**
 * Parses `muster.run/after-indexes`: names of Jobs with commas between, each with the number of its indexes that one index waits
 * for after a slash, where 1 can be omitted: `map`, `map/2, weights`.
 */
export function parseAfterIndexes(text: string): ParsedAfterIndexes {
  const parsed = parseEntries<AfterIndexes>(text, '/', (name, suffix) => {
    const perIndex = /^[1-9]\d{0,3}$/.test(suffix ?? '1') ? Number(suffix ?? '1') : 0;
    return perIndex < 1 || perIndex > PER_INDEX_MAX
      ? invalid(
          `${JSON.stringify(suffix)} is no number of indexes of job ${JSON.stringify(name)}: ` +
            `must be a number from 1 to ${PER_INDEX_MAX}, such as "${name}/2"`,
        )
      : { kind: 'ok', entry: { name, perIndex } };
  });
  return parsed.kind === 'ok' ? { kind: 'ok', afterIndexes: parsed.entries } : parsed;
}

/** The text of `muster.run/after` for such dependencies: what {@link parseAfter} reads back. */
export const formatAfter = (after: readonly After[]): string =>
  after.map(({ name, condition }) => (condition === 'complete' ? name : `${name}:${condition}`)).join(', ');

/** The text of `muster.run/after-indexes` for such dependencies: what {@link parseAfterIndexes} reads back. */
export const formatAfterIndexes = (afterIndexes: readonly AfterIndexes[]): string =>
  afterIndexes.map(({ name, perIndex }) => (perIndex === 1 ? name : `${name}/${perIndex}`)).join(', ');

/** How many indexes a Job has that waits for `perIndex` indexes of a Job with `completions`: as many as it takes for all. */
export const dependentCompletions = (completions: number, perIndex: number): number =>
  Math.ceil(completions / perIndex);

const CONDITIONS_SHOWN = `must be one of ${AFTER_CONDITIONS.join(', ')}`;
const invalid = (reason: string): Invalid => ({ kind: 'invalid', reason });

type Entry<T> = { readonly kind: 'ok'; readonly entry: T } | Invalid;
type Entries<T> = { readonly kind: 'ok'; readonly entries: readonly T[] } | Invalid;

/** Entries with commas between, each a name and perhaps a suffix, which `entryOf` reads (null: it has none). */
function parseEntries<T>(
  text: string,
  separator: string,
  entryOf: (name: string, suffix: string | null) => Entry<T>,
): Entries<T> {
  const texts = text.split(',');
  if (texts.length > DEPENDENCIES_MAX)
    return invalid(`names ${texts.length} jobs: must be at most ${DEPENDENCIES_MAX}`);
  const entries: T[] = [];
  const seen = new Set<string>();
  for (const entry of texts.map((one) => one.trim())) {
    if (entry === '')
      return invalid('has an empty entry: must be names of jobs in this namespace, with commas between');
    const at = entry.indexOf(separator);
    const name = at < 0 ? entry : entry.slice(0, at);
    const fault = nameFault(name, seen);
    if (fault !== null) return invalid(fault);
    seen.add(name);
    const read = entryOf(name, at < 0 ? null : entry.slice(at + 1));
    if (read.kind === 'invalid') return read;
    entries.push(read.entry);
  }
  return { kind: 'ok', entries };
}

/** Why a name cannot be the next one; null: it can. */
function nameFault(name: string, seen: ReadonlySet<string>): string | null {
  if (name.length > NAME_CHARS_MAX || !NAME.test(name))
    return (
      `${JSON.stringify(name)} is no name of a job: must be at most ${NAME_CHARS_MAX} lower case letters, digits, ` +
      `"-" and ".", and must start and end with a letter or a digit`
    );
  return seen.has(name) ? `names job ${JSON.stringify(name)} twice: must be once at most` : null;
}

/** What a Job waits for before it starts, and its indexes before they do. */
export const OF_DEPENDENCIES = {
  /** Until the Job has started, entries may be removed: `dependency-rules.ts`. */
  after: {
    key: 'muster.run/after',
    explains: 'prepare, fetch:finished: Jobs that it starts after, when they are complete, failed or finished',
    parse: (text: string) => {
      const parsed = parseAfter(text);
      return parsed.kind === 'ok' ? parsed.after : null;
    },
    rule: (text: string) => reasonOf(parseAfter(text)),
    immutable: 'ruled',
    leftOutOf: ['rerun'],
    field: 'after',
    absent: [],
  },
  afterIndexes: {
    key: 'muster.run/after-indexes',
    explains: 'map, or map/2: each index starts after that of another Job, or after two',
    parse: (text: string) => {
      const parsed = parseAfterIndexes(text);
      return parsed.kind === 'ok' ? parsed.afterIndexes : null;
    },
    rule: (text: string) => reasonOf(parseAfterIndexes(text)),
    needs: [
      {
        anyOf: ['spec.completionMode'],
        is: 'Indexed',
        called: 'spec.completionMode Indexed',
        why: 'only indexes can wait for indexes',
      },
    ],
    immutable: 'always',
    leftOutOf: ['rerun'],
    field: 'afterIndexes',
    absent: [],
  },
} as const satisfies Readonly<Record<string, JobAnnotation>>;

const reasonOf = (parsed: ParsedAfter | ParsedAfterIndexes): string => (parsed.kind === 'ok' ? '' : parsed.reason);
