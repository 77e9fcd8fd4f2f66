import { BinaryReader, WireType } from '@bufbuild/protobuf/wire';
import { parseDocument } from '../text/document.ts';
import { Unreadable } from './unreadable.ts';

/**
 * Readers for messages that are a single value in JSON; undefined: absent. The numbers are those of
 * k8s.io/apimachinery.
 */
export const SPECIAL = {
  /** Base64 in JSON. */
  bytes: (bytes: Uint8Array): unknown => btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join('')),
  quantity: (bytes: Uint8Array): unknown => readNumbered(bytes, ['text'])[0] ?? '0',
  /** Seconds since 1970. Ignores nanoseconds, as Go does. Go's zero time has no bytes. */
  time: (bytes: Uint8Array): unknown => {
    if (bytes.length === 0) return undefined;
    const [seconds = 0] = readNumbered(bytes, ['number', 'number']);
    return isoTime(Number(seconds)).replace('.000Z', 'Z');
  },
  microTime: (bytes: Uint8Array): unknown => {
    if (bytes.length === 0) return undefined;
    const [seconds = 0, nanos = 0] = readNumbered(bytes, ['number', 'number']);
    if (Number(nanos) < 0 || Number(nanos) >= 1e9) throw new Unreadable(`${nanos} nanoseconds`);
    const micros = String(Math.trunc(Number(nanos) / 1000)).padStart(6, '0');
    return isoTime(Number(seconds)).replace('.000Z', `.${micros}Z`);
  },
  intOrString: (bytes: Uint8Array): unknown => {
    const [type = 0, int = 0, text = ''] = readNumbered(bytes, ['number', 'number', 'text']);
    if (type === 0) return int;
    if (type === 1) return text;
    throw new Unreadable(`neither a number nor a string, but ${type}`);
  },
  /** The bytes are JSON. */
  fieldsV1: (bytes: Uint8Array): unknown => {
    const [json = ''] = readNumbered(bytes, ['text']);
    if (json === '') return undefined;
    const document = parseDocument(String(json), 'json');
    if (document.kind !== 'parsed') throw new Unreadable(document.reason);
    return document.value ?? undefined;
  },
} as const;

/** Fields 1, 2, ... of a small message, each text or a number; undefined if absent. */
function readNumbered(
  bytes: Uint8Array,
  kinds: readonly ('text' | 'number')[],
): readonly (string | number | undefined)[] {
  const reader = new BinaryReader(bytes);
  const values: (string | number | undefined)[] = kinds.map(() => undefined);
  while (reader.pos < reader.len) {
    const [no, wireType] = reader.tag();
    const kind = kinds[no - 1];
    if (kind === undefined) throw new Unreadable(`no field ${no} here`);
    const wanted = kind === 'text' ? WireType.LengthDelimited : WireType.Varint;
    if (wireType !== wanted) throw new Unreadable(`wire type ${wireType}, not ${wanted}`);
    values[no - 1] = kind === 'text' ? reader.string(true) : safeNumber(reader.int64());
  }
  return values;
}

function safeNumber(value: bigint | string): number {
  const number = Number(value);
  if (!Number.isSafeInteger(number)) throw new Unreadable(`${value} is too large`);
  return number;
}

/** RFC 3339 allows four digits for the year. */
const FIRST_SECOND = Date.parse('0000-01-01T00:00:00Z') / 1000;
const LAST_SECOND = Date.parse('9999-12-31T23:59:59Z') / 1000;

function isoTime(seconds: number): string {
  if (seconds < FIRST_SECOND || seconds > LAST_SECOND) throw new Unreadable(`${seconds} seconds are beyond all years`);
  return new Date(seconds * 1000).toISOString();
}
