/** A message of a data channel of Session Manager, whose gateway lies between a client and the agent in a container. */
export type SsmMessage = {
  /** `input_stream_data`, `output_stream_data`, `acknowledge`, … */
  readonly messageType: string;
  readonly createdMs: number;
  readonly sequence: number;
  readonly flags: number;
  /** A UUID. */
  readonly messageId: string;
  /** What the payload is, {@link PAYLOADS}; 0: the message's type says it. */
  readonly payloadType: number;
  readonly payload: Uint8Array;
};

export const MESSAGES = {
  input: 'input_stream_data',
  output: 'output_stream_data',
  acknowledge: 'acknowledge',
  closed: 'channel_closed',
  start: 'start_publication',
  pause: 'pause_publication',
} as const;

export const PAYLOADS = {
  output: 1,
  error: 2,
  size: 3,
  handshakeRequest: 5,
  handshakeResponse: 6,
  handshakeComplete: 7,
  flag: 10,
  stderr: 11,
  exitCode: 12,
} as const;

/** What a payload `flag` says: four bytes. */
export const FLAGS = { disconnectToPort: 1, terminateSession: 2, connectToPortError: 3 } as const;

/** SHA-256. */
export type Digest = (bytes: Uint8Array) => Uint8Array;

const SCHEMA_VERSION = 1;
const TYPE = { at: 4, bytes: 32 } as const;
const AT = { version: 36, created: 40, sequence: 48, flags: 56, id: 64, digest: 80, payloadType: 112 } as const;
/** Up to the length of the payload, which is not part of it. */
const HEADER_BYTES = 116;
/** Of messages that say nothing of their payload. */
const SHORT_HEADER_BYTES = 112;
const DIGEST_BYTES = 32;
const LENGTH_BYTES = 4;

/** As it is sent: a header of fixed length, all numbers with the high byte first, and the payload. */
export function encodeMessage(message: SsmMessage, digest: Digest): Uint8Array {
  const { payload } = message;
  const bytes = new Uint8Array(HEADER_BYTES + LENGTH_BYTES + payload.length);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, HEADER_BYTES);
  bytes.set(new TextEncoder().encode(message.messageType.padEnd(TYPE.bytes)), TYPE.at);
  view.setUint32(AT.version, SCHEMA_VERSION);
  view.setBigUint64(AT.created, BigInt(message.createdMs));
  view.setBigInt64(AT.sequence, BigInt(message.sequence));
  view.setBigUint64(AT.flags, BigInt(message.flags));
  const id = uuidBytes(message.messageId);
  // The two halves of the UUID change places.
  bytes.set(id.subarray(8), AT.id);
  bytes.set(id.subarray(0, 8), AT.id + 8);
  bytes.set(digest(payload), AT.digest);
  view.setUint32(AT.payloadType, message.payloadType);
  view.setUint32(HEADER_BYTES, payload.length);
  bytes.set(payload, HEADER_BYTES + LENGTH_BYTES);
  return bytes;
}

/** null: it is none, or was damaged on its way. */
export function decodeMessage(bytes: Uint8Array, digest: Digest): SsmMessage | null {
  if (bytes.length < SHORT_HEADER_BYTES + LENGTH_BYTES) return null;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const headerBytes = view.getUint32(0);
  const begin = headerBytes + LENGTH_BYTES;
  if (headerBytes < SHORT_HEADER_BYTES || begin > bytes.length) return null;
  const payloadBytes = view.getUint32(headerBytes);
  if (begin + payloadBytes > bytes.length) return null;
  const payload = bytes.subarray(begin, begin + payloadBytes);
  if (payloadBytes > 0 && !isSame(digest(payload), bytes.subarray(AT.digest, AT.digest + DIGEST_BYTES))) return null;
  const id = new Uint8Array(16);
  id.set(bytes.subarray(AT.id + 8, AT.id + 16));
  id.set(bytes.subarray(AT.id, AT.id + 8), 8);
  return {
    messageType: new TextDecoder()
      .decode(bytes.subarray(TYPE.at, TYPE.at + TYPE.bytes))
      .replaceAll('\0', '')
      .trim(),
    createdMs: Number(view.getBigUint64(AT.created)),
    sequence: Number(view.getBigInt64(AT.sequence)),
    flags: Number(view.getBigUint64(AT.flags)),
    messageId: uuidOf(id),
    payloadType: headerBytes >= HEADER_BYTES ? view.getUint32(AT.payloadType) : 0,
    payload,
  };
}

const isSame = (a: Uint8Array, b: Uint8Array): boolean =>
  a.length === b.length && a.every((byte, nth) => byte === b[nth]);

const uuidBytes = (uuid: string): Uint8Array =>
  Uint8Array.from(uuid.replaceAll('-', '').match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));

const uuidOf = (bytes: Uint8Array): string =>
  Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0'))
    .join('')
    .replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');

/** A payload `flag`. */
export function flagPayload(flag: number): Uint8Array {
  const bytes = new Uint8Array(4);
  new DataView(bytes.buffer).setUint32(0, flag);
  return bytes;
}

/** 0: it is none. */
export const flagIn = (payload: Uint8Array): number =>
  payload.length < 4 ? 0 : new DataView(payload.buffer, payload.byteOffset).getUint32(0);
