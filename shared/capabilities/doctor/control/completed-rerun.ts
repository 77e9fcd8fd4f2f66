import { endOf, isHidden } from '../../../domain/scoreboard/status.ts';
import { ANNOTATIONS } from '../../../domain/manifests/annotations.ts';
import { rerunName } from '../../../domain/manifests/rerun-name.ts';
import type { JobStore, StoredSpec } from '../../../ports/job-store.ts';

/** Reruns that are looked up by name. */
const RERUNS_MAX = 10;

/**
 * Whether a Job that has failed was completed by one that repeats it, or by one that repeats that one. Only those are found that
 * have the names of `muster rerun`, without gaps: there is no index of who repeats whom, and a look at all Jobs would cost too much.
 */
export async function isCompletedByRerun(
  { identity: { namespace, name }, manifest }: StoredSpec,
  jobs: Pick<JobStore, 'findJob' | 'readSpec' | 'readStatus'>,
): Promise<boolean> {
  const repeated = new Set([name]);
  for (let nth = 1; nth <= RERUNS_MAX; nth++) {
    const other = rerunName(name, manifest.spec.completions ?? 0, nth);
    if (other === name) continue;
    const uid = await jobs.findJob(namespace, other);
    if (uid === null) return false;
    const [spec, status] = await Promise.all([jobs.readSpec(uid), jobs.readStatus(uid)]);
    if (spec === null || status === null || isHidden(status.phase)) continue;
    const { [ANNOTATIONS.rerunOf]: of = '', [ANNOTATIONS.indexes]: chosen } = spec.manifest.metadata.annotations ?? {};
    // With some of the indexes only, it is complete without the others.
    if (!repeated.has(of) || chosen !== undefined) continue;
    if (endOf(status.phase)?.verdict.kind === 'complete') return true;
    repeated.add(other);
  }
  return false;
}
