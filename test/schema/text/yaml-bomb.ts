/** Ten aliases of ten aliases of …: some hundred characters that would be a thousand million. */
export const YAML_BOMB = Array.from({ length: 9 }, (_, i) =>
  i === 0
    ? 'a0: &a0 [x, x, x, x, x, x, x, x, x, x]'
    : `a${i}: &a${i} [${Array(10)
        .fill(`*a${i - 1}`)
        .join(', ')}]`,
).join('\n');
