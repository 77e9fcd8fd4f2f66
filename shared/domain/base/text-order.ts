/**
 * Whether a text comes before another in the order of their UTF-8 bytes, which is that of stored keys. JavaScript's own order
 * differs for characters beyond the first 65,536.
 */
export function comesBefore(text: string, other: string): boolean {
  const length = Math.min(text.length, other.length);
  for (let i = 0; i < length; i++) {
    const [one, two] = [text.charCodeAt(i), other.charCodeAt(i)];
    if (one !== two) return weightOf(one) < weightOf(two);
  }
  return text.length < other.length;
}

/** Half of a character beyond the first 65,536 counts more than any other unit. */
const weightOf = (unit: number): number => (unit >= 0xd800 && unit <= 0xdfff ? unit + 0x1_0000 : unit);
