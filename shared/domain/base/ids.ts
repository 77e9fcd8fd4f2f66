import type { Brand } from './brand.ts';

/** Identity of one Job for life. A Job that is created again under the same name has another. */
export type JobUid = Brand<string, 'JobUid'>;
/** `arn:aws:ecs:<region>:<account>:task/<cluster>/<32 hex digits>`. */
export type TaskArn = Brand<string, 'TaskArn'>;

export const asJobUid = (text: string): JobUid => text as JobUid;
export const asTaskArn = (text: string): TaskArn => text as TaskArn;

/** The uid that a digest of at least 32 hex digits stands for, in the form of a name-based one (RFC 9562, version 5). */
export const uidOfDigest = (hex: string): JobUid =>
  asJobUid(
    [hex.slice(0, 8), hex.slice(8, 12), `5${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`, hex.slice(20, 32)].join('-'),
  );

/** The last part of a task's ARN: it names the task within its cluster, and its record in Cloud Map. */
export const taskIdOf = (task: TaskArn): string => task.slice(task.lastIndexOf('/') + 1);
