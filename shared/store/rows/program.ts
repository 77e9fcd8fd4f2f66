import type { EpochMs } from '../../domain/base/time.ts';
import { liveVersionIs, versionIs } from './condition.ts';
import { until } from './fields.ts';
import {
  type AlarmPage,
  type AlarmRange,
  FIELD,
  type Fields,
  type Page,
  type Range,
  type Refusal,
  type Row,
  type RowKey,
  type Write,
  isExpired,
  nameOf,
} from './row.ts';
import { TABLE_LIMITS } from './table-limits.ts';

/** One request to the table, as data, or several programs at once. */
export type Request =
  | { readonly kind: 'get'; readonly keys: readonly RowKey[] }
  | { readonly kind: 'range'; readonly range: Range }
  | { readonly kind: 'write'; readonly write: Write }
  | { readonly kind: 'transact'; readonly token: string; readonly writes: readonly Write[] }
  | { readonly kind: 'batch'; readonly writes: readonly Write[] }
  | { readonly kind: 'alarms'; readonly range: AlarmRange }
  | { readonly kind: 'pause'; readonly ms: number }
  /** These three do not go to the table. */
  | { readonly kind: 'now' }
  | { readonly kind: 'token' }
  | { readonly kind: 'storedBytes'; readonly body: Uint8Array }
  | { readonly kind: 'all'; readonly programs: readonly Program<unknown>[] };

/** What takes time: the others are answered at once. */
export type TimedRequest = Exclude<Request, { readonly kind: 'now' | 'token' | 'storedBytes' }>;

/**
 * What a method of a store does: it yields requests and gets their answers, and returns the method's answer. Between two requests
 * its process may die, and others may come between; a request that throws throws here.
 */
export type Program<T> = Generator<Request, T, unknown>;

/** The row with this key; null: there is none (any more). Strongly consistent. */
export function* get(key: RowKey): Program<Row | null> {
  const { rows } = (yield { kind: 'get', keys: [key] }) as { readonly rows: readonly Row[] };
  return rows[0] ?? null;
}

/** The existing rows for these keys, in any order. Each is read by itself: together they may never have been true. */
export function* getAll(keys: readonly RowKey[]): Program<readonly Row[]> {
  const found: Row[] = [];
  for (let from = 0; from < keys.length; from += TABLE_LIMITS.keysPerGet) {
    let rest = keys.slice(from, from + TABLE_LIMITS.keysPerGet);
    for (let nth = 1; rest.length > 0; nth++) {
      const answer = (yield { kind: 'get', keys: rest }) as {
        readonly rows: readonly Row[];
        readonly unread: RowKey[];
      };
      found.push(...answer.rows);
      rest = answer.unread;
      if (rest.length > 0) yield* pauseOrGiveUp(nth, `${rest.length} rows were not read`);
    }
  }
  return found;
}

/** One page of a range. */
export function* page(range: Range): Program<Page> {
  return (yield { kind: 'range', range }) as Page;
}

/** The first `max` rows of a range, or all of them, over as many pages as needed. */
export function* rowsIn(range: Range, max = Number.POSITIVE_INFINITY): Program<readonly Row[]> {
  const found: Row[] = [];
  let after: RowKey | null = null;
  do {
    const limit: Pick<Range, 'limit'> = max === Number.POSITIVE_INFINITY ? {} : { limit: max - found.length };
    const { rows, next }: Page = yield* page({ ...range, ...limit, after });
    found.push(...rows);
    after = next;
  } while (after !== null && found.length < max);
  return found;
}

/** Carries out one write. null: done. */
export function* write(wanted: Write): Program<Refusal | null> {
  return (yield { kind: 'write', write: wanted }) as Refusal | null;
}

/** Carries out a write without a condition. Throws if a transaction in progress is in its way. */
export function* writeAlways(wanted: Write): Program<void> {
  if ((yield* write(wanted)) !== null) throw new Error(`a transaction was in the way of ${nameOf(wanted.key)}`);
}

/**
 * Gives a row its next version, if it is still at `version` (0: it does not exist). null: done, perhaps by an earlier try of this very
 * write. A refusal brings the row.
 *
 * @param change `expireAt`: the row ends then, and one that has ended counts as missing; `remove`: fields that it loses
 */
export function* writeNext(
  key: RowKey,
  version: number,
  set: Fields,
  { expireAt, remove }: { readonly expireAt?: EpochMs; readonly remove?: readonly string[] } = {},
): Program<Refusal | null> {
  const token = yield* newToken();
  const refusal = yield* write({
    kind: 'update',
    key,
    set: {
      [FIELD.version]: version + 1,
      [FIELD.by]: token,
      ...set,
      ...(expireAt === undefined ? {} : until(expireAt)),
    },
    ...(remove === undefined ? {} : { remove }),
    condition: expireAt === undefined ? versionIs(version) : liveVersionIs(version, yield* now()),
    returnOld: true,
  });
  return isBy(refusal, token) ? null : refusal;
}

/** The row that a refused write has met: the one that the refusal brought, or else as it is now. null: it is gone. */
export function* storedNow(key: RowKey, refusal: Refusal): Program<Row | null> {
  if (refusal.kind === 'conflict') return yield* get(key);
  return refusal.row === null || isExpired(refusal.row, yield* now()) ? null : refusal.row;
}

/** Carries out all writes (null) or none. `token` names the transaction. */
export function* transact(token: string, writes: readonly Write[]): Program<readonly (Refusal | null)[] | null> {
  return (yield { kind: 'transact', token, writes }) as readonly (Refusal | null)[] | null;
}

/**
 * The row was made by the write named `token`. So a repeat after a lost answer does not count as a lost race. The content is not
 * compared: two passes may decide the same at the same moment, and only one of them has won.
 */
export const isBy = (refusal: Refusal | null | undefined, token: string): boolean =>
  refusal?.kind === 'condition' && refusal.row?.fields[FIELD.by] === token;

/** Carries out puts and deletions without conditions, in any order. `what`: the rows, for the error when the table is throttled. */
export function* writeAll(writes: readonly Write[], what: string): Program<void> {
  const batches: Program<void>[] = [];
  for (let from = 0; from < writes.length; from += TABLE_LIMITS.writesPerBatch)
    batches.push(writeBatch(writes.slice(from, from + TABLE_LIMITS.writesPerBatch), what));
  yield* all(batches);
}

function* writeBatch(writes: readonly Write[], what: string): Program<void> {
  let rest = writes;
  for (let nth = 1; rest.length > 0; nth++) {
    rest = (yield { kind: 'batch', writes: rest }) as readonly Write[];
    if (rest.length > 0) yield* pauseOrGiveUp(nth, `${rest.length} ${what} were not written`);
  }
}

/** What a batch leaves out is requested again this often, with doubled waits: 6 s in total. */
const BATCH_TRIES = 8;
const BATCH_WAIT_MS = 25;

function* pauseOrGiveUp(nth: number, undone: string): Program<void> {
  if (nth >= BATCH_TRIES) throw new Error(`${undone}: the table is throttled`);
  yield* pause(BATCH_WAIT_MS * 2 ** nth);
}

/** A page of the index of alarms. */
export function* alarmPage(range: AlarmRange): Program<AlarmPage> {
  return (yield { kind: 'alarms', range }) as AlarmPage;
}

/** Waits before another try. */
export function* pause(ms: number): Program<void> {
  yield { kind: 'pause', ms };
}

/** The process's clock. */
export function* now(): Program<EpochMs> {
  return (yield { kind: 'now' }) as EpochMs;
}

/** Text of 8 to 36 characters that is used only once: names one write, to recognize it. */
export function* newToken(): Program<string> {
  return (yield { kind: 'token' }) as string;
}

/** How many bytes a body takes as it is stored. */
export function* storedBytes(body: Uint8Array): Program<number> {
  return (yield { kind: 'storedBytes', body }) as number;
}

/** Runs programs at once, a few at a time. The first that throws makes this throw; the others go on. */
export function* all<T>(programs: readonly Program<T>[]): Program<readonly T[]> {
  if (programs.length === 0) return [];
  return (yield { kind: 'all', programs }) as readonly T[];
}

/** A transaction takes milliseconds; after 1.2 s, it is a different one each time. */
const CONFLICT_TRIES = 7;
const CONFLICT_WAIT_MS = 10;

/** Repeats `work` while it conflicts with transactions in progress. Throws after too many tries. */
export function* unlessConflict<T>(what: string, work: () => Program<T | 'conflict'>): Program<T> {
  for (let nth = 0; nth < CONFLICT_TRIES; nth++) {
    const outcome = yield* work();
    if (outcome !== 'conflict') return outcome;
    yield* pause(CONFLICT_WAIT_MS * 2 ** nth);
  }
  throw new Error(`${what}: other transactions were in the way ${CONFLICT_TRIES} times`);
}
