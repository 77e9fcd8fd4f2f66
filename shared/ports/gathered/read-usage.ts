import type { ContainerUsage } from '../../domain/task/container-usage.ts';

/** Looks at all containers that run. */
export type ReadUsage = () => Promise<readonly ContainerUsage[]>;
