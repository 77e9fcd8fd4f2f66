import { BinaryReader, WireType } from '@bufbuild/protobuf/wire';
import { MANIFEST_BYTES_MAX } from '../text/document.ts';
import type { KindTable } from '../kinds/kind-table.ts';
import { KINDS } from '../kinds/kinds.ts';
import { type JsonObject, readMessage } from './read-message.ts';
import { Unreadable } from './unreadable.ts';

export const PROTOBUF_TYPE = 'application/vnd.kubernetes.protobuf';

export type DecodedProtobuf =
  /** The object as the client would have sent it in JSON, including `apiVersion` and `kind`. */
  { readonly kind: 'decoded'; readonly value: JsonObject } | { readonly kind: 'unreadable'; readonly reason: string };

/**
 * Reads a body of the type `application/vnd.kubernetes.protobuf`: the four bytes `k8s\0`, then an envelope that names
 * the kind and holds the object (`runtime.Unknown` of k8s.io/apimachinery). A field that is not in the table is refused
 * with its path and number, because nothing may be ignored. Never throws.
 */
export function decodeProtobuf(
  bytes: Uint8Array,
  { kinds = KINDS, bytesMax = MANIFEST_BYTES_MAX }: { readonly kinds?: KindTable; readonly bytesMax?: number } = {},
): DecodedProtobuf {
  if (bytes.length > bytesMax) return unreadable(`larger than ${bytesMax} bytes`);
  const path: (string | number)[] = [];
  try {
    const { apiVersion, kind, raw } = readEnvelope(bytes);
    const own = kinds[kind]?.apiVersion;
    if (own === undefined || (own !== apiVersion && kind !== IN_EVERY_GROUP))
      return unreadable(`no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(apiVersion)}`);
    if (kinds[kind]?.jsonOnly === true) return unreadable(`a ${kind} has no form in protobuf: send JSON`);
    return { kind: 'decoded', value: { apiVersion, kind, ...readMessage(kinds, kind, raw, path) } };
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    const place = path.length === 0 ? '' : `${pathText(path)}: `;
    // The library's own errors are about the bytes, too.
    return unreadable(`${place}${error.message}`);
  }
}

const unreadable = (reason: string): DecodedProtobuf => ({
  kind: 'unreadable',
  reason: `protobuf parse error: ${reason}`,
});

/** Clients send it in the API group of the object that they delete. */
const IN_EVERY_GROUP = 'DeleteOptions';

const MAGIC = [0x6b, 0x38, 0x73, 0x00];

type Envelope = { readonly apiVersion: string; readonly kind: string; readonly raw: Uint8Array };

/** `runtime.Unknown`: typeMeta=1 {apiVersion=1, kind=2}, raw=2, contentEncoding=3, contentType=4. */
function readEnvelope(bytes: Uint8Array): Envelope {
  if (MAGIC.some((byte, at) => bytes[at] !== byte)) throw new Unreadable('does not begin with k8s and a zero byte');
  const parts = readParts(bytes.subarray(MAGIC.length), ['typeMeta', 'raw', 'contentEncoding', 'contentType']);
  const [typeMeta, raw, contentEncoding, contentType] = parts;
  const [apiVersion, kind] = readParts(typeMeta ?? new Uint8Array(), ['apiVersion', 'kind']).map(text);
  const encoding = text(contentEncoding);
  if (encoding !== '') throw new Unreadable(`content encoding ${JSON.stringify(encoding)} is not known`);
  const type = text(contentType);
  if (type !== '' && type !== PROTOBUF_TYPE) throw new Unreadable(`content type ${JSON.stringify(type)} is not known`);
  // Go writes an empty object as a field of no bytes.
  if (raw === undefined) throw new Unreadable('the envelope holds no object');
  return { apiVersion: apiVersion ?? '', kind: kind ?? '', raw };
}

/** The parts of a message whose fields 1, 2, ... are all bytes or text and have these names. */
function readParts(bytes: Uint8Array, names: readonly string[]): readonly (Uint8Array | undefined)[] {
  const reader = new BinaryReader(bytes);
  const parts: (Uint8Array | undefined)[] = names.map(() => undefined);
  while (reader.pos < reader.len) {
    const [no, wireType] = reader.tag();
    const name = names[no - 1];
    if (name === undefined) throw new Unreadable(`the envelope has no field ${no}`);
    if (wireType !== WireType.LengthDelimited)
      throw new Unreadable(`${name} of the envelope has wire type ${wireType}`);
    parts[no - 1] = reader.bytes();
  }
  return parts;
}

const text = (bytes: Uint8Array | undefined): string => new TextDecoder('utf-8', { fatal: true }).decode(bytes);

/** `spec.containers[0].name` */
const pathText = (path: readonly (string | number)[]): string =>
  path.map((step, at) => (typeof step === 'number' ? `[${step}]` : at === 0 ? step : `.${step}`)).join('');
