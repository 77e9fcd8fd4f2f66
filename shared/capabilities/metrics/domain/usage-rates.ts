import type { EpochMs } from '../../../domain/base/time.ts';
import type { ContainerUsage } from '../../../domain/task/container-usage.ts';

/** What all containers had used at one moment. */
export type Sample = { readonly atMs: EpochMs; readonly containers: ReadonlyMap<string, ContainerUsage> };

/** What a container uses. */
export type Rate = Pick<ContainerUsage, 'pod' | 'container' | 'memoryBytes'> & {
  /** Billionths of a CPU. */
  readonly cpuNanoCores: number;
};

/** What containers use, as the mean of a window that ends at a moment. */
export type Measured = { readonly atMs: EpochMs; readonly windowMs: number; readonly rates: readonly Rate[] };

/** After this time, an earlier sample says nothing of what is used now. */
const WINDOW_MAX_MS = 60_000;

export const sampleOf = (atMs: EpochMs, all: readonly ContainerUsage[]): Sample => ({
  atMs,
  containers: new Map(all.map((usage) => [`${usage.taskId}/${usage.container}`, usage])),
});

/** Whether rates can be had of these samples, of all containers. A clock may be set back. */
export const canCompare = (before: Sample, now: Sample): boolean =>
  now.atMs > before.atMs &&
  now.atMs - before.atMs <= WINDOW_MAX_MS &&
  [...now.containers.keys()].every((key) => before.containers.has(key));

/** What the containers of both samples use. A program that has ended takes its time along if nobody has waited for it. */
export function ratesBetween(before: Sample, now: Sample): Measured {
  const windowMs = Math.max(1, now.atMs - before.atMs);
  const rates = [...now.containers].flatMap(([key, { pod, container, cpuNanos, memoryBytes }]): readonly Rate[] => {
    const earlier = before.containers.get(key);
    if (earlier === undefined) return [];
    const cpuNanoCores = Math.max(0, Math.round(((cpuNanos - earlier.cpuNanos) * 1000) / windowMs));
    return [{ pod, container, memoryBytes, cpuNanoCores }];
  });
  return { atMs: now.atMs, windowMs, rates };
}
