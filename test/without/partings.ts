/** Halves of these names, two for each bit of a name's place: any two names differ in a bit, so each is without the other in a half. */
export function partings(names: readonly string[]): readonly (readonly string[])[] {
  const bits = Array.from({ length: Math.ceil(Math.log2(names.length)) }, (_, nth) => 2 ** nth);
  return bits.flatMap((bit) => [0, bit].map((side) => names.filter((_, nth) => (nth & bit) === side)));
}
