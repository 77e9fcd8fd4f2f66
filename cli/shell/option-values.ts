import { InvalidArgumentError } from 'commander';
import { DRIVERS, type DriverName } from '../../local/drivers.ts';
import { httpUrlFault } from '../text/http-url.ts';
import { parseQuantity } from '../../shared/domain/base/quantity.ts';
import { numberIn, rateError } from '../../shared/names/bounds.ts';
import { isRefusedPort } from '../../shared/names/refused-ports.ts';
import { tokenClusterError } from '../../shared/names/token-cluster.ts';
import { parseAgeMs, parseDurationMs } from '../text/duration.ts';

// Option parsers for commander: each returns the value, or throws InvalidArgumentError with a sentence that says what is
// valid.

export function wholeNumber(min: number, max = Number.MAX_SAFE_INTEGER): (text: string) => number {
  return (text) => {
    const number = Number(text);
    if (!/^\d+$/.test(text) || number < min || number > max)
      throw new InvalidArgumentError(
        `It must be a whole number from ${min}${max === Number.MAX_SAFE_INTEGER ? '' : ` to ${max}`}.`,
      );
    return number;
  };
}

/** How many tasks may run at once. */
export function tasksAtOnce(text: string): number {
  if (/^\d+%$/.test(text))
    throw new InvalidArgumentError(
      'It is a number of tasks, not a share: they do not run on the CPUs of this machine.',
    );
  return wholeNumber(0)(text);
}

/** CPUs that tasks may request together, in thousandths; null: no limit. */
export function cpuCount(text: string): number | null {
  const count = Number(text);
  if (!/^\d+(\.\d{1,3})?$/.test(text) || count > CPUS_MAX)
    throw new InvalidArgumentError(`It must be a number of CPUs from 0.001 to ${CPUS_MAX}, or 0 for no limit.`);
  return count === 0 ? null : Math.round(count * 1000);
}

const CPUS_MAX = 4096;

/** Memory that tasks may request together, in MiB; null: no limit. */
export function memorySize(text: string): number | null {
  const bytes = /^\d/.test(text) ? parseQuantity(text) : null;
  const mib = bytes === null ? null : Math.floor(bytes / 2 ** 20);
  if (bytes === 0) return null;
  if (mib === null || mib < 1 || mib > MEMORY_MIB_MAX)
    throw new InvalidArgumentError('It must be a size from 1Mi to 64Ti, such as 8Gi or 512Mi, or 0 for no limit.');
  return mib;
}

const MEMORY_MIB_MAX = 64 * 1024 ** 2;

/** The port of a server that we start; 0: any free port. */
export function serverPort(text: string): number {
  const port = wholeNumber(0, 65_535)(text);
  if (isRefusedPort(port))
    throw new InvalidArgumentError(
      `Browsers and Node.js refuse to connect to port ${port} (Fetch Standard); choose another.`,
    );
  return port;
}

/** What tokens are signed for. */
export function tokenCluster(text: string): string {
  const error = tokenClusterError(text);
  if (error !== null) throw new InvalidArgumentError(`It ${error}.`);
  return text;
}

export function duration(text: string): number {
  const ms = parseDurationMs(text);
  if (ms === null) throw new InvalidArgumentError('It must be a duration such as 90s, 5m, or 1h30m.');
  return ms;
}

export function age(text: string): number {
  const ms = parseAgeMs(text);
  if (ms === null) throw new InvalidArgumentError('It must be an age with its unit, such as 7d, 12h, or 90m.');
  return ms;
}

export function share(text: string): number {
  const number = Number(text);
  if (text.trim() === '' || !(number >= 0 && number <= 1))
    throw new InvalidArgumentError('It must be a number from 0 to 1.');
  return number;
}

/** Calls per second. */
export function rate(text: string): number {
  const number = numberIn(text);
  const fieldError = rateError(number);
  if (fieldError !== null) throw new InvalidArgumentError(`It ${fieldError}.`);
  return number;
}

/** The longest configurable duration of a task or delay of an event: a day. */
const SPAN_MS_MAX = 86_400_000;

export function span(text: string): readonly [number, number] {
  const [, from, to = from] = /^(\d+)(?:-(\d+))?$/.exec(text) ?? [];
  if (from === undefined || Number(to) < Number(from) || Number(to) > SPAN_MS_MAX)
    throw new InvalidArgumentError(`It must be milliseconds such as 500 or 500-2000, up to ${SPAN_MS_MAX} (a day).`);
  return [Number(from), Number(to)];
}

export function moment(text: string): number {
  const ms = /^\d{4}-\d{2}-\d{2}T.*(?:Z|[+-]\d{2}:\d{2})$/.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(ms)) throw new InvalidArgumentError('It must be a time such as 2026-01-01T00:00:00Z.');
  return ms;
}

/** One end of a range: a moment, or a day by a clock that the command knows. */
export type RangeEnd = { readonly text: string } & (
  | { readonly kind: 'moment'; readonly atMs: number }
  | { readonly kind: 'day'; readonly day: string }
);

/** Written as 2026-01-01, and in the calendar. */
const isDay = (text: string): boolean =>
  /^\d{4}-\d{2}-\d{2}$/.test(text) &&
  !Number.isNaN(Date.parse(text)) &&
  new Date(Date.parse(text)).toISOString().startsWith(text);

/** A time such as 2026-01-01T00:00:00Z, or a day such as 2026-01-01. */
export function rangeEnd(text: string): RangeEnd {
  if (isDay(text)) return { kind: 'day', day: text, text };
  if (/^\d{4}-\d{2}-\d{2}T.*(?:Z|[+-]\d{2}:\d{2})$/.test(text) && !Number.isNaN(Date.parse(text)))
    return { kind: 'moment', atMs: Date.parse(text), text };
  throw new InvalidArgumentError('It must be a day such as 2026-01-01, or a time such as 2026-01-01T00:00:00Z.');
}

/** An address on a command line, where everybody on the machine can read it. */
export function httpUrl(text: string): string {
  const fault = httpUrlFault(text);
  if (fault !== null) throw new InvalidArgumentError(`It ${fault}.`);
  return text;
}

export function driver(text: string): DriverName {
  const wanted = DRIVERS.find((each) => each === text);
  if (wanted !== undefined) return wanted;
  throw new InvalidArgumentError(`Allowed choices are ${DRIVERS.join(', ')}.`);
}

export const AWAITED = ['complete', 'failed', 'finished', 'delete'] as const;
/** The states that `muster wait` waits for; `finished`: complete or failed. */
export type Awaited = (typeof AWAITED)[number];

/** Also accepts kubectl's `condition=complete`. */
export function awaited(text: string): Awaited {
  const wanted = AWAITED.find((each) => each === text.replace(/^condition=/, '').toLowerCase());
  if (wanted === undefined) throw new InvalidArgumentError(`Allowed choices are ${AWAITED.join(', ')}.`);
  return wanted;
}
