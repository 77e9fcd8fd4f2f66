import * as z from 'zod';
import { type JobUid, asJobUid } from '../../domain/base/ids.ts';

const Uid = z
  .string()
  .regex(/^[\w-]{1,64}$/)
  .transform(asJobUid);
/** Our own messages, of any version and kind. */
const OwnSchema = z.object({ uid: Uid });
const EventSchema = z.object({ detail: z.object({ group: z.string(), startedBy: Uid }) });
/** Finds the uid in a body that is cut off or damaged after it. */
const UID_IN_TEXT = /"uid":"([\w-]{1,64})"/;

/**
 * The Job that an unprocessed message is about, as far as it can be read: `uid` in our own messages, the task's
 * `startedBy` in ECS events. null: no Job, or no Job of ours.
 */
export function subjectOf(body: string, groupPrefix: string): JobUid | null {
  let raw: unknown;
  try {
    raw = JSON.parse(body);
  } catch {
    const uid = UID_IN_TEXT.exec(body)?.[1];
    return uid === undefined ? null : asJobUid(uid);
  }
  const own = OwnSchema.safeParse(raw);
  if (own.success) return own.data.uid;
  const event = EventSchema.safeParse(raw);
  return event.success && event.data.detail.group.startsWith(groupPrefix) ? event.data.detail.startedBy : null;
}
