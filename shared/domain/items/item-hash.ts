const FNV_OFFSET = 0xcbf29ce484222325n;
const FNV_PRIME = 0x100000001b3n;

/**
 * A short name for an item, good as a label's value: 16 hex digits (FNV-1a of its UTF-8). Items that are equal have equal
 * hashes; it keeps no secret.
 */
export function itemHash(line: string): string {
  let hash = FNV_OFFSET;
  for (const byte of new TextEncoder().encode(line)) hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * FNV_PRIME);
  return hash.toString(16).padStart(16, '0');
}
