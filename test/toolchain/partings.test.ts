import { expect, test } from 'vitest';
import { partings } from '../without/partings.ts';

test.each([
  [1, 0],
  [2, 2],
  [3, 4],
  [10, 8],
])('of %i capabilities each is left out without each other one, in %i copies', (count, copies) => {
  const names = Array.from({ length: count }, (_, nth) => `c${nth}`);
  const halves = partings(names);
  expect(halves).toHaveLength(copies);
  const together = names.flatMap((one) =>
    names
      .filter((other) => other !== one && !halves.some((half) => half.includes(one) && !half.includes(other)))
      .map((other) => `${one} ${other}`),
  );
  expect(together).toEqual([]);
});
