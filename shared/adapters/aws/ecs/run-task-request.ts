import { createHash } from 'node:crypto';
import type { RunTaskCommandInput } from '@aws-sdk/client-ecs';
import * as z from 'zod';
import type { JobUid } from '../../../domain/base/ids.ts';
import type { AttemptId } from '../../../domain/base/fact.ts';
import { mainOf, overridesRequest } from '../../../domain/task/launch-overrides.ts';
import { formatGroup } from '../../../domain/task/task-group.ts';
import { GROUP_PREFIX } from '../../../names/env.ts';
import { TAGS } from '../../../names/tags.ts';
import type { AttachedVolume, Capacity } from '../../../domain/task/task.ts';
import type { Launch } from '../../../ports/tasks.ts';

/** Where a Job's tasks run. Frozen in its launch template, because a repeated call must be identical byte for byte. */
export type Placement = Omit<z.output<typeof PlacementSchema>, 'request' | 'volume'>;

/**
 * How requests are written. 2: with tags, and with a mark on the main container. Templates of earlier versions say nothing, and
 * their requests stay as they were.
 */
const REQUEST = 2;

const PlacementSchema = z.object({
  cluster: z.string().min(1),
  subnets: z.array(z.string()).min(1).readonly(),
  securityGroups: z.array(z.string()).readonly(),
  assignPublicIp: z.enum(['ENABLED', 'DISABLED']),
  capacity: z.enum(['FARGATE', 'FARGATE_SPOT']),
  request: z.literal(REQUEST).optional(),
  /** An EBS volume for each task. */
  volume: z
    .object({ volume: z.string(), type: z.string(), sizeGib: z.number(), roleArn: z.string() })
    .readonly()
    .optional(),
  /** Commands can be run in its containers, by ECS Exec. Only a task that was started so can ever have that. */
  exec: z.literal(true).optional(),
});

/** An EBS volume, and the role with which ECS makes it. */
export type PlacedVolume = AttachedVolume & { readonly roleArn: string };

/** The `placement` text of a launch template. `volume`: null for most. */
export const formatPlacement = (
  { cluster, subnets, securityGroups, assignPublicIp, capacity, exec }: Placement,
  volume: PlacedVolume | null = null,
): string =>
  JSON.stringify({
    cluster,
    subnets,
    securityGroups,
    assignPublicIp,
    capacity,
    request: REQUEST,
    ...(volume === null ? {} : { volume }),
    ...(exec === undefined ? {} : { exec }),
  });

export type RunTaskOptions = {
  /** A tag says what the Pod requests: for an ECS on this machine, which has less than Fargate, and does not round up. */
  readonly tellsRequests?: boolean;
};

const requestsTag = (requests: Launch['requests']) =>
  requests === undefined ? [] : [{ key: TAGS.requests, value: `${requests.milliCpu}/${requests.memoryMib}` }];

/**
 * Pure and byte-stable: the same launch always gives the same request. ECS answers a repeated token with different
 * parameters with ConflictException (ECS developer guide, "Ensuring idempotency").
 */
export function runTaskInput(
  { job, id, template, env, overrides = [], size, requests, capacity }: Launch,
  options: RunTaskOptions = {},
): RunTaskCommandInput {
  const placement = PlacementSchema.parse(JSON.parse(template.placement));
  const isMarked = placement.request === REQUEST;
  const provider = capacity === undefined ? placement.capacity : PROVIDERS[capacity];
  return {
    cluster: placement.cluster,
    taskDefinition: template.taskDefinition,
    clientToken: clientToken(job.uid, id),
    count: 1, // overrides apply to all tasks of a call, and each index has its own
    startedBy: job.uid,
    group: formatGroup(GROUP_PREFIX, id),
    enableECSManagedTags: false,
    ...(placement.exec === undefined ? {} : { enableExecuteCommand: true }),
    ...(isMarked ? { tags: [...tagsOf(job), ...(options.tellsRequests === true ? requestsTag(requests) : [])] } : {}),
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
    ...(placement.volume === undefined ? {} : { volumeConfigurations: [volumeInput(placement.volume)] }),
    // Events repeat the overrides, so they show which container is the main one.
    overrides: overridesRequest(
      template.containers,
      env,
      overrides,
      size ?? null,
      isMarked ? mainOf(template.containers) : null,
    ),
  };
}

/** ECS makes the volume for the task, and deletes it with the task (ECS API, TaskManagedEBSVolumeConfiguration). */
const volumeInput = ({ volume, type, sizeGib, roleArn }: PlacedVolume) => ({
  name: volume,
  managedEBSVolume: {
    roleArn,
    volumeType: type,
    sizeInGiB: sizeGib,
    encrypted: true,
    terminationPolicy: { deleteOnTermination: true },
  },
});

/** Cost allocation tags: what Fargate bills can be split by them (docs/budget.md). A Job keeps both names for its lifetime. */
const tagsOf = ({ namespace, name }: Launch['job']) => [
  { key: TAGS.namespace, value: namespace },
  { key: TAGS.job, value: name },
];

const PROVIDERS = { onDemand: 'FARGATE', spot: 'FARGATE_SPOT' } as const satisfies Record<
  Capacity,
  Placement['capacity']
>;

/** One token for each (attempt, nonce): 64 characters, ECS's limit. */
export const clientToken = (uid: JobUid, { index, attempt, nonce }: AttemptId): string =>
  createHash('sha256').update(`${uid}|${index}|${attempt}|${nonce}`).digest('hex');
