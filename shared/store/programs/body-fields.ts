import * as z from 'zod';
import { asJobUid } from '../../domain/base/ids.ts';
import { asEpochMs } from '../../domain/base/time.ts';

// Fields that many rows have.

export const Time = z.number().transform(asEpochMs);
export const Uid = z.string().transform(asJobUid);

export const CronEventsSchema = z.array(
  z.object({
    type: z.enum(['Normal', 'Warning']),
    reason: z.string(),
    message: z.string(),
    firstAt: Time,
    at: Time,
    count: z.number(),
  }),
);
