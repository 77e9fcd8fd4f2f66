import { type LimitRange, limitRangeIn } from '../domain/limit-range.ts';
import type { LimitRangeReader } from '../ports/limit-range-reader.ts';
import { type KeptPorts, type ObjectsOf, keepKinds } from '../../../store/keep-kinds.ts';

/** Reads the LimitRanges of namespaces: in memory, at most 2 seconds (`ageMs`) old, see {@link keepKinds}. */
export function createLimitRangeReader(ports: KeptPorts, ageMs?: number): LimitRangeReader {
  const all = keepKinds(['LimitRange'], byNamespace, ports, ageMs);
  return { limitRanges: async (namespace) => (await all()).get(namespace) ?? NONE };
}

const NONE: readonly LimitRange[] = [];

/** In the order of their names. */
function byNamespace(objects: ObjectsOf<'LimitRange'>): ReadonlyMap<string, readonly LimitRange[]> {
  const found = new Map<string, LimitRange[]>();
  for (const { key, document } of objects('LimitRange'))
    found.set(key.namespace, [...(found.get(key.namespace) ?? []), limitRangeIn(document)]);
  return found;
}
