import * as z from 'zod';
import type { ConfigState } from '../domain/config-state.ts';
import type { FurikoPart } from '../domain/furiko-job.ts';
import { CronEventsSchema, Time, Uid } from '../../../store/programs/body-fields.ts';

/** It was checked field by field when it was admitted: here it is one or not. */
export const FURIKO_PART_BODY = z.exactOptional(
  z.custom<FurikoPart>((value) => z.object({ spec: z.object({}) }).safeParse(value).success),
);

export const CONFIG_STATE: z.ZodType<ConfigState> = z.object({
  lastScheduledAt: Time.nullable(),
  lastExecutedAt: Time.nullable(),
  passedAt: Time.nullable(),
  places: z.array(
    z.object({
      uid: Uid,
      name: z.string(),
      policy: z.enum(['Allow', 'Forbid', 'Enqueue']),
      slot: Time.nullable(),
      startAfter: Time.nullable(),
      at: Time,
      stage: z.enum(['queued', 'starting', 'active', 'rejected']),
      isStored: z.boolean(),
      startTime: Time.nullable(),
    }),
  ),
  events: CronEventsSchema,
});
