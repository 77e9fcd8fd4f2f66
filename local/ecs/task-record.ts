import * as z from 'zod';
import { EphemeralStorageSchema } from './definition.ts';

/** One container of one task, as far as it is known. Times are milliseconds since 1970; null if not reached. */
const ContainerRecordSchema = z.object({
  name: z.string(),
  /** `starting`: the driver was asked to start it. After a restart, the files on disk decide. */
  status: z.enum(['pending', 'starting', 'running', 'stopped']),
  exitCode: z.number().nullable(),
  reason: z.string().nullable(),
  startedAtMs: z.number().nullable(),
  endedAtMs: z.number().nullable(),
});

const KeyValueSchema = z.object({ name: z.string(), value: z.string() });

const ContainerOverrideSchema = z.looseObject({
  name: z.string(),
  command: z.array(z.string()).optional(),
  environment: z.array(KeyValueSchema).optional(),
});

/** What RunTask may change in a definition. Members without effect here are stored and returned. */
export const OverridesSchema = z.looseObject({
  cpu: z.string().optional(),
  memory: z.string().optional(),
  ephemeralStorage: EphemeralStorageSchema.optional(),
  containerOverrides: z.array(ContainerOverrideSchema).optional(),
});

const FailureSchema = z.object({
  arn: z.string().optional(),
  reason: z.string().optional(),
  detail: z.string().optional(),
});

/** The RunTask call that created a task: enough to answer its client token again. */
const LaunchSchema = z.object({
  token: z.string().nullable(),
  /** hash of the request without its token */
  fingerprint: z.string(),
  /** all tasks of the call; the first one's record is written last and makes the launch valid */
  taskIds: z.array(z.string()),
  failures: z.array(FailureSchema),
});

const STOP_CODES = [
  'TaskFailedToStart',
  'EssentialContainerExited',
  'UserInitiated',
  'SpotInterruption',
  'TerminationNotice',
  'InfrastructureHealth',
] as const;

const StopCauseSchema = z.object({ code: z.enum(STOP_CODES), reason: z.string(), atMs: z.number() });

export const TaskRecordSchema = z.object({
  schema: z.literal(1),
  id: z.string().regex(/^[0-9a-f]{32}$/),
  cluster: z.string(),
  definition: z.object({ family: z.string(), revision: z.number() }),
  launch: LaunchSchema,
  group: z.string(),
  startedBy: z.string().nullable(),
  capacityProvider: z.string().nullable(),
  cpu: z.string(),
  memory: z.string(),
  overrides: OverridesSchema,
  tags: z.array(z.object({ key: z.string().optional(), value: z.string().optional() })),
  subnetId: z.string(),
  privateIp: z.string(),
  createdAtMs: z.number(),
  /** its number among those that take room, in the order in which they came; omitted: it takes none */
  nth: z.number().int().optional(),
  version: z.number(),
  lastStatus: z.enum(['PROVISIONING', 'PENDING', 'ACTIVATING', 'RUNNING', 'DEPROVISIONING', 'STOPPED']),
  containers: z.array(ContainerRecordSchema),
  startedAtMs: z.number().nullable(),
  /** set as soon as the task must end; the first cause stays */
  stop: StopCauseSchema.nullable(),
  stoppedAtMs: z.number().nullable(),
});

export type TaskRecord = Readonly<z.infer<typeof TaskRecordSchema>>;
export type ContainerRecord = Readonly<z.infer<typeof ContainerRecordSchema>>;
export type Overrides = z.infer<typeof OverridesSchema>;
export type StopCause = Readonly<z.infer<typeof StopCauseSchema>>;
export type Launch = Readonly<z.infer<typeof LaunchSchema>>;
export type LastStatus = TaskRecord['lastStatus'];
