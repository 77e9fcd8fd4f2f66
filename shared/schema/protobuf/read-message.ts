import { BinaryReader, WireType } from '@bufbuild/protobuf/wire';
import { unreachable } from '../../domain/base/invariant.ts';
import { typeOf } from '../kinds/json-fields-of.ts';
import type { Field, FieldType, KindTable, ObjectType, Scalar } from '../kinds/kind-table.ts';
import { SPECIAL } from './special-values.ts';
import { Unreadable } from './unreadable.ts';

export type JsonObject = { [name: string]: unknown };
type Path = (string | number)[];

/**
 * Reads a message of the type `name` into Go's JSON form: with JSON names, embedded structs inlined, and zeros omitted
 * where JSON omits them. A repeated field follows protobuf's rules: lists grow, objects merge, and the last scalar
 * wins. `path` is the reader's position, even after an error. Throws for content that is not in the table, and for
 * malformed bytes.
 */
export function readMessage(
  kinds: KindTable,
  name: string,
  bytes: Uint8Array,
  path: Path,
  into: JsonObject = {},
): JsonObject {
  const type = typeOf(kinds, name);
  const fields = fieldsByNumber(type);
  const reader = new BinaryReader(bytes);
  while (reader.pos < reader.len) {
    const [no, wireType] = reader.tag();
    const known = fields.get(no);
    if (known === undefined) {
      if (saysNothing(reader, wireType)) continue;
      throw new Unreadable(`${name} has no field ${no}`);
    }
    const [key, field] = known;
    const embedded = field.inline === true && field.type.is === 'object' ? field.type.of : null;
    if (embedded === null) {
      path.push(key);
      readField(kinds, reader, wireType, key, field, path, into);
      path.pop();
    } else {
      expectWire(wireType, WireType.LengthDelimited);
      readMessage(kinds, embedded, reader.bytes(), path, into);
    }
  }
  return into;
}

/**
 * Skips a zero or empty field that is not in the table. Go always writes fields that are not pointers, so a newer
 * client sends zeros for fields that are not set.
 */
function saysNothing(reader: BinaryReader, wireType: WireType): boolean {
  if (wireType === WireType.Varint) return Number(reader.uint64()) === 0;
  return wireType === WireType.LengthDelimited && reader.bytes().length === 0;
}

type Numbered = ReadonlyMap<number, readonly [string, Field]>;

/** A cache, because every message needs it and the table never changes. */
const numbered = new WeakMap<ObjectType, Numbered>();

function fieldsByNumber(type: ObjectType): Numbered {
  const known =
    numbered.get(type) ?? new Map(Object.entries(type.fields).map((entry) => [entry[1].no, entry] as const));
  numbered.set(type, known);
  return known;
}

function readField(
  kinds: KindTable,
  reader: BinaryReader,
  wireType: WireType,
  key: string,
  field: Field,
  path: Path,
  into: JsonObject,
): void {
  const { type } = field;
  if (type.is === 'list') {
    into[key] = readItems(kinds, reader, wireType, type.of, path, asList(into[key]));
  } else if (type.is === 'map') {
    expectWire(wireType, WireType.LengthDelimited);
    into[key] = readEntry(kinds, reader.bytes(), type.of, path, asObject(into[key]));
  } else if (type.is === 'object') {
    expectWire(wireType, WireType.LengthDelimited);
    into[key] = readMessage(kinds, type.of, reader.bytes(), path, asObject(into[key]));
  } else {
    const value = readScalar(reader, wireType, type.is);
    if (value === undefined || (isZero(value) && !showsZero(field))) Reflect.deleteProperty(into, key);
    else into[key] = value;
  }
}

const asList = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
const isObject = (value: unknown): value is JsonObject => typeof value === 'object' && value !== null;
const asObject = (value: unknown): JsonObject => (isObject(value) ? value : {});

const showsZero = ({ required, zero, type }: Field): boolean =>
  required === true || zero === 'shown' || type.is === 'quantity' || type.is === 'intOrString';
const isZero = (value: unknown): boolean => value === '' || value === 0 || value === false;

/** Reads one item, or several numbers packed into one field. */
function readItems(
  kinds: KindTable,
  reader: BinaryReader,
  wireType: WireType,
  of: FieldType,
  path: Path,
  items: unknown[],
): unknown[] {
  if (wireType === WireType.LengthDelimited && (of.is === 'int32' || of.is === 'int64' || of.is === 'bool')) {
    const packed = new BinaryReader(reader.bytes());
    while (packed.pos < packed.len) items.push(readScalar(packed, WireType.Varint, of.is));
    return items;
  }
  path.push(items.length);
  items.push(readValue(kinds, reader, wireType, of, path));
  path.pop();
  return items;
}

/** Reads an entry of a map: a message with key=1 and value=2. */
function readEntry(kinds: KindTable, bytes: Uint8Array, of: FieldType, path: Path, into: JsonObject): JsonObject {
  const reader = new BinaryReader(bytes);
  let key = '';
  let value: unknown;
  while (reader.pos < reader.len) {
    const [no, wireType] = reader.tag();
    if (no === 1) key = String(readScalar(reader, wireType, 'string'));
    else if (no === 2) value = readValue(kinds, reader, wireType, of, path);
    else throw new Unreadable(`an entry of a map has no field ${no}`);
  }
  // Refused in JSON as well, because some walks over an object skip it.
  if (key === '__proto__') throw new Unreadable('key "__proto__"');
  into[key] = value ?? emptyOf(of);
  return into;
}

/** The value of a map entry without a value. */
function emptyOf(of: FieldType): unknown {
  if (of.is === 'quantity') return '0';
  return of.is === 'list' ? [] : of.is === 'string' || of.is === 'bytes' ? '' : {};
}

function readValue(kinds: KindTable, reader: BinaryReader, wireType: WireType, of: FieldType, path: Path): unknown {
  if (of.is === 'map') throw new Unreadable('a map within a list or a map');
  if (of.is !== 'object' && of.is !== 'list') return readScalar(reader, wireType, of.is);
  expectWire(wireType, WireType.LengthDelimited);
  return of.is === 'object'
    ? readMessage(kinds, of.of, reader.bytes(), path)
    : readWrappedList(kinds, reader.bytes(), of.of, path);
}

/** Reads a list within a map, which is a message with `items=1`. */
function readWrappedList(kinds: KindTable, bytes: Uint8Array, of: FieldType, path: Path): unknown[] {
  const reader = new BinaryReader(bytes);
  let items: unknown[] = [];
  while (reader.pos < reader.len) {
    const [no, wireType] = reader.tag();
    if (no !== 1) throw new Unreadable(`a list has no field ${no}`);
    items = readItems(kinds, reader, wireType, of, path, items);
  }
  return items;
}

/** undefined: absent or null in JSON. */
function readScalar(reader: BinaryReader, wireType: WireType, is: Scalar): unknown {
  switch (is) {
    case 'bool':
      expectWire(wireType, WireType.Varint);
      return reader.bool();
    case 'int32':
      expectWire(wireType, WireType.Varint);
      return readInteger(reader, -(2 ** 31), 2 ** 31 - 1);
    case 'int64':
      expectWire(wireType, WireType.Varint);
      return readInteger(reader, Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER);
    case 'string':
      expectWire(wireType, WireType.LengthDelimited);
      return reader.string(true);
    case 'bytes':
    case 'quantity':
    case 'time':
    case 'microTime':
    case 'intOrString':
    case 'fieldsV1':
      expectWire(wireType, WireType.LengthDelimited);
      return SPECIAL[is](reader.bytes());
    default:
      return unreachable(is);
  }
}

/** A negative number always has 64 bits. */
function readInteger(reader: BinaryReader, min: number, max: number): number {
  const read = reader.int64();
  const value = Number(read);
  if (value < min || value > max) throw new Unreadable(`${read} is not between ${min} and ${max}`);
  return value;
}

function expectWire(wireType: WireType, wanted: WireType): void {
  if (wireType !== wanted) throw new Unreadable(`wire type ${wireType}, not ${wanted}`);
}
