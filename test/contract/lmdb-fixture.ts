import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { LmdbRows } from '../../shared/adapters/lmdb/lmdb-rows.ts';
import { type LmdbStore, storeOf } from '../../shared/adapters/lmdb/lmdb-store.ts';
import { HandClock, RETENTION_MS, type StoreUnderTest } from './store-under-test.ts';

const dir = mkdtempSync(join(tmpdir(), 'muster-lmdb-'));
const opened: LmdbStore[] = [];

afterAll(async () => {
  await Promise.all(opened.map(async (store) => store.close()));
  rmSync(dir, { recursive: true, force: true });
});

/** The store in its own file. */
export async function aLmdbStore(Rows: typeof LmdbRows = LmdbRows): Promise<StoreUnderTest & LmdbStore> {
  const clock = new HandClock();
  const store = storeOf(new Rows(join(dir, `${opened.length}.lmdb`), clock.now), clock.now, RETENTION_MS);
  opened.push(store);
  return { ...store, clock };
}
