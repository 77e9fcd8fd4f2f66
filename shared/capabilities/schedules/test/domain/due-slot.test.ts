import { describe, expect, it } from 'vitest';
import { asEpochMs } from '../../../../domain/base/time.ts';
import { dueSlot } from '../../domain/due-slot.ts';
import type { NextSlot } from '../../../../domain/schedulers/next-slot.ts';
import { nextTime } from '../../domain/next-time.ts';
import { parseSchedule } from '../../domain/cron-schedule.ts';

function next(schedule: string): NextSlot {
  const parsed = parseSchedule(schedule);
  if (parsed.kind === 'bad') throw new Error(parsed.reason);
  return (after) => nextTime(parsed.schedule, 'UTC', after);
}
const at = (text: string) => asEpochMs(Date.parse(`${text}:00Z`));
const shown = (ms: number | null) => (ms === null ? null : new Date(ms).toISOString().slice(0, 16));

describe('the slot that is due', () => {
  it.each([
    ['0 * * * *', '2026-01-01T10:30', '2026-01-01T10:59', { kind: 'none', next: '2026-01-01T11:00' }],
    [
      '0 * * * *',
      '2026-01-01T10:30',
      '2026-01-01T11:00',
      { slot: '2026-01-01T11:00', missed: 0, next: '2026-01-01T12:00' },
    ],
    ['0 * * * *', '2026-01-01T10:00', '2026-01-01T10:30', { kind: 'none', next: '2026-01-01T11:00' }],
    [
      '0 * * * *',
      '2026-01-01T10:30',
      '2026-01-01T13:10',
      { slot: '2026-01-01T13:00', missed: 3, next: '2026-01-01T14:00' },
    ],
    [
      '* * * * *',
      '2026-01-01T00:00',
      '2026-01-01T01:41',
      { slot: '2026-01-01T01:41', missed: 101, next: '2026-01-01T01:42' },
    ],
    ['* * * * *', '2020-01-01T00:00', '2026-01-01T00:00', { slot: '2026-01-01T00:00', next: '2026-01-01T00:01' }],
    // The first interval says little of the others.
    ['0,1 0 * * *', '2025-12-31T00:30', '2026-01-04T12:00', { slot: '2026-01-04T00:01', next: '2026-01-05T00:00' }],
    ['* * * * mon', '2026-01-04T23:58', '2026-01-09T12:00', { slot: '2026-01-05T23:59', next: '2026-01-12T00:00' }],
    ['0 0 29 2 *', '2024-03-01T00:00', '2033-01-01T00:00', { slot: '2032-02-29T00:00', next: '2036-02-29T00:00' }],
  ])('%s since %s at %s', (schedule, since, now, expected) => {
    const found = dueSlot(next(schedule), at(since), at(now));
    const readable = {
      ...found,
      ...('slot' in found ? { slot: shown(found.slot) } : {}),
      ...('next' in found ? { next: shown(found.next) } : {}),
    };
    expect(readable).toMatchObject({ kind: 'due', ...expected });
  });

  it('is none where the schedule never fires', () => {
    expect(dueSlot(next('0 0 31 2 *'), at('2026-01-01T00:00'), at('2026-06-01T00:00'))).toEqual({ kind: 'never' });
  });

  it('is the last one before now, whatever the schedule', () => {
    for (const schedule of ['*/7 * * * *', '3 */5 * * *', '0 0 1,15 * *', '10-12 4 * * 2,6', '@every 47s']) {
      const following = next(schedule);
      for (let hours = 1; hours < 400; hours += 37) {
        const now = asEpochMs(at('2026-01-01T00:00') + hours * 3_600_000);
        let last: number | null = null;
        for (let slot = following(at('2026-01-01T00:00')); slot !== null && slot <= now; slot = following(slot))
          last = slot;
        const found = dueSlot(following, at('2026-01-01T00:00'), now);
        expect(found.kind === 'due' ? found.slot : null).toBe(last);
      }
    }
  });
});
