import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import { typeOf } from '../../../shared/schema/kinds/json-fields-of.ts';
import type { Field, FieldType, Scalar } from '../../../shared/schema/kinds/kind-table.ts';
import { KINDS } from '../../../shared/schema/kinds/kinds.ts';

export type Json = { readonly [name: string]: unknown };

/** An object as client-go sends it in protobuf: the magic bytes and the envelope around its message. */
export function encodeProtobuf({
  apiVersion,
  kind,
  ...fields
}: Json & { readonly apiVersion: string; readonly kind: string }) {
  return wrap(apiVersion, kind, encodeMessage(kind, fields));
}

/** The envelope around a message. */
export function wrap(apiVersion: string, kind: string, message: Uint8Array): Uint8Array {
  const envelope = new BinaryWriter();
  envelope.tag(1, WireType.LengthDelimited).fork();
  envelope.tag(1, WireType.LengthDelimited).string(apiVersion).tag(2, WireType.LengthDelimited).string(kind).join();
  envelope.tag(2, WireType.LengthDelimited).bytes(message);
  envelope.tag(3, WireType.LengthDelimited).string('').tag(4, WireType.LengthDelimited).string('');
  return Buffer.concat([Buffer.from('k8s\0'), envelope.finish()]);
}

/** A message as Go writes it: fields that are no pointers are always there, with their zeroes. */
export function encodeMessage(name: string, value: Json): Uint8Array {
  const writer = new BinaryWriter();
  for (const [key, field] of Object.entries(typeOf(KINDS, name).fields)) {
    if (field.inline === true && field.type.is === 'object')
      message(writer, field.no, encodeMessage(field.type.of, value));
    else writeField(writer, field, value[key]);
  }
  return writer.finish();
}

function writeField(writer: BinaryWriter, { no, type, zero }: Field, value: unknown): void {
  if (type.is === 'list') {
    for (const item of (value ?? []) as unknown[]) write(writer, no, type.of, item);
  } else if (type.is === 'map') {
    for (const [key, inner] of Object.entries((value ?? {}) as Json)) {
      writer.tag(no, WireType.LengthDelimited).fork();
      writer.tag(1, WireType.LengthDelimited).string(key);
      write(writer, 2, type.of, inner);
      writer.join();
    }
  } else if (value !== undefined) write(writer, no, type, value);
  else if (zero !== 'shown' && type.is in ZEROES) write(writer, no, type, ZEROES[type.is as keyof typeof ZEROES]);
}

/** What Go writes for a field that is no pointer and not set. */
const ZEROES = { string: '', bool: false, int32: 0, int64: 0 } as const satisfies Partial<Record<Scalar, unknown>>;

function message(writer: BinaryWriter, no: number, bytes: Uint8Array): void {
  writer.tag(no, WireType.LengthDelimited).bytes(bytes);
}

function write(writer: BinaryWriter, no: number, type: FieldType, value: unknown): void {
  switch (type.is) {
    case 'object':
      return message(writer, no, encodeMessage(type.of, value as Json));
    case 'list': {
      const items = new BinaryWriter();
      for (const item of value as unknown[]) write(items, 1, type.of, item);
      return message(writer, no, items.finish());
    }
    case 'string':
      writer.tag(no, WireType.LengthDelimited).string(value as string);
      return;
    case 'bytes':
      return message(writer, no, Buffer.from(value as string, 'base64'));
    case 'bool':
      writer.tag(no, WireType.Varint).bool(value as boolean);
      return;
    case 'int32':
      writer.tag(no, WireType.Varint).int32(value as number);
      return;
    case 'int64':
      writer.tag(no, WireType.Varint).int64(value as number);
      return;
    case 'quantity':
    case 'fieldsV1': {
      const text = type.is === 'quantity' ? (value as string) : JSON.stringify(value);
      return message(writer, no, new BinaryWriter().tag(1, WireType.LengthDelimited).string(text).finish());
    }
    case 'time':
    case 'microTime':
      return message(writer, no, time(value as string));
    case 'intOrString':
      return message(writer, no, intOrString(value as number | string));
    case 'map':
      throw new Error('no map has maps');
  }
}

function time(text: string): Uint8Array {
  const micros = Number(/\.(\d{6})Z$/.exec(text)?.[1] ?? 0);
  const seconds = Math.floor(Date.parse(text) / 1000);
  return new BinaryWriter()
    .tag(1, WireType.Varint)
    .int64(seconds)
    .tag(2, WireType.Varint)
    .int32(micros * 1000)
    .finish();
}

const intOrString = (value: number | string): Uint8Array =>
  new BinaryWriter()
    .tag(1, WireType.Varint)
    .int64(typeof value === 'number' ? 0 : 1)
    .tag(2, WireType.Varint)
    .int32(typeof value === 'number' ? value : 0)
    .tag(3, WireType.LengthDelimited)
    .string(typeof value === 'number' ? '' : value)
    .finish();
