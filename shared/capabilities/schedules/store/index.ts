import * as z from 'zod';
import { CronEventsSchema, Time, Uid } from '../../../store/programs/body-fields.ts';
import type { CronState } from '../domain/cron-state.ts';

const CronChildEndSchema = z.object({ kind: z.enum(['complete', 'failed']), startAt: Time.nullable(), at: Time });

/** What a CronJob's scheduler keeps. */
export const CRON_STATE: z.ZodType<CronState> = z.object({
  lastScheduleAt: Time.nullable(),
  lastSuccessAt: Time.nullable(),
  passedAt: Time.nullable(),
  claim: z.object({ slot: Time, name: z.string(), uid: Uid, at: Time, replaces: z.array(Uid) }).nullable(),
  retry: z.object({ slot: Time, at: Time, tries: z.number() }).nullable(),
  jobs: z.array(z.object({ uid: Uid, name: z.string(), isListed: z.boolean(), end: CronChildEndSchema.nullable() })),
  events: CronEventsSchema,
});
