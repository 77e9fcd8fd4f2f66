import { ITEMS_NAMED_MAX, type ItemOf } from '../../domain/base/shown-index.ts';
import type { JobManifest } from '../../domain/manifests/manifest.ts';
import { isHidden } from '../../domain/scoreboard/status.ts';
import type { ReadFailures } from '../../ports/gathered/job-failures.ts';
import type { LogReader } from '../../ports/log-reader.ts';
import { type ItemSource, readItemValues } from '../../store/read-items.ts';
import type { Deps } from '../process/deps.ts';
import { chunksWithFailures, collectFailures } from './collect-failures.ts';
import { loadRows } from './load-rows.ts';

/** Gathers what has failed in a Job when somebody asks. */
export function createReadFailures(logs: LogReader, passDeps: Pick<Deps, 'jobs' | 'clock' | 'items' | 'cache'>) {
  const deps = { ...passDeps, itemCache: passDeps.cache.items, logs };
  const readFailures: ReadFailures = async (namespace, name) => {
    const uid = await deps.jobs.findJob(namespace, name);
    const loaded = uid === null ? null : await loadRows(uid, chunksWithFailures, deps);
    if (loaded === null || isHidden(loaded.status.phase)) return null;
    const found = await collectFailures(loaded, deps);
    const named = found.groups.flatMap(({ indexes, example }) => [example.index, ...indexes.slice(0, ITEMS_NAMED_MAX)]);
    return { ...loaded, ...found, itemOf: await readItemOf(loaded.spec.manifest, named, deps) };
  };
  return readFailures;
}

/** What some indexes of a Job work on. Throws what the store throws. */
export async function readItemOf(
  manifest: JobManifest,
  indexes: readonly number[],
  source: ItemSource,
): Promise<ItemOf> {
  const items = await readItemValues(manifest, [...new Set(indexes)], source);
  return (index) => items.get(index)?.line ?? null;
}
