import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { StoreFileError, prepareLmdbFile } from '../../../shared/adapters/lmdb/lmdb-file.ts';
import { LmdbDisk } from '../../../shared/adapters/rows/lmdb-disk.ts';

const dir = mkdtempSync(join(tmpdir(), 'muster-pages-'));
afterAll(() => rmSync(dir, { recursive: true, force: true }));

const path = join(dir, 'rows.lmdb');
const PAGE_BYTES = 4_096;
let whole: Buffer;
beforeAll(async () => {
  const disk = new LmdbDisk(path);
  for (let wave = 0; wave < 20; wave++) {
    for (let n = 0; n < 200; n++) {
      const isGone = (n + wave) % 3 === 0;
      const bytes = isGone ? null : Buffer.alloc(n % 50 === 0 ? 9_000 : 15 + ((n * 37) % 500), 'x');
      disk.change(new Map([[`k${(n * 7_919 + wave * 613) % 2_500}`, bytes]]));
    }
    await disk.stored();
  }
  await disk.close();
  whole = readFileSync(path);
});

/** Opens the file, reads all rows both ways, and changes many; 3 where LMDB answers with an error. */
const USE = `
  import { open } from 'lmdb';
  try {
    const options = { noSubdir: true, encoding: 'binary', cache: false, overlappingSync: false, eventTurnBatching: false };
    const db = open({ path: ${JSON.stringify(path)}, ...options });
    const keys = [...db.getRange({})].map(({ key }) => key);
    for (const { value } of db.getRange({ reverse: true })) value.length;
    for (let wave = 0; wave < 10; wave++)
      db.transactionSync(() => {
        for (let n = 0; n < 60; n++) {
          const key = keys[(wave * 977 + n * 37) % keys.length];
          if (n % 3 === 0) db.removeSync(key);
          else db.putSync(key, Buffer.alloc((n * 131) % 9_000));
        }
      });
    await db.close();
  } catch (error) {
    process.exitCode = 3;
  }`;

/** Bytes of a page, most often of its header and of the list of its nodes, or much of it. */
const aDamage = fc.record({
  page: fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
  at: fc.oneof(
    fc.integer({ min: 0, max: 23 }),
    fc.integer({ min: 24, max: 90 }),
    fc.integer({ min: 0, max: PAGE_BYTES - 5 }),
  ),
  bytes: fc.oneof(
    fc.uint8Array({ minLength: 1, maxLength: 4 }),
    fc.constantFrom('zeros', 'ones').map((kind) => new Uint8Array(512).fill(kind === 'zeros' ? 0 : 255)),
  ),
});

test('whatever bytes of a page are damaged, the file is refused, or no signal ends the process that uses it', () => {
  let refused = 0;
  fc.assert(
    fc.property(aDamage, ({ page, at, bytes }) => {
      const file = Buffer.from(whole);
      const pages = Math.floor(file.length / PAGE_BYTES) - 2; // the first two have no rows
      file.set(bytes.subarray(0, PAGE_BYTES - at), (2 + Math.floor(page * pages)) * PAGE_BYTES + at);
      writeFileSync(path, file);
      try {
        prepareLmdbFile(path);
      } catch (error) {
        if (!(error instanceof StoreFileError)) throw error;
        refused++;
        return;
      }
      const { signal } = spawnSync(process.execPath, ['--input-type=module', '-e', USE], { encoding: 'utf8' });
      expect(signal).toBeNull();
    }),
    { numRuns: 60, endOnFailure: true },
  );
  expect(refused).toBeGreaterThan(0);
});
