import type { ParallelIndex } from './parallel-index.ts';
import { hashOfInt, hashOfMap, hashOfStruct, hashOfText } from './struct-hash.ts';

const HASH_CHARS = 6;
const BASE_32 = 'abcdefghijklmnopqrstuvwxyz234567';
const BITS = 5;

/**
 * Furiko's hash of an index, such as `gezdqo`. It is only shown: six characters have some 2,700 values, so the indexes of a Job
 * share them (58 and 69 do). Its number identifies an index.
 */
export function indexHash(index: ParallelIndex): string {
  const hash = hashOfStruct('ParallelIndex', {
    IndexNumber: hashOfInt('indexNumber' in index ? index.indexNumber : 0),
    IndexKey: hashOfText('indexKey' in index ? index.indexKey : ''),
    MatrixValues: hashOfMap('matrixValues' in index ? index.matrixValues : {}),
  });
  return base32(String(hash)).slice(0, HASH_CHARS);
}

/** Of ASCII characters, as far as they fill whole characters. */
function base32(text: string): string {
  const bits = Array.from(text, (char) => char.charCodeAt(0).toString(2).padStart(8, '0')).join('');
  const whole = Math.floor(bits.length / BITS);
  return Array.from({ length: whole }, (_, nth) =>
    BASE_32.charAt(Number.parseInt(bits.slice(nth * BITS, (nth + 1) * BITS), 2)),
  ).join('');
}
