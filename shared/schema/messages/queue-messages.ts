import * as z from 'zod';
import { ORDER_FORMATS, ORDER_SCHEMAS } from '../../capabilities/lists/order-forms.ts';
import { NewerFormatError } from '../../domain/base/newer-format.ts';
import type { JobUid } from '../../domain/base/ids.ts';
import { factOf } from '../../domain/planner/ending.ts';
import type { Fact } from '../../domain/base/fact.ts';
import type { LaunchTraits } from '../../domain/scoreboard/launch-row.ts';
import { isEventBridgeEvent, parseTask, taskEventDetail } from './ecs-task.ts';
import { Arn, At, Count, Id, Uid, VERSION, idOf, v } from './message-parts.ts';

/**
 * The bodies of our three queues: JSON with a format version, attempts as [index, attempt, nonce]. Every `parse…`
 * throws (SyntaxError or ZodError) for text that no `format…` has written. The reason goes to the dead-letter queue
 * with the message. For a message of a later release, it throws NewerFormatError.
 */

/** A body as JSON. Throws {@link NewerFormatError} for a message of a later release. */
function jsonOf(text: string): unknown {
  const raw: unknown = JSON.parse(text);
  const said = typeof raw === 'object' && raw !== null && 'v' in raw ? raw.v : VERSION;
  if (typeof said === 'number' && said > VERSION) throw new NewerFormatError('a message', said, VERSION);
  return raw;
}

/**
 * JSON that SQS and its emulators accept in full, so that no text (such as a reason) can make a message unsendable.
 * Escapes the two characters that SQS refuses and the surrogate pairs that emulators refuse.
 */
export const sendableJson = (value: object): string =>
  JSON.stringify(value).replaceAll(/[\uD800-\uDFFF\uFFFE\uFFFF]/g, (c) => `\\u${c.charCodeAt(0).toString(16)}`);

// wake queue

const WakeUpSchema = z.strictObject({ v, uid: Uid, inspect: z.literal(true).optional() });

/** The queue handles the delay, so it is not in the body. */
export const formatWakeUp = ({ uid, inspect }: { readonly uid: string; readonly inspect?: boolean }): string =>
  sendableJson({ v: VERSION, uid, ...(inspect === true ? { inspect } : {}) });

const CronWakeUpSchema = z.strictObject({ v, cron: z.string(), jobs: z.array(Uid).optional() });

export const formatCronWakeUp = ({
  cron,
  jobs = [],
}: {
  readonly cron: string;
  readonly jobs?: readonly string[];
}): string => sendableJson({ v: VERSION, cron, ...(jobs.length === 0 ? {} : { jobs }) });

export const parseWakeUp = (text: string) => wakeUpIn(jsonOf(text));

function wakeUpIn(raw: unknown) {
  const { uid, inspect } = WakeUpSchema.parse(raw);
  return { uid, inspect: inspect ?? false };
}

// fact queue

const EndingSchema = z
  .tuple([
    z.enum(['Completed', 'Error', 'OOMKilled', 'Stopped', 'Spot', 'Infrastructure', 'Unplaced', 'StartFailed']),
    z.int().nullable(),
    z.string(),
    z.string().nullable(),
  ])
  .transform(([cause, exitCode, reason, container]) => ({ cause, exitCode, reason, container }));
const TimesSchema = z
  .tuple([At.nullable(), At.nullable(), At.nullable()])
  .transform(([createdAt, startedAt, stoppedAt]) => ({ createdAt, startedAt, stoppedAt }));

const FactSchema = z
  .discriminatedUnion('kind', [
    z.object({ kind: z.literal('launched'), id: Id, at: At, taskArn: Arn }),
    z.object({ kind: z.literal('refused'), id: Id, at: At, reason: z.string(), retryAt: At }),
    z.object({ kind: z.literal('rejected'), id: Id, at: At, reason: z.string() }),
    z.object({ kind: z.literal('cancelled'), id: Id, at: At }),
    z.object({
      kind: z.literal('deleted'),
      id: Id,
      at: At,
      taskArn: Arn.nullable(),
      launchedAt: At.optional(),
      evicted: z.literal(true).optional(),
    }),
    z.object({ kind: z.literal('running'), id: Id, at: At, taskArn: Arn, ip: z.string().optional() }),
    z.object({
      kind: z.literal('stopped'),
      id: Id,
      at: At,
      taskArn: Arn.nullable(),
      ending: EndingSchema,
      times: TimesSchema,
    }),
  ])
  .transform(({ id, ...rest }): Fact => ({ ...id, ...rest }));

const FactMessageSchema = z.object({ v, uid: Uid, facts: z.array(FactSchema) });

export type ParsedFacts = { readonly uid: z.output<typeof Uid>; readonly facts: readonly Fact[] };

export const formatFactMessage = ({ uid, facts }: { readonly uid: string; readonly facts: readonly Fact[] }): string =>
  sendableJson({ v: VERSION, uid, facts: facts.map(formatFact) });

function formatFact(fact: Fact): object {
  const { index: _index, attempt: _attempt, nonce: _nonce, ...rest } = fact;
  if (rest.kind !== 'stopped') return { id: idOf(fact), ...rest };
  const { ending, times } = rest;
  return {
    id: idOf(fact),
    ...rest,
    ending: [ending.cause, ending.exitCode, ending.reason, ending.container],
    times: [times.createdAt, times.startedAt, times.stoppedAt],
  };
}

export function parseFactMessage(text: string): ParsedFacts {
  return factsIn(jsonOf(text));
}

function factsIn(raw: unknown): ParsedFacts {
  const { uid, facts } = FactMessageSchema.parse(raw);
  return { uid, facts };
}

/** A parsed request for a pass. An ECS event without news is none. */
export type ParsedRequest =
  | (ParsedFacts & { readonly inspect: boolean })
  | { readonly uid: null; readonly cron?: string; readonly jobs?: readonly JobUid[] };

/**
 * Parses a body of the wake queue or the fact queue: a wake-up of a Job or of a CronJob, a fact message, or an ECS event from EventBridge,
 * distinguished by shape. Also throws for a task that is not ours, because the rule forwards only ours.
 */
export function parseReconcileRequest(text: string, groupPrefix: string): ParsedRequest {
  const raw = jsonOf(text);
  if (isEventBridgeEvent(raw)) return requestOfEvent(raw, groupPrefix);
  if (typeof raw === 'object' && raw !== null && 'cron' in raw) {
    const { cron, jobs = [] } = CronWakeUpSchema.parse(raw);
    return { uid: null, cron, jobs };
  }
  if (typeof raw === 'object' && raw !== null && 'facts' in raw) return { ...factsIn(raw), inspect: false };
  return { ...wakeUpIn(raw), facts: [] };
}

/** The same for an ECS event that is not text yet. */
export function requestOfEvent(event: unknown, groupPrefix: string): ParsedRequest {
  const view = parseTask(taskEventDetail(event), groupPrefix);
  if (view === null) throw new Error('an event of a task that is not ours');
  const fact = factOf(view);
  return fact === null ? { uid: null } : { uid: view.job, facts: [fact], inspect: false };
}

// dispatch queue

/** [index, on demand?, failures, ignored failures, restarts if any] */
const TraitsSchema = z
  .array(z.tuple([Count, z.boolean(), Count, Count, Count.optional()]))
  .transform(
    (rows): ReadonlyMap<number, LaunchTraits> =>
      new Map(
        rows.map(([index, onDemand, failures, ignored, restarts]) => [
          index,
          { onDemand, failures, ignored, ...(restarts === undefined ? {} : { restarts }) },
        ]),
      ),
  );

const DispatchSchema = z.discriminatedUnion('kind', [
  z.object({
    v,
    kind: z.literal('pack'),
    uid: Uid,
    launch: z.array(Id).readonly(),
    stop: z.array(Id).readonly(),
    traits: TraitsSchema.optional(),
    ahead: Count.optional(),
    putOffAt: At.optional(),
    podDeleted: z.literal(true).optional(),
    lookFrom: z.object({ startedAt: At, family: z.string().nullable(), after: z.string().nullable() }).optional(),
  }),
  z.object({
    v,
    kind: z.literal('stopTask'),
    uid: Uid,
    taskArn: Arn,
    podDeleted: z.literal(true).optional(),
    turn: Count.optional(),
  }),
  z.object({ v, kind: z.literal('inspect'), uid: Uid, from: Count }),
  ...ORDER_SCHEMAS,
  z.object({ v, kind: z.literal('sweepTasks'), after: z.string().nullable(), turn: Count.optional() }),
  z.object({
    v,
    kind: z.literal('sweepDefinitions'),
    prefix: z.string(),
    after: z.string().nullable(),
    turn: Count.optional(),
  }),
  z.object({
    v,
    kind: z.literal('retireDefinitions'),
    families: z.array(z.string()).readonly(),
    before: At,
    after: z.string().nullable().optional(),
    turn: Count.optional(),
  }),
]);

type Unversioned<T> = T extends unknown ? Omit<T, 'v'> : never;
export type ParsedDispatch = Unversioned<z.output<typeof DispatchSchema>>;

export const formatDispatch = (message: ParsedDispatch): string =>
  sendableJson({ v: VERSION, ...message, ...formatLists(message) });

function formatLists(message: ParsedDispatch): object {
  if (message.kind === 'pack')
    return {
      launch: message.launch.map(idOf),
      stop: message.stop.map(idOf),
      traits: traitRows(message),
    };
  const formats: Readonly<Record<string, ((message: never) => object) | undefined>> = ORDER_FORMATS;
  return formats[message.kind]?.(message as never) ?? {};
}

const traitRows = ({ traits }: { readonly traits?: ReadonlyMap<number, LaunchTraits> | undefined }) =>
  traits === undefined
    ? undefined
    : [...traits].map(([index, { onDemand, failures, ignored, restarts }]) => [
        index,
        onDemand,
        failures,
        ignored,
        ...(restarts === undefined ? [] : [restarts]),
      ]);

export function parseDispatch(text: string): ParsedDispatch {
  const { v: _v, ...message } = DispatchSchema.parse(jsonOf(text));
  return message;
}
