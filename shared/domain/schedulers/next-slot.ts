import type { EpochMs } from '../base/time.ts';

/** A function that gives the first slot after a moment; null: there is none. */
export type NextSlot = (after: EpochMs) => EpochMs | null;

/** When an object with a schedule fires; or why it never does. */
export type FoundSlots =
  | { readonly kind: 'slots'; readonly next: NextSlot }
  | { readonly kind: 'none'; readonly reason: string };

/** The slots after a moment, at most `count`. */
export function slotsAfter(next: NextSlot, after: EpochMs, count: number): readonly EpochMs[] {
  const slots: EpochMs[] = [];
  for (let slot = next(after); slot !== null && slots.length < count; slot = next(slot)) slots.push(slot);
  return slots;
}
