const [P1, P2, P3, P4, P5] = [
  0x9e3779b185ebca87n,
  0xc2b2ae3d27d4eb4fn,
  0x165667b19e3779f9n,
  0x85ebca77c2b2ae63n,
  0x27d4eb2f165667c5n,
];
const STRIPE = 32;

const u64 = (value: bigint): bigint => BigInt.asUintN(64, value);
const rotl = (value: bigint, bits: bigint): bigint => u64(value << bits) | (value >> (64n - bits));
const round = (sum: bigint, lane: bigint): bigint => u64(rotl(u64(sum + u64(lane * P2)), 31n) * P1);
const merge = (hash: bigint, sum: bigint): bigint => u64(u64(hash ^ round(0n, sum)) * P1 + P4);

/**
 * XXH64 of a text in UTF-8, with seed 0: https://github.com/Cyan4973/xxHash/blob/dev/doc/xxhash_spec.md. Furiko places `H` in a
 * schedule by it. For names, which are short; a large text would take long.
 */
export function xxhash64(text: string): bigint {
  const bytes = new TextEncoder().encode(text);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const lane = (at: number): bigint => view.getBigUint64(at, true);
  let at = 0;
  let hash = P5;
  if (bytes.length >= STRIPE) {
    let [a, b, c, d] = [u64(P1 + P2), P2, 0n, u64(-P1)];
    for (; at + STRIPE <= bytes.length; at += STRIPE)
      [a, b, c, d] = [round(a, lane(at)), round(b, lane(at + 8)), round(c, lane(at + 16)), round(d, lane(at + 24))];
    hash = [a, b, c, d].reduce(merge, u64(rotl(a, 1n) + rotl(b, 7n) + rotl(c, 12n) + rotl(d, 18n)));
  }
  hash = u64(hash + BigInt(bytes.length));
  for (; at + 8 <= bytes.length; at += 8) hash = u64(rotl(hash ^ round(0n, lane(at)), 27n) * P1 + P4);
  if (at + 4 <= bytes.length) {
    hash = u64(rotl(hash ^ u64(BigInt(view.getUint32(at, true)) * P1), 23n) * P2 + P3);
    at += 4;
  }
  for (; at < bytes.length; at++) hash = u64(rotl(hash ^ u64(BigInt(view.getUint8(at)) * P5), 11n) * P1);
  hash = u64((hash ^ (hash >> 33n)) * P2);
  hash = u64((hash ^ (hash >> 29n)) * P3);
  return hash ^ (hash >> 32n);
}
