import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { LmdbRows } from '../../shared/adapters/rows/lmdb.ts';
import { type LmdbStore, storeOf } from '../../local/store/lmdb-store.ts';
import { HandClock, RETENTION_MS, type StoreUnderTest } from './store-under-test.ts';

/** The store in its own file, until the test is over. */
export async function aLmdbStore(Rows: typeof LmdbRows = LmdbRows): Promise<StoreUnderTest & LmdbStore> {
  const dir = mkdtempSync(join(tmpdir(), 'muster-lmdb-'));
  const clock = new HandClock();
  const store = storeOf(new Rows(join(dir, 'rows.lmdb'), clock.now), clock.now, RETENTION_MS);
  onTestFinished(async () => {
    try {
      await store.close();
    } finally {
      rmSync(dir, { recursive: true, force: true });
    }
  });
  return { ...store, clock };
}
