import { NewerFormatError } from '../../domain/base/newer-format.ts';
import type { EpochMs } from '../../domain/base/time.ts';
import { type AlarmPlace, FIELD, type Fields, type RowKey, type Value, nameOf } from '../../store/rows/row.ts';

// How rows lie in an LMDB file: by the bytes of a text made of partition and sort key, as a header and two parts.

/** Ends a partition; none has it in its name, so that a partition's rows lie together, in order of their sort keys. */
const END = '\0';

/** LMDB takes keys of at most 1,978 bytes. Names are shorter, but a request may ask for anything. */
const KEY_BYTES_MAX = 1978;

/** An alarm has two numbers more. */
const ALARM_BYTES_MAX = KEY_BYTES_MAX - 64;

/** The key as LMDB has it; null: no row can have it. */
export function textOf({ partition, sort }: RowKey): string | null {
  const text = partition + END + sort;
  const fits = text.length * 3 <= ALARM_BYTES_MAX || Buffer.byteLength(text) <= ALARM_BYTES_MAX;
  return fits && partition !== '' && !partition.includes(END) && !isHalf(text) ? text : null;
}

/** Half a character: UTF-8 has one form for all of them. */
const isHalf = (text: string): boolean => Buffer.byteLength(text) !== text.length && /\p{Surrogate}/u.test(text);

/** The key that {@link textOf} was given; null: this is none of a row. */
export function keyOf(text: string): RowKey | null {
  const end = text.indexOf(END);
  return end <= 0 ? null : { partition: text.slice(0, end), sort: text.slice(end + 1) };
}

/** Begins the texts of alarms, which come before all rows. Then come shard, minute, and the row's own text. */
const ALARM = END;
const NUMBER_CHARS = 16;
const MINUTE_AT = ALARM.length + NUMBER_CHARS;
const ROW_AT = MINUTE_AT + NUMBER_CHARS;
const eight = Buffer.alloc(8);

/** A number that is not negative, as text that sorts like it. */
export function ordered(number: number): string {
  if (!(number >= 0)) throw new RangeError(`${number} is no place in the index of alarms`);
  eight.writeDoubleBE(number + 0);
  return eight.toString('hex');
}

/** What begins the alarms of a shard. */
export const alarmsOf = (shard: number): string => ALARM + ordered(shard);

/** Where the alarm of a row is; null: its fields do not put it into the index. */
export function alarmText(rowText: string, fields: Fields): string | null {
  const { [FIELD.alarmShard]: shard, [FIELD.alarmMinute]: minute } = fields;
  return typeof shard === 'number' && typeof minute === 'number' ? alarmsOf(shard) + ordered(minute) + rowText : null;
}

/** The minute that an alarm's text names, also as {@link ordered}, and its row. */
export function alarmIn(text: string): Pick<AlarmPlace, 'minute'> & { readonly order: string; readonly row: string } {
  const order = text.slice(MINUTE_AT, ROW_AT);
  return { minute: Buffer.from(order, 'hex').readDoubleBE(), order, row: text.slice(ROW_AT) };
}

/** The texts of all rows follow this one. */
export const FIRST_ROW = '\u0001';

/** Layout of a row, its first byte. In a file of today, a row of an earlier one could not be taken over. */
export const LAYOUT = 3;
const HAS_AT = 1;
const TTL_AT = 2;
const VERSION_AT = 6;
const SMALL_AT = 14;
export const HEADER_BYTES = 18;
const HAS = { version: 1, body: 2, alarm: 4 } as const;

/** Of the fields that are JSON: bytes are in a list of their own. */
type Small = Record<string, string | number | readonly [base64: string]>;

/**
 * Bytes: layout (1), which fields it has (1), ttl in seconds or 0 (4), version (8), length of the JSON (4), the JSON of all fields
 * but these and the body, and the body.
 *
 * @throws TypeError for a number that is none; RangeError for a ttl that is no 32-bit number
 */
export function encodeRow(fields: Fields): Buffer {
  let small: Small | null = null;
  let has = 0;
  let ttl = 0;
  let version = 0;
  let body: Uint8Array | null = null;
  for (const name of Object.keys(fields)) {
    const value = fields[name] as Value;
    if (typeof value === 'number' && !Number.isFinite(value)) throw new TypeError(`${name} is ${value}`);
    if (name === FIELD.body && typeof value === 'object') body = value;
    else if (name === FIELD.version && typeof value === 'number') [version, has] = [value, has | HAS.version];
    else if (name === FIELD.ttl && typeof value === 'number') ttl = value;
    else (small ??= {})[name] = typeof value === 'object' ? [Buffer.from(value).toString('base64')] : value;
  }
  if (body !== null) has |= HAS.body;
  if (small !== null && FIELD.alarmShard in small) has |= HAS.alarm;
  const json = small === null ? '' : JSON.stringify(small);
  const bodyAt = HEADER_BYTES + Buffer.byteLength(json);
  const bytes = Buffer.allocUnsafe(bodyAt + (body?.length ?? 0));
  bytes.writeUInt8(LAYOUT, 0);
  bytes.writeUInt8(has, HAS_AT);
  bytes.writeUInt32BE(ttl, TTL_AT);
  bytes.writeDoubleBE(version, VERSION_AT);
  bytes.writeUInt32BE(bodyAt - HEADER_BYTES, SMALL_AT);
  if (json !== '') bytes.write(json, HEADER_BYTES);
  if (body !== null) bytes.set(body, bodyAt);
  return bytes;
}

/**
 * Whether the bytes are a row of this layout, as far as its header says.
 *
 * @param key named in the error
 * @throws NewerFormatError for a layout of a later release; Error for bytes that are no row
 */
export function checkRow(key: RowKey, bytes: Buffer): void {
  const layout = bytes[0];
  if (layout !== undefined && layout > LAYOUT) throw new NewerFormatError(nameOf(key), layout, LAYOUT);
  if (layout !== LAYOUT || bytes.length < HEADER_BYTES)
    throw new Error(`${nameOf(key)} has layout ${layout}; this version of Muster knows ${LAYOUT}`);
}

/**
 * The fields that {@link encodeRow} was given. The body is a view of `bytes`.
 *
 * @throws as {@link checkRow}
 */
export function decodeRow(key: RowKey, bytes: Buffer): Fields {
  checkRow(key, bytes);
  const has = bytes[HAS_AT] ?? 0;
  const bodyAt = HEADER_BYTES + bytes.readUInt32BE(SMALL_AT);
  if (bodyAt > bytes.length) throw new Error(`${nameOf(key)} is cut off`);
  const fields: Record<string, Value> = {};
  if ((has & HAS.version) !== 0) fields[FIELD.version] = bytes.readDoubleBE(VERSION_AT);
  const ttl = bytes.readUInt32BE(TTL_AT);
  if (ttl !== 0) fields[FIELD.ttl] = ttl;
  if ((has & HAS.body) !== 0) fields[FIELD.body] = bytes.subarray(bodyAt);
  if (bodyAt === HEADER_BYTES) return fields;
  const small = JSON.parse(bytes.toString('utf8', HEADER_BYTES, bodyAt)) as Small;
  for (const name of Object.keys(small)) {
    const value = small[name];
    if (Array.isArray(value)) fields[name] = Buffer.from(String(value[0]), 'base64');
    else if (typeof value === 'string' || typeof value === 'number') fields[name] = value;
    else throw new Error(`${nameOf(key)} has no value of ${name}`);
  }
  return fields;
}

/** Whether a row may have an alarm. What cannot be decoded may have one. */
export const mayHaveAlarm = (bytes: Buffer): boolean =>
  bytes[0] !== LAYOUT || bytes.length < HEADER_BYTES || ((bytes[HAS_AT] ?? 0) & HAS.alarm) !== 0;

/** Whether the row's time has passed. One of another layout says nothing of its time. */
export function isOver(bytes: Buffer, now: EpochMs): boolean {
  if (bytes[0] !== LAYOUT || bytes.length < HEADER_BYTES) return false;
  const ttl = bytes.readUInt32BE(TTL_AT);
  return ttl !== 0 && now >= ttl * 1000;
}

/** An alarm says all by its key. */
export const NOTHING = Buffer.of(0);

const NAMED_CHARS_MAX = 200;
export const cannotBeKey = (key: RowKey): RangeError =>
  new RangeError(`${nameOf(key).slice(0, NAMED_CHARS_MAX)} cannot be a row's key`);
