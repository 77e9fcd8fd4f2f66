import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { ALL_FAULTS } from '../planted/all-faults.ts';

// `npm run test:planted` takes minutes. That its texts are still those of the sources is seen here.

test.each(ALL_FAULTS.map((fault) => [fault.name, fault] as const))(
  '%s: each text that is replaced is in its file once',
  (_name, { edits }) => {
    for (const { file, find } of edits)
      expect(readFileSync(file, 'utf8').split(find).length - 1, `${file}: ${find}`).toBe(1);
  },
);
