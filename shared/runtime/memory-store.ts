import { createMemoryRows } from '../adapters/rows/memory.ts';
import type { EpochMs } from '../domain/base/time.ts';
import { type Store, createStore } from '../store/create-store.ts';

/**
 * Everything that is stored, in this process's memory: for simulation, tests, and machines without the DynamoDB engine. Rows
 * expire by `now`. The store is empty: not even the namespace `default` exists.
 */
export function createMemoryStore(options: { readonly now: () => EpochMs; readonly feedRetentionMs?: number }): Store {
  let writes = 0;
  const newToken = (): string => `write-${String(++writes).padStart(8, '0')}`;
  return createStore(createMemoryRows(options), { ...options, newToken });
}
