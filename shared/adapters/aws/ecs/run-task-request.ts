import { createHash } from 'node:crypto';
import type { RunTaskCommandInput } from '@aws-sdk/client-ecs';
import * as z from 'zod';
import type { JobUid } from '../../../domain/base/ids.ts';
import type { AttemptId } from '../../../domain/base/fact.ts';
import { overridesRequest } from '../../../domain/task/launch-overrides.ts';
import { formatGroup } from '../../../domain/task/task-group.ts';
import { GROUP_PREFIX } from '../../../names/env.ts';
import type { Capacity } from '../../../domain/task/task.ts';
import type { Launch } from '../../../ports/tasks.ts';

/** Where a Job's tasks run. Frozen in its launch template, because a repeated call must be identical byte for byte. */
export type Placement = z.output<typeof PlacementSchema>;

const PlacementSchema = z.object({
  cluster: z.string().min(1),
  subnets: z.array(z.string()).min(1).readonly(),
  securityGroups: z.array(z.string()).readonly(),
  assignPublicIp: z.enum(['ENABLED', 'DISABLED']),
  capacity: z.enum(['FARGATE', 'FARGATE_SPOT']),
});

/** The `placement` text of a launch template. */
export const formatPlacement = ({ cluster, subnets, securityGroups, assignPublicIp, capacity }: Placement): string =>
  JSON.stringify({ cluster, subnets, securityGroups, assignPublicIp, capacity });

/**
 * Pure and byte-stable: the same launch always gives the same request. ECS answers a repeated token with different
 * parameters with ConflictException (ECS developer guide, "Ensuring idempotency").
 */
export function runTaskInput({ job, id, template, env, overrides = [], size, capacity }: Launch): RunTaskCommandInput {
  const placement = PlacementSchema.parse(JSON.parse(template.placement));
  const provider = capacity === undefined ? placement.capacity : PROVIDERS[capacity];
  return {
    cluster: placement.cluster,
    taskDefinition: template.taskDefinition,
    clientToken: clientToken(job.uid, id),
    count: 1, // overrides apply to all tasks of a call, and each index has its own
    startedBy: job.uid,
    group: formatGroup(GROUP_PREFIX, id),
    enableECSManagedTags: false,
    // ECS accepts only one of the two, and Spot needs the strategy.
    ...(provider === 'FARGATE'
      ? { launchType: 'FARGATE' }
      : { capacityProviderStrategy: [{ capacityProvider: provider, weight: 1 }] }),
    networkConfiguration: {
      awsvpcConfiguration: {
        subnets: [...placement.subnets],
        securityGroups: [...placement.securityGroups],
        assignPublicIp: placement.assignPublicIp,
      },
    },
    // The main container comes first. Events repeat the overrides, so it is recognized by its position.
    overrides: overridesRequest(template.containers, env, overrides, size ?? null),
  };
}

const PROVIDERS = { onDemand: 'FARGATE', spot: 'FARGATE_SPOT' } as const satisfies Record<
  Capacity,
  Placement['capacity']
>;

/** One token for each (attempt, nonce): 64 characters, ECS's limit. */
export const clientToken = (uid: JobUid, { index, attempt, nonce }: AttemptId): string =>
  createHash('sha256').update(`${uid}|${index}|${attempt}|${nonce}`).digest('hex');
