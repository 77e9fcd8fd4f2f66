import type { EpochMs } from '../../domain/base/time.ts';
import type { JobUid } from '../../domain/base/ids.ts';
import type { HostRow, HostStore, Reservation } from '../../ports/host-store.ts';
import { versionIs } from '../rows/condition.ts';
import { json, jsonIn, versionIn } from '../rows/fields.ts';
import { type Program, get, pause, rowsIn, storedNow, write, writeNext } from '../rows/program.ts';
import { FIELD, type Row, type RowKey } from '../rows/row.ts';
import { type Table, methodsOf } from '../rows/run.ts';
import { HostsSchema, ReservationsSchema } from './row-bodies.ts';
import { HOSTS_RANGE, hostsKey, jobPartition, limitKey } from './row-keys.ts';

/** All reservations are in one row, so each writer sees all others. 2,000 of them take 150 KB. */
const RESERVED_KEY = limitKey('hosts');

type Reserved = Awaited<ReturnType<HostStore['reserve']>>;
type Written = Awaited<ReturnType<HostStore['writeHosts']>>;

/** {@link HostStore} as one row of reservations, and a row in the Job's partition for every ten indexes. */
export const hosts = (table: Table): HostStore =>
  methodsOf(table, { reserve, release, reservations, readHosts, listHosts, writeHosts });

const reserve = (uid: JobUid, count: number, max: number, at: EpochMs): Program<Reserved> =>
  changeReservations((all) => withReserved(all, { uid, count, at }, max));

const release = (uid: JobUid): Program<void> => changeReservations((all) => without(all, uid));

/** What a change of the reservations comes to; `next` null: nothing is written. */
type Change<T> = { readonly answer: T; readonly next: readonly Reservation[] | null };

function withReserved(all: readonly Reservation[], { uid, count, at }: Reservation, max: number): Change<Reserved> {
  const own = all.find((each) => each.uid === uid);
  if (own !== undefined && own.count >= count) return { answer: { kind: 'reserved' }, next: null };
  const others = all.filter((each) => each.uid !== uid);
  const left = max - others.reduce((sum, each) => sum + each.count, 0);
  if (count > left) return { answer: { kind: 'full', left: Math.max(0, left) }, next: null };
  return { answer: { kind: 'reserved' }, next: [...others, { uid, count, at: own?.at ?? at }] };
}

function without(all: readonly Reservation[], uid: JobUid): Change<void> {
  const others = all.filter((each) => each.uid !== uid);
  return { answer: undefined, next: others.length === all.length ? null : others };
}

/** Many writers may reserve at the same moment, and one of them wins each time: a burst of Jobs finishes in a few seconds. */
const TRIES_MAX = 100;
const WAIT_MAX_MS = 50;

/** Writes `next` if the reservations have not changed; otherwise calls `decide` again. */
function* changeReservations<T>(decide: (all: readonly Reservation[]) => Change<T>): Program<T> {
  let row = yield* get(RESERVED_KEY);
  for (let nth = 1; nth <= TRIES_MAX; nth++) {
    const { answer, next } = decide(reservationsIn(row));
    if (next === null) return answer;
    const refusal = yield* writeNext(RESERVED_KEY, versionIn(row), { [FIELD.body]: json(next) });
    if (refusal === null) return answer;
    if (nth > 2) yield* pause(Math.min(2 ** nth, WAIT_MAX_MS));
    row = refusal.kind === 'condition' && nth <= 2 ? refusal.row : yield* get(RESERVED_KEY);
  }
  throw new Error(`others reserved names during each of ${TRIES_MAX} tries`);
}

function* reservations(): Program<readonly Reservation[]> {
  return reservationsIn(yield* get(RESERVED_KEY));
}

function* readHosts(uid: JobUid, row: number): Program<HostRow> {
  return hostRow(row, yield* get(hostsKey(uid, row)));
}

function* listHosts(uid: JobUid): Program<readonly HostRow[]> {
  const [from, to] = HOSTS_RANGE;
  const rows = yield* rowsIn({ partition: jobPartition(uid), from, to });
  return rows.map((row) => hostRow(Number(row.key.sort.split('#')[1]), row));
}

/** The row as its next version. An expired row counts as missing, although DynamoDB may keep it for days. */
function* writeHosts(uid: JobUid, row: HostRow, expireAt: EpochMs): Program<Written> {
  const key = hostsKey(uid, row.row);
  if (row.hosts.length === 0) return yield* removeHosts(key, row);
  const refusal = yield* writeNext(key, row.version, { [FIELD.body]: json(row.hosts) }, { expireAt });
  if (refusal === null) return { kind: 'written', row: { ...row, version: row.version + 1 } };
  return { kind: 'lost', row: hostRow(row.row, yield* storedNow(key, refusal)) };
}

/** A row that does not exist (any more) is removed: the same call may have removed it, and its answer was lost. */
function* removeHosts(key: RowKey, { row, version }: HostRow): Program<Written> {
  const refusal = yield* write({ kind: 'delete', key, condition: versionIs(version), returnOld: true });
  const stored = refusal === null ? null : yield* storedNow(key, refusal);
  return { kind: stored === null ? 'written' : 'lost', row: hostRow(row, stored) };
}

const hostRow = (no: number, row: Row | null): HostRow =>
  row === null
    ? { row: no, version: 0, hosts: [] }
    : { row: no, version: versionIn(row), hosts: jsonIn(row, HostsSchema) };

const reservationsIn = (row: Row | null): readonly Reservation[] =>
  row === null ? [] : jsonIn(row, ReservationsSchema);
