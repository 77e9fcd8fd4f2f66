import { expect, test } from 'vitest';
import { createMemoryRows } from '../../shared/adapters/rows/memory.ts';
import { asJobUid } from '../../shared/domain/base/ids.ts';
import { asEpochMs } from '../../shared/domain/base/time.ts';
import { type Store, createStore } from '../../shared/store/create-store.ts';
import type { Rows } from '../../shared/store/rows/row.ts';

const NOW = asEpochMs(1_800_000_000_000);
const JOB = asJobUid('one');
const HEAD = {
  content: 'list',
  namespace: 'default',
  name: 'fruits',
  columns: ['FRUIT'],
  itemsPerPart: 2,
  createdAt: NOW,
};
const SEALED = { count: 2, bytes: 20, sha256: 'sha', widest: { columns: [6], line: 6 } };
/** More than either method makes. */
const REQUESTS_MAX = 10;

/** The same rows, but before its request number `nth` somebody else does `between`. */
function interrupted(rows: Rows, nth: number, between: () => Promise<unknown>): Rows {
  let requests = 0;
  const next = async <T>(request: () => Promise<T>): Promise<T> => {
    if (requests++ === nth) await between();
    return request();
  };
  return {
    get: (keys) => next(() => rows.get(keys)),
    range: (range) => next(() => rows.range(range)),
    write: (write) => next(() => rows.write(write)),
    transact: (token, writes) => next(() => rows.transact(token, writes)),
    batch: (writes) => next(() => rows.batch(writes)),
    alarms: (range) => next(() => rows.alarms(range)),
    storedBytes: (body) => rows.storedBytes(body),
    pause: (ms) => rows.pause(ms),
    atOnce: rows.atOnce,
  };
}

type Answers = { readonly isReserved: boolean; readonly removal: string };

/** What both answer when one of them comes between two requests of the other, for each two. */
async function answersOf(who: 'reserves' | 'removes'): Promise<readonly Answers[]> {
  const seen: Answers[] = [];
  for (let nth = 0; nth < REQUESTS_MAX; nth++) {
    const rows = createMemoryRows({ now: () => NOW });
    let tokens = 0;
    const storeOver = (over: Rows): Store['items'] =>
      createStore(over, { now: () => NOW, newToken: () => `token-${nth}-${++tokens}` }).items;
    const other = storeOver(rows);
    await other.begin(HEAD);
    await other.seal('list', SEALED);
    let isReserved: boolean | null = null;
    let removal: string | null = null;
    const reserve = async (items: Store['items']) => (isReserved = await items.reserve('list', JOB, NOW));
    const remove = async (items: Store['items']) => (removal = (await items.remove('list')).kind);
    const [first, second] = who === 'reserves' ? [reserve, remove] : [remove, reserve];
    await first(storeOver(interrupted(rows, nth, () => second(other))));
    if (isReserved !== null && removal !== null) seen.push({ isReserved, removal });
  }
  return seen;
}

test.each(['reserves', 'removes'] as const)(
  'a reservation that meets a removal is refused, or the removal sees it: between two requests of who %s',
  async (who) => {
    const seen = await answersOf(who);
    expect(seen.length).toBeGreaterThan(1);
    expect(seen.filter(({ isReserved, removal }) => isReserved && removal === 'marked')).toEqual([]);
    expect(seen.some(({ isReserved }) => isReserved)).toBe(true);
    expect(seen.some(({ isReserved }) => !isReserved)).toBe(true);
  },
);
