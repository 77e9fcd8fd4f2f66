import { type PodId, withRemoved } from '../../domain/scoreboard/journal.ts';
import type { SeenJob } from '../../ports/job-commands.ts';
import type { Deps } from '../process/deps.ts';
import { nextVersion, publishAndWake, publishedSeq } from './live-job.ts';

/**
 * Removes Pods of a Job that are over: users no longer see them, and nothing else changes, neither what the Job has counted nor the
 * records of their attempts. One conditional write, however many they are, and a row in the feed.
 *
 * @param seen the Job by which the caller has decided that they are over, and still there
 * @returns `lost`: it has changed since, and nothing was written
 */
export async function removePods(
  seen: SeenJob,
  pods: readonly PodId[],
  deps: Deps,
): Promise<{ readonly kind: 'removed' | 'lost' }> {
  const { spec, status } = seen;
  const { uid } = spec.identity;
  const journal = withRemoved(status.journal, pods, publishedSeq(seen, deps));
  const next = { ...nextVersion(status, deps.clock.now()), journal };
  const committed = await deps.jobs.commitPass(uid, next, []);
  if (committed.kind === 'lost') return { kind: 'lost' };
  await publishAndWake(spec.identity, next, deps);
  return { kind: 'removed' };
}
