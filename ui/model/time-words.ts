const SEC = 1_000;
const MIN = 60 * SEC;
const HOUR = 60 * MIN;
const DAY = 24 * HOUR;

const two = (value: number): string => String(value).padStart(2, '0');

/** A length of time in at most two units: `0.4 s`, `12 s`, `3m 05s`, `2h 04m`, `3d 04h`. */
export function durationWords(ms: number): string {
  const left = Math.max(ms, 0);
  if (left < 10 * SEC) return `${(Math.floor(left / 100) / 10).toFixed(1)} s`;
  if (left < MIN) return `${Math.floor(left / SEC)} s`;
  if (left < HOUR) return `${Math.floor(left / MIN)}m ${two(Math.floor((left % MIN) / SEC))}s`;
  if (left < DAY) return `${Math.floor(left / HOUR)}h ${two(Math.floor((left % HOUR) / MIN))}m`;
  return `${Math.floor(left / DAY)}d ${two(Math.floor((left % DAY) / HOUR))}h`;
}

/** How long ago, or how far ahead, in one unit: `12 s`, `3 min`, `2 h`, `4 d`. */
export function roughWords(ms: number): string {
  const left = Math.abs(ms);
  if (left < MIN) return `${Math.floor(left / SEC)} s`;
  if (left < HOUR) return `${Math.floor(left / MIN)} min`;
  if (left < 2 * DAY) return `${Math.floor(left / HOUR)} h`;
  return `${Math.floor(left / DAY)} d`;
}

/** A moment by this machine's clock: the time of today, else with its day. */
export function momentWords(atMs: number, nowMs: number): string {
  const at = new Date(atMs);
  const clock = `${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())}`;
  return at.toDateString() === new Date(nowMs).toDateString() ? clock : `${dayWords(at)} ${clock}`;
}

/** `2026-11-28`, by this machine's clock. */
export const dayWords = (at: Date): string => `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;

/** Milliseconds since 1970 of a time as the API writes it; null: there is none. */
export function msOf(text: string | null | undefined): number | null {
  const ms = text === null || text === undefined ? Number.NaN : Date.parse(text);
  return Number.isNaN(ms) ? null : ms;
}
