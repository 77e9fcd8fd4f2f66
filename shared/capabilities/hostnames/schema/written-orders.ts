import * as z from 'zod';
import type { AttemptId } from '../../../domain/base/fact.ts';
import { Arn, Count, Id, Uid, idOf, v } from '../../../schema/messages/message-parts.ts';

const SeenSchema = z
  .object({ id: Id, taskArn: Arn, ip: z.string() })
  .transform(({ id, taskArn, ip }) => ({ ...id, taskArn, ip }));

/** Update the names of one launch row. */
export const SYNC_HOSTS = z.object({
  v,
  kind: z.literal('hosts'),
  uid: Uid,
  row: Count,
  seen: z.array(SeenSchema).readonly(),
  turn: Count.optional(),
});

/** Remove all names of a Job. */
export const CLOSE_HOSTS = z.object({ v, kind: z.literal('closeHosts'), uid: Uid });

type Seen = AttemptId & { readonly taskArn: string; readonly ip: string };

/** What of an update is written otherwise than it is read. */
export const formatSyncHosts = ({ seen }: { readonly seen: readonly Seen[] }): object => ({
  seen: seen.map((task) => ({ id: idOf(task), taskArn: task.taskArn, ip: task.ip })),
});
