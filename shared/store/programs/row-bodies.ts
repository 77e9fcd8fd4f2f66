import * as z from 'zod';
import type { EpochMs } from '../../domain/base/time.ts';
import type { RecentGrants } from '../../domain/base/recent-grants.ts';
import { asTaskArn } from '../../domain/base/ids.ts';
import { inOrderOfPods } from '../../domain/scoreboard/journal.ts';
import { RESOURCE_COLUMNS, type TaskColumns } from '../../domain/items/task-columns.ts';
import type { JobManifest, JobStatusDocument } from '../../domain/manifests/manifest.ts';
import { CAPABILITY_PARTS, CAPABILITY_STATES } from '../../capabilities/lists/stored.ts';
import type { SchedulerStates } from '../../domain/schedulers/scheduler-states.ts';
import { type OwnerKind, OWNERS } from '../../domain/kinds/api-kinds.ts';
import type { CronRow } from '../../ports/cron-store.ts';
import type { ContentHead, ItemReservation, ItemRun, PartSummary } from '../../ports/item-store.ts';
import type { Host, Reservation } from '../../ports/host-store.ts';
import type { AttemptRecord, LaunchSlot, StoredSpec } from '../../ports/job-store.ts';
import type { FeedEntry, PodChange } from '../../ports/feed.ts';
import type { ShownStatus } from '../../domain/scoreboard/shown-status.ts';
import type { PublishedPods, PublishedPod } from '../../domain/scoreboard/published-pods.ts';
import { type StoredDeadLetter, QUEUE_NAMES } from '../../ports/dead-letters.ts';
import type { StoredDocument } from '../../ports/object-store.ts';
import type { Waiter } from '../../ports/waiters.ts';
import type { LaunchTemplate } from '../../domain/task/task.ts';
import { Time, Uid } from './body-fields.ts';
import { WhySchema } from './why-body.ts';

// What rows hold as JSON, in every store. Muster wrote them, so these schemas only check that a row can be understood.

const Arn = z.string().transform(asTaskArn);
const attemptId = { index: z.number(), attempt: z.number(), nonce: z.number() };

/** A manifest was checked field by field when it was admitted: here it is a Job or not. */
const Manifest = z.custom<JobManifest>((value) => z.object({ kind: z.literal('Job') }).safeParse(value).success);

/** The same for a status. */
const Said = z.custom<JobStatusDocument>((value) => z.object({}).safeParse(value).success);

export const SpecSchema: z.ZodType<StoredSpec> = z
  .object({
    identity: z.object({ uid: Uid, namespace: z.string(), name: z.string(), createdAt: Time }),
    revision: z.number(),
    generation: z.number(),
    manifest: Manifest,
    said: Said.optional(),
    inherited: z.string().optional(),
    suspendSetBy: z.string().optional(),
    ...CAPABILITY_PARTS,
  })
  .transform(({ said, inherited, suspendSetBy, ...spec }) => ({
    ...spec,
    ...(said === undefined ? {} : { said }),
    ...(inherited === undefined ? {} : { inherited }),
    ...(suspendSetBy === undefined ? {} : { suspendSetBy }),
  }));

const TemplateSchema: z.ZodType<LaunchTemplate> = z.object({
  taskDefinition: z.string(),
  containers: z.array(z.string()),
  placement: z.string(),
  zone: z.string().optional(),
  completions: z.number().optional(),
  variants: z.array(z.object({ image: z.string(), taskDefinition: z.string() })).optional(),
  sources: z.string().optional(),
  texts: z.array(z.object({ name: z.string(), keys: z.record(z.string(), z.string()) })).optional(),
});

/** One, or all of them by number. */
export const TemplatesSchema = z.union([TemplateSchema, z.array(TemplateSchema)]);

const Traits = z.object({
  onDemand: z.boolean(),
  failures: z.number(),
  ignored: z.number(),
  restarts: z.number().optional(),
});

export const SlotsSchema: z.ZodType<readonly LaunchSlot[]> = z.array(
  z.discriminatedUnion('state', [
    z.object({
      ...attemptId,
      state: z.literal('launching'),
      since: Time,
      traits: Traits.optional(),
      template: z.number().optional(),
      repeatedAt: Time.optional(),
      claim: z.number().optional(),
    }),
    z.object({ ...attemptId, state: z.literal('cancelled'), refusedAt: Time.optional() }),
    z.object({ ...attemptId, state: z.literal('launched'), since: Time, taskArn: Arn }),
  ]),
);

export const HostsSchema: z.ZodType<readonly Host[]> = z.array(
  z.object({
    index: z.number(),
    serviceId: z.string(),
    tasks: z.array(
      z.object({
        attempt: z.number(),
        nonce: z.number(),
        taskArn: Arn,
        ip: z.string(),
        calledAt: Time.nullable(),
        registered: z.boolean(),
      }),
    ),
  }),
);

export const ReservationsSchema: z.ZodType<readonly Reservation[]> = z.array(
  z.object({ uid: Uid, count: z.number(), at: Time }),
);

export const AttemptSchema: z.ZodType<AttemptRecord> = z.object({
  ...attemptId,
  taskArn: Arn.nullable(),
  ending: z.object({
    cause: z.enum(['Completed', 'Error', 'OOMKilled', 'Stopped', 'Spot', 'Infrastructure', 'Unplaced', 'StartFailed']),
    exitCode: z.number().nullable(),
    container: z.string().nullable(),
    reason: z.string(),
    podDeleted: z.literal(true).optional(),
  }),
  times: z.object({ createdAt: Time.nullable(), startedAt: Time.nullable(), stoppedAt: Time.nullable() }),
  judgement: z.object({
    as: z.enum([
      'succeeded',
      'failed',
      'failedForGood',
      'ignored',
      'restarted',
      'unstarted',
      'lost',
      'lostToSpot',
      'released',
    ]),
    why: WhySchema,
  }),
  failures: z.number(),
  ignored: z.number(),
  restarts: z.number(),
  podCreatedSec: z.number().optional(),
  earlierTaskArn: Arn.optional(),
  gone: z.literal(true).optional(),
});

const Widest = z.object({ columns: z.array(z.number()), line: z.number() });
const ValueAtSchema = z.object({ item: z.number(), value: z.string() });
const QuantityColumnSchema = z.object({ largest: ValueAtSchema.nullable(), bad: ValueAtSchema.nullable() });
const ImageColumnSchema = z.object({
  distinct: z.array(ValueAtSchema),
  over: ValueAtSchema.nullable(),
  bad: ValueAtSchema.nullable(),
});
const TaskColumnsSchema: z.ZodType<TaskColumns> = z.object({
  resources: z.partialRecord(z.enum(RESOURCE_COLUMNS), QuantityColumnSchema),
  images: ImageColumnSchema.optional(),
});
const sized = {
  count: z.number(),
  bytes: z.number(),
  sha256: z.string(),
  widest: Widest,
  taskColumns: TaskColumnsSchema.optional(),
};

export const PartSummarySchema: z.ZodType<PartSummary> = z.object({ no: z.number(), ...sized });

/** `removingSince`: null while the content can be found. */
export const ContentHeadSchema: z.ZodType<{ readonly head: ContentHead; readonly removingSince: EpochMs | null }> =
  z.object({
    head: z.object({
      content: z.string(),
      namespace: z.string(),
      name: z.string(),
      columns: z.array(z.string()),
      itemsPerPart: z.number(),
      createdAt: Time,
      accounts: z.array(z.string()).optional(),
      sealed: z.object(sized).nullable(),
    }),
    removingSince: Time.nullable(),
  });

export const ItemRunSchema: z.ZodType<ItemRun> = z.object({ first: z.number(), rows: z.array(z.array(z.string())) });

export const ItemReservationSchema: z.ZodType<ItemReservation> = z.object({ job: Uid, at: Time });

/**
 * Pods of a feed entry by columns and in order of their index, which deflate shrinks to one or two bytes per Pod: indexes as
 * steps from the one before, attempts, and the codes of the states.
 */
type PackedPods = {
  readonly i: readonly number[];
  readonly a: readonly number[];
  readonly s: string;
  /** Which Pods are new: one digit each. */
  readonly n: string;
};

/** The states of a Pod, by code: the first seven as on the board. The order is part of the stored format. */
const POD_STATES: readonly PodChange['state'][] = [
  'pending',
  'claimed',
  'launched',
  'running',
  'succeeded',
  'failed',
  'waiting',
  'stopping',
  'gone',
];

export function packPods(pods: readonly PodChange[]): PackedPods {
  const sorted = inOrderOfPods(pods);
  return {
    i: sorted.map(({ index }, nth) => index - (sorted[nth - 1]?.index ?? 0)),
    a: sorted.map(({ attempt }) => attempt),
    s: sorted.map(({ state }) => POD_STATES.indexOf(state)).join(''),
    n: sorted.map(({ isNew }) => (isNew === true ? 1 : 0)).join(''),
  };
}

const Pods = z
  .object({ i: z.array(z.number()), a: z.array(z.number()), s: z.string(), n: z.string() })
  .transform(({ i, a, s, n }, context): readonly PodChange[] => {
    let index = 0;
    return i.map((step, nth) => {
      index += step;
      const state = POD_STATES[Number(s[nth])];
      const attempt = a[nth];
      const isNew = n[nth] === '1';
      if (state !== undefined && attempt !== undefined)
        return { index, attempt, state, ...(isNew ? { isNew: true } : {}) };
      context.addIssue({ code: 'custom', message: `Pod ${nth} is incomplete` });
      return z.NEVER;
    });
  });

/** The same for published Pods, with steps from one row's number to the next. */
export const packPublished = (pods: readonly PublishedPod[]) => ({
  ...packPods(pods),
  r: pods.map(({ number }, nth) => number - (pods[nth - 1]?.number ?? 0)),
});

/** The mark's part of it. */
export const packMark = ({ recent, ...published }: PublishedPods) => ({ ...published, recent: packPublished(recent) });

export const PublishedPodListSchema: z.ZodType<readonly PublishedPod[]> = z
  .object({ i: z.array(z.number()), a: z.array(z.number()), s: z.string(), n: z.string(), r: z.array(z.number()) })
  .transform(({ r, ...pods }, context): readonly PublishedPod[] => {
    const read = Pods.safeParse(pods);
    if (!read.success || read.data.length !== r.length) {
      context.addIssue({ code: 'custom', message: 'what was published about Pods is incomplete' });
      return z.NEVER;
    }
    let number = 0;
    return read.data.map((pod, nth) => ({ ...pod, number: (number += r[nth] ?? 0) }));
  });

/** What was published of a Job's status. */
const Shown = z.custom<ShownStatus>(
  (value) => z.object({ phase: z.object({ kind: z.string() }), pods: z.object({}) }).safeParse(value).success,
);

const published = {
  base: z.number(),
  through: z.number(),
  ending: z.number().nullable(),
  recent: PublishedPodListSchema,
};

export const PublishedPodsSchema: z.ZodType<PublishedPods> = z.object(published);

/** A mark's body: what is published about the Job's Pods, and of its status. */
export const MarkBodySchema: z.ZodType<PublishedPods & { readonly shown?: ShownStatus | undefined }> = z.object({
  ...published,
  shown: Shown.optional(),
});

export const EntriesSchema: z.ZodType<readonly FeedEntry[]> = z.array(
  z.object({
    uid: Uid,
    namespace: z.string(),
    name: z.string(),
    type: z.enum(['ADDED', 'MODIFIED', 'DELETED']),
    after: z.number(),
    version: z.number(),
    seq: z.number(),
    revision: z.number().optional(),
    specBefore: SpecSchema.optional(),
    pods: Pods,
    ends: z.literal(true).optional(),
    shown: Shown.optional(),
    labelsBefore: z.record(z.string(), z.string()).optional(),
  }),
);

export const DocumentSchema: z.ZodType<StoredDocument> = z.looseObject({
  metadata: z.looseObject({ uid: z.string() }),
});

/** A row of the feed of stored objects. */
export const ChangeSchema = z.object({
  type: z.enum(['ADDED', 'MODIFIED', 'DELETED']),
  key: z.object({ namespace: z.string(), name: z.string() }),
  document: DocumentSchema,
  labelsBefore: z.record(z.string(), z.string()).optional(),
});

export const DeadLetterSchema: z.ZodType<StoredDeadLetter> = z.object({
  queue: z.enum(QUEUE_NAMES),
  id: z.string(),
  body: z.string(),
  reason: z.string(),
  sentAt: Time,
  job: Uid.nullable(),
  filedAt: Time,
  refusal: z.object({ namespace: z.string(), status: z.string() }).optional(),
});

export const RecentGrantsSchema: z.ZodType<RecentGrants> = z.object({
  at: Time,
  namespaces: z.array(z.object({ namespace: z.string(), granted: z.number() })),
});

const STATES: { readonly [K in OwnerKind]: z.ZodType<SchedulerStates[K]> } = CAPABILITY_STATES;

type BodyOf<Row> = Row extends unknown ? Omit<Row, 'uid' | 'version'> : never;

/** A scheduler's row, but for its key and its version. */
export const CronBodySchema: z.ZodType<BodyOf<CronRow>> = z.union(
  OWNERS.map(({ name }) => {
    const key = z.object({ namespace: z.string(), name: z.string() });
    const body = z.object({ kind: z.literal(name), key, alarmAt: Time.nullable(), state: STATES[name] });
    return body as unknown as z.ZodType<BodyOf<CronRow>>; // TypeScript does not see that kind and state go together
  }),
);

/** A Job that waits for another. */
export const WaiterSchema: z.ZodType<Waiter> = z.object({
  namespace: z.string(),
  upstream: z.string(),
  uid: Uid,
  name: z.string(),
  byIndex: z.boolean(),
});
