import type { JobManifestSpec } from '../../../domain/manifests/manifest.ts';

/** What a Job may lose to infrastructure and users besides its own failures: for all, and for each index. */
const SPARE = 500;
const SPARE_PER_INDEX = 20;
/** No more than this is allowed for a limit of failures: a Job that says more says that it has none. */
const FAILURES_MAX = 5_000;

/**
 * How many tasks a simulated Job may start: a Job that starts more goes on for ever, whatever its limits of failures say.
 *
 * @param size how many indexes it has, or Pods that must succeed
 */
export function tasksMax(
  { backoffLimit = 6, backoffLimitPerIndex }: Partial<Pick<JobManifestSpec, 'backoffLimit' | 'backoffLimitPerIndex'>>,
  size: number,
): number {
  const ofAll = backoffLimitPerIndex === undefined ? Math.min(backoffLimit, FAILURES_MAX) : 0;
  const ofEach = Math.min((backoffLimitPerIndex ?? 0) * size, FAILURES_MAX);
  return SPARE + ofAll + ofEach + SPARE_PER_INDEX * size;
}
