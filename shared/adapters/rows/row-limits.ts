import { comesBefore } from '../../domain/base/text-order.ts';
import { TABLE } from '../../names/table.ts';
import type { AlarmRange, Fields, Range, RowKey, Value, Write } from '../../store/rows/row.ts';

/** DynamoDB's limits (aws.md 2.1), in bytes and in rows of one request. */
export const ROW_LIMITS = {
  partitionBytes: 2_048,
  sortBytes: 1_024,
  rowBytes: 400 * 1024,
  pageBytes: 1024 * 1024,
  keysPerGet: 100,
  getBytes: 16 * 1024 * 1024,
  writesPerTransaction: 100,
  transactionBytes: 4 * 1024 * 1024,
  writesPerBatch: 25,
} as const;

/** DynamoDB stores numbers of less than this, and none but 0 that are closer to 0 than that. */
const NUMBER_BELOW = 1e126;
const NUMBER_FROM = 1e-130;

/** A request that DynamoDB refuses, whatever rows there are. */
class ValidationException extends Error {
  override readonly name = 'ValidationException';
}

const INVALID = 'One or more parameter values were invalid:';

function check(ok: boolean, what: string): void {
  if (!ok) throw new ValidationException(what);
}

/** How many bytes DynamoDB counts for a row: names and values; a number takes one for two digits, and one more. */
export function rowBytes({ partition, sort }: RowKey, fields: Fields): number {
  let bytes = TABLE.partitionKey.length + TABLE.sortKey.length + Buffer.byteLength(partition) + Buffer.byteLength(sort);
  for (const [name, value] of Object.entries(fields)) bytes += Buffer.byteLength(name) + valueBytes(value);
  return bytes;
}

function valueBytes(value: Value): number {
  if (typeof value === 'string') return Buffer.byteLength(value);
  if (typeof value !== 'number') return value.length;
  const digits = value === 0 ? 0 : value.toExponential().replace(/e.*|[-.]/g, '').length;
  return 1 + Math.ceil(digits / 2);
}

/** @throws ValidationException for a key that no row can have */
function checkKey({ partition, sort }: RowKey): void {
  const empty = partition === '' ? TABLE.partitionKey : TABLE.sortKey;
  check(
    partition !== '' && sort !== '',
    `One or more parameter values are not valid. The AttributeValue for a key attribute cannot contain an empty string value. Key: ${empty}`,
  );
  const { partitionBytes, sortBytes } = ROW_LIMITS;
  check(
    Buffer.byteLength(partition) <= partitionBytes,
    `${INVALID} Size of hashkey has exceeded the maximum size limit of ${partitionBytes} bytes`,
  );
  check(
    Buffer.byteLength(sort) <= sortBytes,
    `${INVALID} Aggregated size of all range keys has exceeded the size limit of ${sortBytes} bytes`,
  );
}

const INDEX_KEYS: readonly string[] = [TABLE.alarms.shard, TABLE.alarms.minute];

function checkField(name: string, value: Value): void {
  checkName(name);
  if (INDEX_KEYS.includes(name))
    check(
      typeof value === 'number',
      `${INVALID} Type mismatch for Index Key ${name} Expected: N IndexName: ${TABLE.alarms.index}`,
    );
  if (typeof value !== 'number' || value === 0) return;
  const magnitude = Math.abs(value);
  check(Number.isFinite(value), `The parameter cannot be converted to a numeric value: ${value}`);
  check(
    magnitude < NUMBER_BELOW,
    `Number overflow. Attempting to store a number with magnitude larger than supported range: ${name}`,
  );
  check(
    magnitude >= NUMBER_FROM,
    `Number underflow. Attempting to store a number with magnitude smaller than supported range: ${name}`,
  );
}

function checkName(name: string): void {
  const isKey = name === TABLE.partitionKey || name === TABLE.sortKey;
  check(!isKey, `${INVALID} Cannot update attribute ${name}. This attribute is part of the key`);
}

/** @throws ValidationException for a write that is refused before the row is looked at; of a transaction also checks are none */
function checkWrite(write: Write): void {
  checkKey(write.key);
  const { fields, removed } = changeOf(write);
  for (const [name, value] of Object.entries(fields)) checkField(name, value);
  for (const name of removed) {
    checkName(name);
    check(
      !(name in fields),
      `Invalid UpdateExpression: Two document paths overlap with each other; must remove or modify one of these paths; path one: [${name}], path two: [${name}]`,
    );
  }
  if (write.kind === 'put') checkRow(write, rowBytes(write.key, fields));
}

/** @throws ValidationException for a row that would be too large */
export function checkRow({ kind }: Write, bytes: number): void {
  const what = kind === 'update' ? 'Item size to update' : 'Item size';
  check(bytes <= ROW_LIMITS.rowBytes, `${what} has exceeded the maximum allowed size`);
}

function changeOf(write: Write): { readonly fields: Fields; readonly removed: readonly string[] } {
  if (write.kind === 'put') return { fields: write.fields, removed: [] };
  return write.kind === 'update' ? { fields: write.set, removed: write.remove ?? [] } : { fields: {}, removed: [] };
}

/** @throws ValidationException for a single write that is refused before the row is looked at */
export function checkSingle(write: Write): void {
  check(write.kind !== 'check', 'A check is part of a transaction');
  checkWrite(write);
}

/** @throws ValidationException for a transaction that is refused before the rows are looked at */
export function checkTransaction(writes: readonly Write[]): void {
  const { writesPerTransaction, transactionBytes } = ROW_LIMITS;
  checkCount('transactItems', writes.length, writesPerTransaction);
  for (const write of writes) {
    checkWrite(write);
    check(
      write.kind !== 'check' || write.condition !== undefined,
      'The expression can not be empty: a ConditionCheck needs its ConditionExpression',
    );
  }
  check(isDistinct(writes.map(({ key }) => key)), 'Transaction request cannot include multiple operations on one item');
  const bytes = writes.reduce((sum, write) => sum + rowBytes(write.key, changeOf(write).fields), 0);
  check(bytes <= transactionBytes, 'The aggregate size of the items in the transaction exceeds 4 MB');
}

/** @throws ValidationException for a batch that is refused as a whole */
export function checkBatch(writes: readonly Write[]): void {
  check(writes.length <= ROW_LIMITS.writesPerBatch, 'Too many items requested for the BatchWriteItem call');
  checkCount('requestItems', writes.length, ROW_LIMITS.writesPerBatch);
  for (const write of writes) {
    const isPlain = (write.kind === 'put' || write.kind === 'delete') && write.condition === undefined;
    check(isPlain, 'A batch holds puts and deletes without conditions');
    checkWrite(write);
  }
  check(isDistinct(writes.map(({ key }) => key)), 'Provided list of item keys contains duplicates');
}

/** @throws ValidationException for keys that are refused as a whole */
export function checkKeys(keys: readonly RowKey[]): void {
  check(keys.length <= ROW_LIMITS.keysPerGet, 'Too many items requested for the BatchGetItem call');
  checkCount('requestItems', keys.length, ROW_LIMITS.keysPerGet);
  for (const key of keys) checkKey(key);
  check(isDistinct(keys), 'Provided list of item keys contains duplicates');
}

/**
 * Whether rows can be in the range: not if it ends before it begins, or at an empty key.
 *
 * @throws ValidationException for a range that DynamoDB does not take
 */
export function checkRange({ partition, from, to, limit, after }: Range): boolean {
  if (to === '' || comesBefore(to, from)) return false;
  checkKey({ partition, sort: to });
  if (from !== '') checkKey({ partition, sort: from });
  checkLimit(limit);
  if (after === undefined || after === null) return true;
  const isInside = after.partition === partition && !comesBefore(after.sort, from) && !comesBefore(to, after.sort);
  check(isInside, 'The provided starting key is outside query boundaries based on provided conditions');
  return true;
}

/** @throws ValidationException for a range of the index that DynamoDB does not take */
export function checkAlarmRange({ until, limit, after }: AlarmRange): void {
  checkLimit(limit);
  if (after !== null && until !== null)
    check(after.minute <= until, 'The provided starting key is outside query boundaries based on provided conditions');
}

function checkLimit(limit: number | undefined): void {
  check(
    limit === undefined || limit >= 1,
    `1 validation error detected: Value '${limit}' at 'limit' failed to satisfy constraint: Member must have value greater than or equal to 1`,
  );
}

function checkCount(member: string, count: number, max: number): void {
  const bound = count < 1 ? 'greater than or equal to 1' : `less than or equal to ${max}`;
  check(
    count >= 1 && count <= max,
    `1 validation error detected: Value '[${count} items]' at '${member}' failed to satisfy constraint: Member must have length ${bound}`,
  );
}

const isDistinct = (keys: readonly RowKey[]): boolean =>
  new Set(keys.map(({ partition, sort }) => JSON.stringify([partition, sort]))).size === keys.length;
