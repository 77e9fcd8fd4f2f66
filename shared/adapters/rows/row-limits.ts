import { deflateRawSync } from 'node:zlib';
import { comesBefore } from '../../domain/base/text-order.ts';
import { TABLE } from '../../names/table.ts';
import type { TimedRequest } from '../../store/rows/program.ts';
import type { AlarmRange, Fields, Range, RowKey, Value, Write } from '../../store/rows/row.ts';
import { TABLE_LIMITS } from '../../store/rows/table-limits.ts';

/** What DynamoDB refuses beyond, and where it answers less. */
export const ROW_LIMITS = { ...TABLE_LIMITS, pageBytes: 1024 * 1024, getBytes: 16 * 1024 * 1024 } as const;

/** DynamoDB stores 0 and numbers from here to there. */
const NUMBER_FROM = 1e-130;
const NUMBER_BELOW = 1e126;

/** A request that DynamoDB refuses, whatever rows there are. */
class ValidationException extends Error {
  override readonly name = 'ValidationException';
}

function check(ok: boolean, what: string): void {
  if (!ok) throw new ValidationException(`DynamoDB refuses ${what}`);
}

function checkLimit(name: keyof typeof ROW_LIMITS, count: number): void {
  check(count >= 1 && count <= ROW_LIMITS[name], `${count} as ${name}: it takes 1 to ${ROW_LIMITS[name]}`);
}

/** A smaller body fits, however it is stored. */
const PACKED_FROM_BYTES = 64 * 1024;

/** How many bytes a body takes in DynamoDB, where it is compressed: what fits there fits into every store. */
export function packedBytes(body: Uint8Array): number {
  if (body.length < PACKED_FROM_BYTES) return body.length;
  const bytes = known.get(body) ?? 1 + Math.min(body.length, deflateRawSync(body).length);
  known.set(body, bytes);
  return bytes;
}

/** It is asked for again with each page that the body is on. */
const known = new WeakMap<Uint8Array, number>();

/** How many bytes DynamoDB counts for a row: names and values; a number takes one for two digits, and one more. */
export function rowBytes({ partition, sort }: RowKey, fields: Fields): number {
  let bytes = TABLE.partitionKey.length + TABLE.sortKey.length + Buffer.byteLength(partition) + Buffer.byteLength(sort);
  for (const [name, value] of Object.entries(fields)) bytes += Buffer.byteLength(name) + valueBytes(value);
  return bytes;
}

function valueBytes(value: Value): number {
  if (typeof value === 'string') return Buffer.byteLength(value);
  if (typeof value !== 'number') return packedBytes(value);
  const digits = value === 0 ? 0 : value.toExponential().replace(/e.*|[-.]/g, '').length;
  return 1 + Math.ceil(digits / 2);
}

/** @throws ValidationException for a row that is too large */
export const checkRow = (key: RowKey, fields: Fields): void => checkLimit('rowBytes', rowBytes(key, fields));

/** @throws ValidationException for a request that is refused before any row is looked at */
export function checkRequest(request: Exclude<TimedRequest, { readonly kind: 'pause' | 'all' }>): void {
  switch (request.kind) {
    case 'get':
      checkLimit('keysPerGet', request.keys.length);
      return checkKeys(request.keys);
    case 'range':
      return checkRange(request.range);
    case 'write':
      check(request.write.kind !== 'check', 'a check outside of a transaction');
      return checkWrites([request.write]);
    case 'transact':
      checkLimit('writesPerTransaction', request.writes.length);
      for (const { kind, condition } of request.writes)
        check(kind !== 'check' || condition !== undefined, 'a check without a condition');
      checkWrites(request.writes);
      return checkLimit('transactionBytes', sum(request.writes.map((each) => rowBytes(each.key, fieldsIn(each)))));
    case 'batch':
      checkLimit('writesPerBatch', request.writes.length);
      for (const { kind, condition } of request.writes)
        check(
          (kind === 'put' || kind === 'delete') && condition === undefined,
          'a batch of more than puts and deletions',
        );
      return checkWrites(request.writes);
    case 'alarms':
      return checkAlarms(request.range);
  }
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, each) => total + each, 0);

function checkKey({ partition, sort }: RowKey): void {
  checkLimit('partitionBytes', Buffer.byteLength(partition));
  checkLimit('sortBytes', Buffer.byteLength(sort));
}

function checkKeys(keys: readonly RowKey[]): void {
  for (const key of keys) checkKey(key);
  const names = new Set(keys.map(({ partition, sort }) => JSON.stringify([partition, sort])));
  check(names.size === keys.length, 'a request that names a row twice');
}

const fieldsIn = (write: Write): Fields =>
  write.kind === 'put' ? write.fields : write.kind === 'update' ? write.set : {};

const KEYS: readonly string[] = [TABLE.partitionKey, TABLE.sortKey];
const INDEXED: readonly string[] = [TABLE.alarms.shard, TABLE.alarms.minute];

function checkWrites(writes: readonly Write[]): void {
  checkKeys(writes.map(({ key }) => key));
  for (const write of writes) {
    const fields = fieldsIn(write);
    const removed = write.kind === 'update' ? (write.remove ?? []) : [];
    for (const name of [...Object.keys(fields), ...removed]) check(!KEYS.includes(name), `a change of ${name}, a key`);
    for (const name of removed) check(!(name in fields), `${name} both set and removed`);
    for (const [name, value] of Object.entries(fields)) {
      check(typeof value !== 'number' || isStorable(value), `${String(value)} as ${name}`);
      check(typeof value === 'number' || !INDEXED.includes(name), `${name} that is no number`);
    }
    checkRow(write.key, fields);
  }
}

const isStorable = (number: number): boolean =>
  number === 0 || (Math.abs(number) >= NUMBER_FROM && Math.abs(number) < NUMBER_BELOW);

function checkRange({ partition, from, to, limit = 1, after }: Range): void {
  // That holds nothing, and our adapter does not ask for it.
  if (to === '' || comesBefore(to, from)) return;
  checkKey({ partition, sort: to });
  if (from !== '') checkKey({ partition, sort: from });
  check(limit >= 1, 'a page of no rows');
  if (after === undefined || after === null) return;
  const isInside = after.partition === partition && !comesBefore(after.sort, from) && !comesBefore(to, after.sort);
  check(isInside, 'a range that goes on after a row outside of it');
}

function checkAlarms({ until, limit, after }: AlarmRange): void {
  check(limit >= 1, 'a page of no alarms');
  check(until === null || after === null || after.minute <= until, 'a range that goes on after an alarm outside of it');
}
