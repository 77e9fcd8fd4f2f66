/**
 * The hash of Go values of mitchellh/hashstructure, version 2, by which Furiko names indexes and tells options apart: FNV-1 with
 * 64 bits over the names of types and fields, and over values.
 */
export type Hash64 = bigint;

const MASK = (1n << 64n) - 1n;
const BASIS = 0xcbf29ce484222325n;
const PRIME = 0x100000001b3n;

const UTF8 = new TextEncoder();

function fnv(bytes: Iterable<number>): Hash64 {
  let hash = BASIS;
  for (const byte of bytes) hash = ((hash * PRIME) & MASK) ^ BigInt(byte);
  return hash;
}

/** The bytes of a number, the least first. */
const littleEndian = (value: bigint, length: number): number[] =>
  Array.from({ length }, (_, nth) => Number((value >> BigInt(8 * nth)) & 0xffn));

export const hashOfText = (text: string): Hash64 => fnv(UTF8.encode(text));
/** An int or an int64. */
export const hashOfInt = (value: number): Hash64 => fnv(littleEndian(BigInt.asUintN(64, BigInt(value)), 8));
export const hashOfFlag = (value: boolean): Hash64 => fnv([value ? 1 : 0]);

const ordered = (a: Hash64, b: Hash64): Hash64 => fnv([...littleEndian(a, 8), ...littleEndian(b, 8)]);
/** What follows a sum of unordered hashes. */
const finished = (sum: Hash64): Hash64 => fnv(littleEndian(sum, 8));

export const hashOfList = (items: readonly Hash64[]): Hash64 => items.reduce((hash, item) => ordered(hash, item), 0n);

export const hashOfMap = (map: Readonly<Record<string, string>>): Hash64 =>
  finished(Object.entries(map).reduce((sum, [key, value]) => sum ^ ordered(hashOfText(key), hashOfText(value)), 0n));

/**
 * @param name of the Go type
 * @param fields in their order, by their Go names; undefined: it does not count
 */
export const hashOfStruct = (name: string, fields: Readonly<Record<string, Hash64 | undefined>>): Hash64 =>
  Object.entries(fields).reduce(
    (hash, [field, value]) => (value === undefined ? hash : finished(hash ^ ordered(hashOfText(field), value))),
    hashOfText(name),
  );
