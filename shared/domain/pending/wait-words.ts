import type { Wait } from './waits.ts';

/** A wait's duration for people: `about 41 s`, `about 12 min`, `about 3 h`, `about 4 d`. Rounded up. */
export function aboutMs(ms: number): string {
  const sec = Math.max(1, Math.ceil(ms / 1000));
  if (sec < 2 * 60) return `about ${sec} s`;
  if (sec < 2 * 3600) return `about ${Math.ceil(sec / 60)} min`;
  if (sec < 2 * 86_400) return `about ${Math.ceil(sec / 3600)} h`;
  return `about ${Math.ceil(sec / 86_400)} d`;
}

/** How long a wait takes, as text; empty if unknown. */
export function outlookOf({ etaMs, nextTryMs }: Pick<Wait, 'etaMs' | 'nextTryMs'>): string {
  const last = etaMs === null ? '' : aboutMs(etaMs);
  const next = nextTryMs === null ? '' : aboutMs(nextTryMs);
  if (etaMs === null) return next === '' ? '' : `next try in ${next}`;
  return next === '' || next === last ? last : `next in ${next}, last in ${last}`;
}

/** A wait as the end of a sentence: `launch rate 20/s, about 41 s`. */
export function waitText(wait: Pick<Wait, 'message' | 'etaMs' | 'nextTryMs'>): string {
  const outlook = outlookOf(wait);
  return outlook === '' ? wait.message : `${wait.message}, ${outlook}`;
}

/** `1 waits`, `2 wait`. */
export const countText = (count: number): string => `${count} ${count === 1 ? 'waits' : 'wait'}`;

/** What proceeds by itself is not a wait worth mentioning. */
const MOVING: readonly Wait['cause'][] = ['launching', 'starting', 'stopping'];

/** All waits in one line, the largest first: `812 wait: launch rate 20/s, about 41 s`; null if nothing waits. */
export function waitLine(waits: readonly Wait[]): string | null {
  const held = waits.filter(({ cause }) => !MOVING.includes(cause)).toSorted((a, b) => b.count - a.count);
  const [first] = held;
  if (first === undefined) return null;
  if (held.length === 1) return `${countText(first.count)}: ${waitText(first)}`;
  const total = held.reduce((sum, { count }) => sum + count, 0);
  return `${countText(total)}: ${held.map((wait) => `${wait.count} ${waitText(wait)}`).join('; ')}`;
}
