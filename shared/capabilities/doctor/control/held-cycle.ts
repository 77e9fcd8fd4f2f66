import type { Status } from '../../../domain/scoreboard/status.ts';
import type { StoredSpec } from '../../../ports/job-store.ts';
import { readWaitedFor } from '../../../store/read-waited-for.ts';
import type { Deps } from '../../../control/process/deps.ts';

/** Jobs that a search reads. */
const READ_MAX = 200;

/**
 * A cycle through a Job: names along what each Job waits for, back to the first. Two Jobs that are created at the same moment can
 * close one, since neither is there when the other is checked.
 *
 * @returns null: there is none, or none that is found among {@link READ_MAX} Jobs
 */
export async function heldCycle(
  spec: Pick<StoredSpec, 'identity'>,
  status: Pick<Status, 'phase' | 'upstreams'>,
  { jobs }: Pick<Deps, 'jobs'>,
): Promise<readonly string[] | null> {
  const { uid, name } = spec.identity;
  const seen = new Set<string>([uid]);
  const open: { readonly path: readonly string[]; readonly status: typeof status }[] = [{ path: [name], status }];
  for (let next = open.shift(); next !== undefined && seen.size <= READ_MAX; next = open.shift()) {
    for (const other of await readWaitedFor(spec, next.status, jobs)) {
      if (other.uid === uid) return [...next.path, name];
      if (other.uid === null || other.job === null || seen.has(other.uid)) continue;
      seen.add(other.uid);
      open.push({ path: [...next.path, other.name], status: other.job.status });
    }
  }
  return null;
}
