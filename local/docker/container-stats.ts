import * as z from 'zod';
import type { Used } from '../ecs/driver/driver.ts';
import { type Engine, EngineError } from './engine.ts';

/** What an engine says of a container that runs (Docker Engine API, ContainerStats); of one that has ended it says less. */
const StatsSchema = z.looseObject({
  cpu_stats: z.looseObject({ cpu_usage: z.looseObject({ total_usage: z.number() }) }),
  memory_stats: z.looseObject({
    usage: z.number().optional(),
    stats: z.record(z.string(), z.unknown()).nullish(),
  }),
});

/**
 * CPU time and memory of a container; null: it does not run. Files that nobody has used for a while are no memory that its programs
 * work with, as for a kubelet.
 */
export async function containerStats(engine: Engine, name: string): Promise<Used | null> {
  const query = { stream: false, 'one-shot': true };
  const answer = await engine
    .ask({ method: 'GET', path: `/containers/${name}/stats`, query })
    .catch((error: unknown) => {
      if (error instanceof EngineError) return null;
      throw error;
    });
  const parsed = StatsSchema.safeParse(answer);
  if (!parsed.success || parsed.data.memory_stats.usage === undefined) return null;
  const { cpu_stats, memory_stats } = parsed.data;
  const idle = memory_stats.stats?.['inactive_file'] ?? memory_stats.stats?.['total_inactive_file'];
  const memoryBytes = Math.max(0, (memory_stats.usage ?? 0) - (typeof idle === 'number' ? idle : 0));
  return { cpuNanos: cpu_stats.cpu_usage.total_usage, memoryBytes };
}
