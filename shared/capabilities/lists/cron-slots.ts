import type { NextSlot } from '../../domain/schedulers/next-slot.ts';
import { slotsOf } from '../schedules/domain/index.ts';

/** When an object with a schedule fires; or why it never does. */
export type FoundSlots =
  | { readonly kind: 'slots'; readonly zone: string; readonly next: NextSlot }
  | { readonly kind: 'none'; readonly reason: string };
type Timed = { readonly schedule: string; readonly timeZone?: string | undefined };

/** How the slots of a kind are found in its spec, without a server. */
export const SLOTS_BY_KIND: Readonly<Record<string, (spec: Timed) => FoundSlots>> = {
  CronJob: slotsOf,
};
