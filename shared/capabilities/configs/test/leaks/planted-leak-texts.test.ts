import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { PLANTED_LEAKS } from './planted-leaks.ts';

// The leaks are planted by `npm run verify`. That their texts are still those of the sources is seen here.
test.each(PLANTED_LEAKS)('$name: each text that is replaced is in its file once', ({ edits }) => {
  expect(edits).not.toEqual([]);
  for (const { file, find } of edits)
    expect([file, readFileSync(file, 'utf8').split(find).length - 1]).toEqual([file, 1]);
});
