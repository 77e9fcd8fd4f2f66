import { type EpochMs, asTime } from '../../../domain/base/time.ts';
import { timeInZone } from '../../../domain/schedulers/wall-time.ts';
import { slotsOf } from '../domain/slots.ts';
import { slotsAfter } from '../../../domain/schedulers/next-slot.ts';

/**
 * When a new CronJob fires first, by the clock that its schedule is read by: `2026-11-28 04:00 Europe/Berlin (2026-11-28T03:00:00Z)`.
 *
 * @returns null if it never fires
 */
export function nextRun(
  spec: { readonly schedule: string; readonly timeZone?: string | undefined },
  now: EpochMs,
): string | null {
  const slots = slotsOf(spec);
  if (slots.kind === 'none') return null;
  const [next] = slotsAfter(slots.next, now, 1);
  if (next === undefined) return null;
  const wall = timeInZone(slots.zone, next).slice(0, 16).replace('T', ' ');
  return `${wall} ${slots.zone} (${asTime(next)})`;
}
