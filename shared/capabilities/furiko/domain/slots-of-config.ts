import type { FoundSlots } from '../../../domain/schedulers/next-slot.ts';
import { configSlots } from './config-slots.ts';
import type { ConfigSchedule } from './job-config.ts';

/** When a JobConfig fires, or why it never does, as far as its manifest says. */
export function slotsOfConfig({
  metadata,
  spec,
}: {
  readonly metadata: { readonly namespace?: string; readonly name: string };
  readonly spec: { readonly schedule?: ConfigSchedule };
}): FoundSlots {
  const { namespace = '', name } = metadata;
  const slots = configSlots({ namespace, name }, spec.schedule);
  if (slots.kind === 'bad') return { kind: 'none', reason: slots.message };
  if (slots.kind === 'none') return { kind: 'none', reason: spec.schedule === undefined ? 'no schedule' : 'disabled' };
  const { from, next } = slots;
  return { kind: 'slots', next: (after) => next(after > from ? after : from) };
}
