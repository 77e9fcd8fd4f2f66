import type { FoundSlots } from '../../../domain/schedulers/next-slot.ts';
import { slotsOf } from './slots.ts';

/** When a CronJob fires, or why it never does, as far as its manifest says; `@every` counts from where one looks. */
export function slotsOfCronJob({
  spec,
}: {
  readonly spec: { readonly schedule?: string; readonly timeZone?: string | undefined };
}): FoundSlots {
  const slots = slotsOf({ schedule: spec.schedule ?? '', timeZone: spec.timeZone });
  return slots.kind === 'slots' ? { kind: 'slots', next: slots.next } : { kind: 'none', reason: slots.reason };
}
