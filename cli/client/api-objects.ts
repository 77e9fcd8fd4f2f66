import * as z from 'zod';

// The subset of the API's objects that the commands read. Everything else stays as received.

export const Moment = z.iso.datetime({ offset: true }).transform((text) => Date.parse(text));
const Count = z.int().min(0).default(0);

export const Metadata = z.object({
  name: z.string(),
  namespace: z.string(),
  uid: z.string(),
  resourceVersion: z.string().default('0'),
  creationTimestamp: Moment,
  deletionTimestamp: Moment.optional(),
  labels: z.record(z.string(), z.string()).default({}),
  annotations: z.record(z.string(), z.string()).default({}),
});

const Condition = z.object({
  type: z.string(),
  status: z.string(),
  reason: z.string().default(''),
  message: z.string().default(''),
  lastTransitionTime: Moment.optional(),
});

/** Any object. */
export const NamedSchema = z.object({ metadata: z.object({ name: z.string() }) });

export const JobSchema = z.object({
  metadata: Metadata,
  spec: z.object({
    completions: z.int().optional(),
    parallelism: z.int().optional(),
    completionMode: z.enum(['Indexed', 'NonIndexed']).default('NonIndexed'),
    backoffLimitPerIndex: z.int().optional(),
    maxFailedIndexes: z.int().optional(),
    selector: z.object({ matchLabels: z.record(z.string(), z.string()).default({}) }).optional(),
    template: z.object({
      spec: z.object({
        restartPolicy: z.string().default('Never'),
        containers: z.array(
          z.object({
            name: z.string(),
            image: z.string().default(''),
            command: z.array(z.string()).default([]),
            args: z.array(z.string()).default([]),
          }),
        ),
      }),
    }),
  }),
  status: z
    .object({
      active: Count,
      ready: Count,
      succeeded: Count,
      failed: Count,
      terminating: Count,
      completedIndexes: z.string().default(''),
      failedIndexes: z.string().default(''),
      startTime: Moment.optional(),
      completionTime: Moment.optional(),
      conditions: z.array(Condition).default([]),
    })
    .prefault({}),
});
export type Job = z.output<typeof JobSchema>;

const Told = { reason: z.string().default(''), message: z.string().default('') };
const ContainerState = z.object({
  terminated: z
    .object({ exitCode: z.int(), ...Told, startedAt: Moment.optional(), finishedAt: Moment.optional() })
    .optional(),
  waiting: z.object(Told).optional(),
  running: z.object({ startedAt: Moment.optional() }).optional(),
});

const ContainerStatus = z.object({ state: ContainerState.default({}), lastState: ContainerState.default({}) });

export const PodSchema = z.object({
  metadata: Metadata.extend({
    ownerReferences: z.array(z.object({ kind: z.string(), name: z.string(), uid: z.string() })).default([]),
  }),
  status: z.object({
    phase: z.string(),
    ...Told,
    containerStatuses: z.array(ContainerStatus).default([]),
    initContainerStatuses: z.array(ContainerStatus.extend({ name: z.string() })).default([]),
  }),
});
export type Pod = z.output<typeof PodSchema>;

/** Muster's own `JobWaits`. */
export const WaitsSchema = z.object({
  summary: z.string().nullable(),
  waits: z.array(
    z.object({
      cause: z.string(),
      count: z.int(),
      message: z.string(),
      etaSeconds: z.number().nullable(),
      nextTrySeconds: z.number().nullable(),
    }),
  ),
});
export type JobWaits = z.output<typeof WaitsSchema>;

const ShownIndexes = z.record(z.string(), z.string());

/** Muster's own `JobProgress`: all of it describes one moment. */
export const ProgressSchema = z.object({
  job: JobSchema,
  counts: z.object({
    succeeded: Count,
    running: Count,
    starting: Count,
    stopping: Count,
    retrying: Count,
    failed: Count,
    waiting: Count,
    inherited: Count,
    excluded: Count,
    held: Count,
    cancelled: Count,
    failedAttempts: Count,
  }),
  indexes: ShownIndexes.nullable(),
  /** What some of its indexes work on; empty without a work list. */
  items: z.array(z.object({ state: z.string(), index: z.int(), item: z.string() })).default([]),
  waits: WaitsSchema,
});
export type Progress = z.output<typeof ProgressSchema>;

const Effect = z.object({
  count: z.int(),
  indexes: z.string(),
  /** What the first and the last of them work on, if the Job has a work list. */
  items: z.array(z.string()).default([]),
});

/** Muster's own `JobItems`: the indexes that work on some items. */
export const ItemsSchema = z.object({
  metadata: z.object({ continue: z.string() }),
  items: z.array(z.object({ index: z.int(), item: z.string() })),
});

/** Muster's own `IndexChange`: what became of the indexes that were held, released, cancelled, or requeued. */
export const IndexChangeSchema = z.object({
  effects: z.object({ done: Effect, later: Effect, already: Effect, settled: Effect }),
});
export type IndexEffects = z.output<typeof IndexChangeSchema>['effects'];

/** Muster's own `JobFailures`. */
export const FailuresSchema = z.object({
  more: z.boolean(),
  groups: z.array(
    z.object({
      reason: z.string(),
      cause: z.string(),
      exitCode: z.int().nullable(),
      verdict: z.string(),
      stoppedWithJob: z.boolean(),
      count: z.int(),
      indexes: z.string().optional(),
      /** Of the first of them, if the Job has a work list. */
      items: z.array(z.string()).default([]),
      example: z.object({
        pod: z.string(),
        index: z.int().optional(),
        item: z.string().optional(),
        attempt: z.int(),
        /** Whose log it is; omitted: the first one's. */
        container: z.string().optional(),
        log: z.array(z.string()),
      }),
    }),
  ),
});
export type JobFailures = z.output<typeof FailuresSchema>;

/** Muster's own `JobAttempts`: attempts that have ended. */
export const AttemptsSchema = z.object({
  metadata: z.object({ uid: z.string(), continue: z.string() }),
  items: z.array(
    z.object({
      /** Omitted: its Job is NonIndexed. */
      index: z.int().optional(),
      attempt: z.int(),
      pod: z.string(),
      /** The item that the index works on, if its Job has a list. */
      item: z.string().optional(),
      /** What its task had as MUSTER_RESULT_NAME, if its Job has a list. */
      resultName: z.string().optional(),
      /** The words that it was started with, if they were asked for and are not those of the manifest. */
      words: z.array(z.string()).optional(),
      fate: z.enum(['succeeded', 'failed', 'open']),
      tries: z.int(),
      node: z.string().nullable(),
      vcpu: z.number().nullable(),
      createdAt: Moment.nullable(),
      startedAt: Moment.nullable(),
      stoppedAt: Moment.nullable(),
      exitCode: z.int().nullable(),
      container: z.string().nullable(),
      reason: z.string(),
      cause: z.string(),
      verdict: z.string(),
      /** The verdict as data: what the end counts as, and why. */
      outcome: z.string(),
      why: z.looseObject({ kind: z.string() }),
      stoppedWithJob: z.boolean(),
    }),
  ),
});
export type EndedAttempt = z.output<typeof AttemptsSchema>['items'][number];

/** A list. Each item is parsed later by code that knows its kind. */
export const ListSchema = z.object({
  metadata: z.object({ resourceVersion: z.string().default(''), continue: z.string().default('') }),
  items: z.array(z.unknown()),
});

export const WatchEventSchema = z.object({
  type: z.enum(['ADDED', 'MODIFIED', 'DELETED', 'BOOKMARK', 'ERROR']),
  object: z.unknown(),
});
export type WatchEvent = z.output<typeof WatchEventSchema>;

/** `GET /version` of a Muster server reports Muster's own version next to Kubernetes'. */
export const VersionSchema = z.object({ gitVersion: z.string().default(''), muster: z.string().optional() });

/** The condition of this type, if it is true. */
export const conditionOf = ({ status }: Job, type: string): Job['status']['conditions'][number] | undefined =>
  status.conditions.find((each) => each.type === type && each.status === 'True');
