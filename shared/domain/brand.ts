declare const brand: unique symbol;

/** A primitive that must not be mixed up with another of the same shape. */
type Brand<T, Name extends string> = T & { readonly [brand]: Name };

/** Identity of one Job for life; a Job made anew under the same name has another. */
export type JobUid = Brand<string, 'JobUid'>;
/** `arn:aws:ecs:<region>:<account>:task/<cluster>/<32 hex digits>`. */
export type TaskArn = Brand<string, 'TaskArn'>;
/** Milliseconds since 1970, our clock or ECS's. */
export type EpochMs = Brand<number, 'EpochMs'>;
/** Seconds since 1970: DynamoDB's TTL attribute, and nowhere else. */
export type EpochSec = Brand<number, 'EpochSec'>;

export const asJobUid = (text: string): JobUid => text as JobUid;
export const asTaskArn = (text: string): TaskArn => text as TaskArn;
export const asEpochMs = (ms: number): EpochMs => ms as EpochMs;

/** The last part of a task's ARN: what names it within its cluster, and its record in Cloud Map. */
export const taskIdOf = (task: TaskArn): string => task.slice(task.lastIndexOf('/') + 1);

/** The moment `ms` after `at`. */
export const plusMs = (at: EpochMs, ms: number): EpochMs => (at + ms) as EpochMs;
/** The later of two moments. */
export const later = (a: EpochMs, b: EpochMs): EpochMs => (a > b ? a : b);
/** The sooner of two alarms, where null means "no alarm". */
export const soonest = (a: EpochMs | null, b: EpochMs | null): EpochMs | null =>
  a === null ? b : b === null || a < b ? a : b;
/** The TTL that lets DynamoDB remove an item some time after `at`. */
export const toTtl = (at: EpochMs): EpochSec => Math.ceil(at / 1000) as EpochSec;
/** RFC 3339 in whole seconds, as all of Kubernetes' times. */
export const asTime = (at: EpochMs): string => new Date(at).toISOString().replace(/\.\d{3}Z$/, 'Z');
