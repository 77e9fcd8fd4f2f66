import type { FoundSlots } from '../../domain/schedulers/next-slot.ts';
import { slotsOfConfig } from '../furiko/domain/index.ts';
import { slotsOfCronJob } from '../schedules/domain/index.ts';

/** An object with a schedule, as the API shows it. */
type Timed = { readonly metadata: { readonly namespace?: string; readonly name: string }; readonly spec: object };

/** How the slots of a kind are found in an object, without a server. */
export const SLOTS_BY_KIND: Readonly<Record<string, (object: Timed) => FoundSlots>> = {
  CronJob: slotsOfCronJob,
  JobConfig: slotsOfConfig,
};
