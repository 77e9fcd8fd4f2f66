/** Numbers in [0, 1) from a seed: the same seed gives the same faults. */
export type Random = () => number;

/** A small generator of 32-bit state (a Weyl sequence whose terms are mixed); not for secrets. */
export function seeded(seed: number): Random {
  let state = seed | 0;
  return () => {
    state = (state + 0x9e3779b9) | 0;
    let mixed = Math.imul(state ^ (state >>> 16), 0x21f0aaad);
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
    return ((mixed ^ (mixed >>> 15)) >>> 0) / 2 ** 32;
  };
}
