import { existsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import temporaryFolder from '../calm/temp-folder.ts';

test('a run has a temporary folder of its own, which goes with all that is left in it', () => {
  const outer = tmpdir();
  expect(outer).toMatch(/\/gate-[^/]+$/);
  const remove = temporaryFolder();
  const own = tmpdir();
  writeFileSync(join(own, 'left'), '');
  remove();
  expect([own.startsWith(`${outer}/`), existsSync(own), existsSync(outer), tmpdir()]).toEqual([
    true,
    false,
    true,
    outer,
  ]);
});
