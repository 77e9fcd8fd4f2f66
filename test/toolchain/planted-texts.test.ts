import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { CONTRACT_FAULTS } from '../planted/contract-faults.ts';
import { MACHINE_FAULTS } from '../planted/machine-faults.ts';
import { RERUN_FAULTS } from '../planted/rerun-faults.ts';
import { WORLD_FAULTS } from '../planted/world-faults.ts';

// `npm run test:planted` takes minutes. That its texts are still those of the sources is seen here.

const FAULTS = [...MACHINE_FAULTS, ...CONTRACT_FAULTS, ...WORLD_FAULTS, ...RERUN_FAULTS].map(
  (fault) => [fault.name, fault] as const,
);

test.each(FAULTS)('%s: each text that is replaced is in its file once', (_name, { edits }) => {
  for (const { file, find } of edits)
    expect(readFileSync(file, 'utf8').split(find).length - 1, `${file}: ${find}`).toBe(1);
});
