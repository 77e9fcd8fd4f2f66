import { IDLE_PACE } from '../../domain/base/pace.ts';
import type { LimitName, LimitRow, Limits } from '../../ports/limits.ts';

const IDLE: LimitRow = { version: 0, state: IDLE_PACE };

/** {@link Limits} in this process's memory. */
export function createMemoryLimits(): Limits {
  const rows = new Map<LimitName, LimitRow>();
  const rowOf = (name: LimitName): LimitRow => structuredClone(rows.get(name) ?? IDLE);
  return {
    async read(name) {
      return rowOf(name);
    },

    async commit(name, expectedVersion, state) {
      if (rowOf(name).version !== expectedVersion) return { kind: 'lost', row: rowOf(name) };
      rows.set(name, structuredClone({ version: expectedVersion + 1, state }));
      return { kind: 'committed', row: rowOf(name) };
    },
  };
}
