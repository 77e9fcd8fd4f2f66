import { NewerFormatError } from '../../../shared/domain/base/newer-format.ts';
import { UnreadableRow } from '../../../shared/domain/base/unreadable-row.ts';

/** A row of format 1: the version that its next write depends on, or 0; the end of its life; and the rest. */
export type OldRow = {
  readonly version: number;
  /** In seconds since 1970; 0: it stays. */
  readonly ttl: number;
  readonly body: Buffer;
};

const LAYOUT = 1;
const TTL_AT = 1;
const VERSION_AT = 5;
const BODY_AT = 13;

/**
 * The row in these bytes: layout (1), ttl in seconds or 0 (4), version (8), then the body, a view of them.
 *
 * @param key named in the error
 * @throws NewerFormatError for a layout of a later release; Error for bytes that are no row
 */
export function decodeOldRow(key: string, bytes: Buffer): OldRow {
  const layout = bytes[0];
  if (layout !== undefined && layout > LAYOUT) throw new NewerFormatError(`row ${key}`, layout, LAYOUT);
  if (layout !== LAYOUT || bytes.length < BODY_AT) throw new Error(`it has layout ${layout}`);
  const [ttl, version] = [bytes.readUInt32BE(TTL_AT), bytes.readDoubleBE(VERSION_AT)];
  return { ttl, version, body: bytes.subarray(BODY_AT) };
}

/** That a row of format 1 cannot be decoded, and what its owner can do. */
export const unreadableOld = (key: string, path: string, cause: unknown): UnreadableRow =>
  new UnreadableRow(
    key,
    path,
    `put a copy of the file in its place, or start Muster once with --discard-row '${key}'`,
    cause,
  );

/** Sorts after all that follows a prefix in keys of format 1. */
export const OLD_END = '~';

export const OLD_HEADS = 'HEAD#';

/** In format 1, the number of a feed is the version of its head. */
export function oldHead(number: number): Buffer {
  const bytes = Buffer.alloc(BODY_AT);
  bytes.writeUInt8(LAYOUT, 0);
  bytes.writeDoubleBE(number, VERSION_AT);
  return bytes;
}
