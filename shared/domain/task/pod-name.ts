import type { JobUid } from '../base/ids.ts';
import { invariant } from '../base/invariant.ts';
import { barePodOf } from '../manifests/bare-pod.ts';
import type { CompletionMode } from '../manifests/job.ts';

type Owner = { readonly uid: JobUid; readonly name: string; readonly completionMode: CompletionMode };

/**
 * A Pod's name in Kubernetes' form, `<job>-<index>-<suffix>`, or `<job>-<suffix>` for a NonIndexed Job. The suffix is
 * a keyed bijection of (index, attempt), so a name leads back to its attempt without a row. A bare Pod has the name that its user
 * gave it, and one attempt.
 */
export function podName(job: Owner, index: number, attempt: number): string {
  invariant(index >= 0 && index < INDEXES_MAX && attempt >= 1, `attempt ${attempt} of index ${index} can be named`);
  const bare = barePodOf(job.name);
  if (bare !== null) return bare;
  if (job.completionMode === 'Indexed') return prefixOf(job, index) + suffixOf(attempt - 1, keyOf(job.uid, index));
  return prefixOf(job, index) + suffixOf(index + (attempt - 1) * INDEXES_MAX, keyOf(job.uid, 0));
}

/**
 * The attempt that a Pod's name stands for, whether or not it was ever started (the board knows); null if no Pod of this Job
 * can have that name.
 */
export function parsePodName(job: Owner, name: string): { readonly index: number; readonly attempt: number } | null {
  const bare = barePodOf(job.name);
  if (bare !== null) return name === bare ? ONLY_ATTEMPT : null;
  const indexed = job.completionMode === 'Indexed';
  const index = indexed ? Number(INDEXED_NAME.exec(name)?.[1] ?? Number.NaN) : 0;
  if (!(index < INDEXES_MAX)) return null;
  const prefix = prefixOf(job, index);
  if (!name.startsWith(prefix)) return null;
  const code = codeOf(name.slice(prefix.length), keyOf(job.uid, index));
  if (code === null) return null;
  if (indexed) return { index, attempt: code + 1 };
  return { index: code % INDEXES_MAX, attempt: Math.floor(code / INDEXES_MAX) + 1 };
}

const ONLY_ATTEMPT = { index: 0, attempt: 1 };

/** A Pod's uid, unique and permanent: the Job's uid with index and attempt in its first and last digits. */
export function podUid(uid: JobUid, index: number, attempt: number): string {
  if (!UUID.test(uid)) return `${uid}-${index}-${attempt}`;
  const mixed = (digits: string, number: number): string =>
    ((Number.parseInt(digits, 16) ^ number) >>> 0).toString(16).padStart(8, '0');
  return mixed(uid.slice(0, 8), index) + uid.slice(8, 28) + mixed(uid.slice(28), attempt);
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** The hostname of an Indexed Job's task, the same for all attempts. */
export const hostname = (jobName: string, index: number): string => `${jobName}-${index}`;

/** Above what admission allows: completions up to 1,000,000. */
const INDEXES_MAX = 2 ** 20;
const INDEXED_NAME = /-(\d+)-[a-z0-9]+$/;

/** 63 characters minus the usual suffix; Kubernetes cuts the Job's name, never the index. */
const PREFIX_MAX = 58;

function prefixOf({ name, completionMode }: Owner, index: number): string {
  if (completionMode === 'NonIndexed') return `${name}-`.slice(0, PREFIX_MAX);
  const tail = `-${index}-`;
  return name.slice(0, PREFIX_MAX - tail.length) + tail;
}

/** Kubernetes' letters for generated names: no vowels, so that no words result. */
const LETTERS = 'bcdfghjklmnpqrstvwxz2456789';

/**
 * Five letters hold the first 14 million codes: every attempt of an Indexed Job, the first 13 attempts of 2^20 slots. Later
 * codes get longer suffixes after the same prefix, so a name's length tells which suffix it has. `halfBits`: the smallest even
 * split of bits that holds all words of that length.
 */
const SUFFIXES = [
  { length: 5, halfBits: 12 },
  { length: 7, halfBits: 17 },
  { length: 9, halfBits: 22 },
] as const;

/** The length of a name with an attempt number that is never reached. */
export const POD_NAME_CHARS_MAX: number = PREFIX_MAX + Math.max(...SUFFIXES.map(({ length }) => length));

const wordsOf = (length: number): number => LETTERS.length ** length;

function suffixOf(code: number, key: number): string {
  const suffix = SUFFIXES.find(({ length }) => code < wordsOf(length));
  invariant(suffix !== undefined, `code ${code} fits into a name`);
  let rest = shuffle(code, wordsOf(suffix.length), suffix.halfBits, key);
  let word = '';
  for (let i = 0; i < suffix.length; i++) {
    word += LETTERS.charAt(rest % LETTERS.length);
    rest = Math.floor(rest / LETTERS.length);
  }
  return word;
}

/** The code of a suffix; null if no code has this suffix. */
function codeOf(word: string, key: number): number | null {
  const place = SUFFIXES.findIndex(({ length }) => length === word.length);
  const suffix = SUFFIXES[place];
  if (suffix === undefined) return null;
  let shuffled = 0;
  for (let i = word.length - 1; i >= 0; i--) {
    const digit = LETTERS.indexOf(word.charAt(i));
    if (digit < 0) return null;
    shuffled = shuffled * LETTERS.length + digit;
  }
  const code = unshuffle(shuffled, wordsOf(suffix.length), suffix.halfBits, key);
  const shorter = SUFFIXES[place - 1];
  return shorter !== undefined && code < wordsOf(shorter.length) ? null : code;
}

// A permutation of 0..size-1 that depends on a key: a Feistel network over twice `halfBits` bits, repeated until the result is
// below `size`. It only has to look random and to stay the same, not to keep a secret: names are not passwords. Numbers stay
// below 2^44, so plain arithmetic is exact.

const ROUND_KEYS = [0x9e3779b9, 0x7f4a7c15, 0x85ebca6b, 0xc2b2ae35] as const;

function shuffle(value: number, size: number, halfBits: number, key: number): number {
  const half = 2 ** halfBits;
  let at = value;
  do {
    let left = Math.floor(at / half);
    let right = at % half;
    for (const roundKey of ROUND_KEYS) [left, right] = [right, left ^ (mix(right ^ key ^ roundKey) & (half - 1))];
    at = left * half + right;
  } while (at >= size);
  return at;
}

/** The inverse. */
function unshuffle(value: number, size: number, halfBits: number, key: number): number {
  const half = 2 ** halfBits;
  let at = value;
  do {
    let left = Math.floor(at / half);
    let right = at % half;
    for (const roundKey of ROUND_KEYS.toReversed()) {
      [left, right] = [right ^ (mix(left ^ key ^ roundKey) & (half - 1)), left];
    }
    at = left * half + right;
  } while (at >= size);
  return at;
}

/** The key of one index's suffixes, from the uid's characters. */
function keyOf(uid: JobUid, index: number): number {
  let key = mix(index + 1);
  for (let i = 0; i < uid.length; i++) key = mix(key ^ uid.charCodeAt(i));
  return key;
}

/** Spreads each of 32 bits over all of them (the finish of MurmurHash3); a bijection itself. */
function mix(bits: number): number {
  let x = bits;
  x = Math.imul(x ^ (x >>> 16), 0x85ebca6b);
  x = Math.imul(x ^ (x >>> 13), 0xc2b2ae35);
  return x ^ (x >>> 16);
}
