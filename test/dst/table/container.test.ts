import { expect, test } from 'vitest';
import { createMemoryRows } from '../../../shared/adapters/rows/memory.ts';
import { asJobUid } from '../../../shared/domain/base/ids.ts';
import { asEpochMs } from '../../../shared/domain/base/time.ts';
import type { ContentId } from '../../../shared/ports/item-store.ts';
import { type Store, createStore } from '../../../shared/store/create-store.ts';
import { jobPartition } from '../../../shared/store/programs/row-keys.ts';
import { Random } from '../random.ts';
import { Calls, type Process } from '../world/calls.ts';
import { FaultInjector } from '../world/fault-injector.ts';
import { CALM, type FaultRates } from '../world/fault-rates.ts';
import { Container } from './container.ts';
import { DamagedRow, damagedRows } from './damaged-rows.ts';
import { tableWeather } from './table-weather.ts';

const NOW = asEpochMs(1_800_000_000_000);
const UID = asJobUid('one');
const CONTENT: ContentId = 'list';

type Seen = { readonly method: string; readonly answer: unknown };

/** One process in its container, and what watchers see of its methods. Nothing is carried out unless the test says so. */
class Table {
  readonly told: string[] = [];
  readonly seen: Seen[] = [];
  readonly process: Process = {
    name: 'user#1',
    kind: 'user',
    skewMs: 0,
    about: { uids: null, indexes: null },
    dead: false,
  };
  readonly injector = new FaultInjector(CALM, 1);
  readonly calls: Calls;
  readonly ports: Pick<Store, 'items' | 'hosts' | 'waiters' | 'objects'>;
  /** The same table without steps and weather. */
  readonly store: Store;
  readonly damaged = new Map<string, string>();
  #tokens = 0;

  constructor() {
    const now = () => NOW;
    this.calls = new Calls({
      now,
      injector: this.injector,
      random: new Random(1),
      die: (process) => (process.dead = true),
      acts: () => undefined,
      tell: (_, what) => void this.told.push(what),
    });
    const table = createMemoryRows({ now, weather: tableWeather(this.calls, this.injector, now) });
    const newToken = () => `token-${++this.#tokens}`;
    this.store = createStore(table, { now, newToken });
    const container = new Container(
      this.calls,
      damagedRows(table, this.damaged, this.calls, this.injector),
      this.process,
    );
    const { hosts, items, waiters, objects } = createStore(container.rows, { now, newToken });
    const watchedHosts: Store['hosts'] = {
      ...hosts,
      reserve: async (...args) => {
        const answer = await hosts.reserve(...args);
        this.seen.push({ method: 'reserve', answer });
        return answer;
      },
    };
    const watchedItems: Store['items'] = {
      ...items,
      begin: async (head) => {
        await items.begin(head);
        this.seen.push({ method: 'begin', answer: 'begun' });
      },
    };
    this.ports = container.ports({ hosts: watchedHosts, items: watchedItems, waiters, objects });
  }

  /** The next request is carried out, in such weather. */
  async step(weather: Partial<FaultRates> = {}): Promise<void> {
    this.injector.faultRates = { ...CALM, ...weather };
    if (this.calls.isReady()) await this.calls.returnOne();
    await new Promise((resolve) => setImmediate(resolve));
    this.injector.faultRates = CALM;
  }
}

/** What has come of a promise by now. */
function outcomeOf(promise: Promise<unknown>): { answer: unknown } {
  const outcome = { answer: 'nothing' as unknown };
  promise.then(
    (answer) => (outcome.answer = answer),
    (error: unknown) => (outcome.answer = error),
  );
  return outcome;
}

/** Half of the crashes come before the request. */
const SURELY = 2;

test('between two requests of a method, another process may come', async () => {
  const table = new Table();
  const reserved = outcomeOf(table.ports.hosts.reserve(UID, 1, 2, NOW));
  await table.step(); // it has read that nobody has reserved
  await table.store.hosts.reserve(asJobUid('other'), 2, 2, NOW);
  await table.step(); // refused: it decides again
  await table.step();
  expect(reserved.answer).toEqual({ kind: 'full', left: 0 });
  expect(table.calls.crashPoints).toEqual({ requests: 2, methods: 1, calls: 0 });
});

test('what a process did when it died is seen, and does not come back to it', async () => {
  const table = new Table();
  const reserved = outcomeOf(table.ports.hosts.reserve(UID, 1, 2, NOW));
  await table.step();
  await table.step({ crash: SURELY });
  expect(table.told).toEqual(['hosts.reserve: write LIMIT#hosts LIMIT: dies before it']);
  expect(table.process.dead).toBe(true);
  expect(table.seen).toEqual([]);

  const other = new Table();
  const lost = outcomeOf(other.ports.hosts.reserve(UID, 1, 2, NOW));
  await other.step();
  other.injector.strikes = (fault) => fault === 'crash after';
  await other.step();
  expect(other.process.dead).toBe(true);
  expect(await other.store.hosts.reservations()).toHaveLength(1);
  expect(other.seen).toEqual([{ method: 'reserve', answer: { kind: 'reserved' } }]);
  expect([reserved.answer, lost.answer]).toEqual(['nothing', 'nothing']);
});

test('who dies with a method half done is never through with it', async () => {
  const table = new Table();
  const begun = outcomeOf(table.ports.items.begin(aHead()));
  table.injector.strikes = (fault) => fault === 'crash after';
  await table.step();
  await table.step();
  expect((await table.store.items.listContents({ after: null, limit: 10 })).contents).toEqual([CONTENT]);
  expect(await table.store.items.readHead(CONTENT)).toBeNull();
  expect(table.seen).toEqual([]);
  expect(begun.answer).toBe('nothing');
});

test('a process whose answer is lost hears of an error, and who watches of the effect', async () => {
  const table = new Table();
  const reserved = outcomeOf(table.ports.hosts.reserve(UID, 1, 2, NOW));
  await table.step();
  table.injector.strikes = (fault) => fault === 'answer lost';
  await table.step();
  expect(reserved.answer).toEqual(new Error('hosts.reserve: write LIMIT#hosts LIMIT: answer lost'));
  expect(table.seen).toEqual([{ method: 'reserve', answer: { kind: 'reserved' } }]);
});

test('after a lost answer nothing more of the method is carried out', async () => {
  const table = new Table();
  const begun = outcomeOf(table.ports.items.begin(aHead()));
  table.injector.strikes = (fault) => fault === 'answer lost';
  await table.step();
  expect(begun.answer).toBeInstanceOf(Error);
  expect(table.calls.isReady()).toBe(false);
  expect(table.seen).toEqual([]);
});

test('the effect of a write that was sent twice, and of which nobody heard, is seen', async () => {
  const table = new Table();
  const reserved = outcomeOf(table.ports.hosts.reserve(UID, 1, 2, NOW));
  await table.step();
  table.injector.strikes = (fault) => fault === 'answer lost' || fault === 'request repeated';
  await table.step();
  expect(reserved.answer).toBeInstanceOf(Error);
  expect(table.seen).toEqual([{ method: 'reserve', answer: { kind: 'reserved' } }]);
});

test('a list comes in short pages, and batches are carried out in part', async () => {
  const table = new Table();
  const all = Array.from({ length: 9 }, (_, nth) => asJobUid(`job-${nth}`));
  const added = outcomeOf(
    table.ports.waiters.add(
      all.map((uid) => ({ namespace: 'default', upstream: 'first', uid, name: uid, byIndex: false })),
      asEpochMs(NOW + 3_600_000),
    ),
  );
  await table.step({ rowLeftOut: 0.5 });
  expect(added.answer).toBe('nothing');
  expect(table.injector.times('row left out')).toBeGreaterThan(0);
  const stored = await table.store.waiters.list('default', 'first');
  expect(stored.length).toBe(all.length - table.injector.times('row left out'));

  const listed = outcomeOf(table.ports.waiters.list('default', 'first'));
  for (let n = 0; listed.answer === 'nothing'; n++) {
    expect(n).toBeLessThan(20);
    await table.step({ shortPage: 1 });
  }
  expect(listed.answer).toEqual(stored);
  expect(table.injector.times('short page')).toBeGreaterThan(1);
});

test('a transaction is throttled as one request, however many rows it writes', async () => {
  const table = new Table();
  const key = { namespace: '', name: 'here' };
  const document = { metadata: { name: 'here', uid: 'here', creationTimestamp: '2027-01-15T08:00:00Z' } };
  const commit = outcomeOf(table.ports.objects.commit('Namespace', { key, was: 0, document }));
  const drawn: string[] = [];
  table.injector.strikes = (fault) => {
    drawn.push(fault);
    return false;
  };
  await table.step(); // it reads
  drawn.length = 0;
  await table.step();
  expect(commit.answer).toMatchObject({ kind: 'committed' });
  expect(drawn.filter((fault) => fault === 'table throttled')).toHaveLength(1);
});

test('rows of a damaged Job cannot be read', async () => {
  const table = new Table();
  await table.store.hosts.writeHosts(
    UID,
    { row: 0, version: 0, hosts: [{ index: 0, serviceId: 'srv', tasks: [] }] },
    asEpochMs(NOW + 3_600_000),
  );
  table.damaged.set(jobPartition(UID), UID);
  const read = outcomeOf(table.ports.hosts.readHosts(UID, 0));
  await table.step();
  expect(read.answer).toEqual(new DamagedRow(UID));
  expect((await table.store.hosts.readHosts(UID, 0)).hosts).toHaveLength(1);
});

test('watchers and others beside the processes meet no weather', async () => {
  const table = new Table();
  table.injector.faultRates = { ...CALM, tableThrottled: 1, conflict: 1, requestRepeated: 1, partitionThrottled: 1 };
  expect(await table.store.hosts.reserve(UID, 1, 2, NOW)).toEqual({ kind: 'reserved' });
  expect([...table.injector.faults.keys()].filter((fault) => fault !== 'expiry late')).toEqual([]);
});

const aHead = () => ({
  content: CONTENT,
  namespace: 'default',
  name: 'list',
  createdAt: NOW,
  columns: ['item'],
  itemsPerPart: 10,
});
