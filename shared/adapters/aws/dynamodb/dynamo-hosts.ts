import { setTimeout as sleep } from 'node:timers/promises';
import { DeleteItemCommand, ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { type EpochMs, toTtl } from '../../../domain/base/time.ts';
import type { JobUid } from '../../../domain/base/ids.ts';
import { TABLE } from '../../../names/table.ts';
import type { HostRow, HostStore, Reservation } from '../../../ports/host-store.ts';
import { HostsSchema, ReservationsSchema } from '../../../store/programs/row-bodies.ts';
import { HOSTS_RANGE, hostsKey, jobPartition, limitKey } from './dynamo-keys.ts';
import { queryAll, rangeRequest, readRow } from './dynamo-read.ts';
import { ATTRIBUTE, type Row, alive, jsonIn, number, numberIn, packedJson, text, textIn } from './dynamo-row.ts';
import { type Table, change, isBy, sendUpdate, versionIs } from './dynamo-write.ts';

/** All reservations are in one row, so each writer sees all others. 2,000 of them take 150 KB. */
const RESERVED_KEY = limitKey('hosts');

/** {@link HostStore} as one row of reservations, and a row in the Job's partition for every ten indexes. */
export const hosts = (table: Table): HostStore => ({
  async reserve(uid, count, max, at) {
    return changeReservations<Awaited<ReturnType<HostStore['reserve']>>>(table, (all) => {
      const own = all.find((each) => each.uid === uid);
      if (own !== undefined && own.count >= count) return { answer: { kind: 'reserved' }, next: null };
      const others = all.filter((each) => each.uid !== uid);
      const left = max - others.reduce((sum, each) => sum + each.count, 0);
      if (count > left) return { answer: { kind: 'full', left: Math.max(0, left) }, next: null };
      return { answer: { kind: 'reserved' }, next: [...others, { uid, count, at: own?.at ?? at }] };
    });
  },

  async release(uid) {
    await changeReservations(table, (all) => {
      const others = all.filter((each) => each.uid !== uid);
      return { answer: null, next: others.length === all.length ? null : others };
    });
  },

  async reservations() {
    return reservationsIn(await readRow(table, RESERVED_KEY));
  },

  async readHosts(uid, row) {
    return hostRow(row, await readRow(table, hostsKey(uid, row)));
  },

  async listHosts(uid) {
    const rows = await queryAll(table, rangeRequest(table.name, jobPartition(uid), ...HOSTS_RANGE));
    return rows.map((row) => hostRow(Number(textIn(row, TABLE.sortKey).split('#')[1]), row));
  },

  async writeHosts(uid, row, expireAt) {
    if (row.hosts.length === 0) return removeRow(table, uid, row);
    const token = table.newToken();
    const refusal = await sendUpdate(
      table.client,
      hostsRequest({ tableName: table.name, token, uid, row, expireAt, now: table.now() }),
    );
    if (refusal === null || isBy(refusal, token)) return { kind: 'written', row: { ...row, version: row.version + 1 } };
    const stored =
      refusal.kind === 'conflict'
        ? await readRow(table, hostsKey(uid, row.row))
        : alive(refusal.row ?? undefined, table.now());
    return { kind: 'lost', row: hostRow(row.row, stored) };
  },
});

/** Many writers may reserve at the same moment, and one of them wins each time: a burst of Jobs finishes in a few seconds. */
const TRIES_MAX = 100;
const WAIT_MAX_MS = 50;

/** Writes `next` (null: nothing) if the reservations have not changed; otherwise calls `decide` again. */
async function changeReservations<T>(
  table: Table,
  decide: (all: readonly Reservation[]) => { readonly answer: T; readonly next: readonly Reservation[] | null },
): Promise<T> {
  let row = await readRow(table, RESERVED_KEY);
  for (let nth = 1; nth <= TRIES_MAX; nth++) {
    const { answer, next } = decide(reservationsIn(row));
    if (next === null) return answer;
    const token = table.newToken();
    const version = row === null ? 0 : numberIn(row, ATTRIBUTE.version);
    const refusal = await sendUpdate(table.client, reservedRequest(table.name, token, version, next));
    if (refusal === null || isBy(refusal, token)) return answer;
    if (nth > 2) await sleep(Math.min(2 ** nth, WAIT_MAX_MS));
    row = refusal.kind === 'condition' && nth <= 2 ? refusal.row : await readRow(table, RESERVED_KEY);
  }
  throw new Error(`others reserved names during each of ${TRIES_MAX} tries`);
}

/** The reservations as their next version. */
export const reservedRequest = (tableName: string, token: string, version: number, all: readonly Reservation[]) =>
  change(tableName, {
    key: RESERVED_KEY,
    set: {
      [ATTRIBUTE.version]: number(version + 1),
      [ATTRIBUTE.by]: text(token),
      [ATTRIBUTE.body]: packedJson(all),
    },
    condition: versionIs(version),
    returnOld: true,
  });

/** The row as its next version. An expired row counts as missing, although DynamoDB may keep it for days. */
export const hostsRequest = ({
  tableName,
  token,
  uid,
  row: { row, version, hosts: all },
  expireAt,
  now,
}: {
  readonly tableName: string;
  readonly token: string;
  readonly uid: JobUid;
  readonly row: HostRow;
  readonly expireAt: EpochMs;
  readonly now: EpochMs;
}) =>
  change(tableName, {
    key: hostsKey(uid, row),
    set: {
      [ATTRIBUTE.version]: number(version + 1),
      [ATTRIBUTE.by]: text(token),
      [ATTRIBUTE.body]: packedJson(all),
      [TABLE.ttl]: number(toTtl(expireAt)),
    },
    condition: {
      expression: version === 0 ? 'attribute_not_exists(#pk) OR #ttl <= :now' : '#version = :was AND #ttl > :now',
      values: { ':now': number(Math.floor(now / 1000)), ...(version === 0 ? {} : { ':was': number(version) }) },
    },
    returnOld: true,
  });

/** A row that does not exist (any more) is removed: the same call may have removed it, and the SDK repeated it. */
async function removeRow(table: Table, uid: JobUid, { row, version }: HostRow): ReturnType<HostStore['writeHosts']> {
  const none: HostRow = { row, version: 0, hosts: [] };
  try {
    const { expression, values } = versionIs(version);
    await table.client.send(
      new DeleteItemCommand({
        TableName: table.name,
        Key: hostsKey(uid, row),
        ConditionExpression: expression,
        ExpressionAttributeNames: version === 0 ? { '#pk': TABLE.partitionKey } : { '#version': ATTRIBUTE.version },
        ...(values === undefined ? {} : { ExpressionAttributeValues: values }),
        ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
      }),
    );
    return { kind: 'written', row: none };
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
    const stored = alive(error.Item, table.now());
    return stored === null ? { kind: 'written', row: none } : { kind: 'lost', row: hostRow(row, stored) };
  }
}

const hostRow = (no: number, row: Row | null): HostRow =>
  row === null
    ? { row: no, version: 0, hosts: [] }
    : { row: no, version: numberIn(row, ATTRIBUTE.version), hosts: jsonIn(row, HostsSchema) };

const reservationsIn = (row: Row | null): readonly Reservation[] =>
  row === null ? [] : jsonIn(row, ReservationsSchema);
