import { AlarmHeap, type Timers } from '../../local/ecs/timers.ts';

/** A clock that moves only when a test moves it. */
export function handClock(): Timers & { advance(ms: number): void } {
  const alarms = new AlarmHeap();
  let nowMs = Date.UTC(2026, 10, 20);
  return {
    now: () => nowMs,
    after(delayMs, run) {
      const alarm = alarms.set(nowMs + delayMs, run);
      return () => {
        alarm.run = null;
      };
    },
    close: () => undefined,
    advance(ms) {
      const endMs = nowMs + ms;
      for (let next = alarms.nextAtMs(); next !== null && next <= endMs; next = alarms.nextAtMs()) {
        nowMs = Math.max(nowMs, next);
        alarms.ring(nowMs);
      }
      nowMs = endMs;
    },
  };
}
