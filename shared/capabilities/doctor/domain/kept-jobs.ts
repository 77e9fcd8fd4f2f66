import { isPrunable } from '../../../domain/manifests/prunable.ts';
import type { EpochMs } from '../../../domain/base/time.ts';

/** A Job that users see. `endedAt`: it is Complete or Failed since then; null: it is not, or it is being deleted. */
export type KeptJob = {
  readonly namespace: string;
  readonly name: string;
  readonly createdAt: EpochMs;
  readonly endedAt: EpochMs | null;
};

/** What is said of the Jobs that are kept. */
export type KeptJobs = {
  readonly count: number;
  /** There are more than were read. */
  readonly more: boolean;
  /** null: there is no Job. */
  readonly oldest: Pick<KeptJob, 'namespace' | 'name' | 'createdAt'> | null;
  /** Jobs that ended {@link PRUNABLE_MS} ago or earlier, and in which namespaces they are. */
  readonly prunable: { readonly count: number; readonly namespaces: readonly string[] };
};

/** Few people look at a Job a week after its end. */
export const PRUNABLE_MS = 7 * 86_400_000;

/** The oldest Job, and how many could be pruned at `now`. */
export function keptJobs(jobs: readonly KeptJob[], more: boolean, now: EpochMs): KeptJobs {
  const [oldest = null] = jobs.toSorted((a, b) => a.createdAt - b.createdAt);
  const prunable = jobs.filter(({ endedAt }) => isPrunable(endedAt, PRUNABLE_MS, now));
  return {
    count: jobs.length,
    more,
    oldest: oldest === null ? null : { namespace: oldest.namespace, name: oldest.name, createdAt: oldest.createdAt },
    prunable: { count: prunable.length, namespaces: [...new Set(prunable.map(({ namespace }) => namespace))] },
  };
}
