/** The time between repetitions of a warning while its cause lasts. */
const REPEATED_AFTER_MS = 10_000;
/** The most causes that are remembered. */
const CAUSES_MAX = 1_000;

type Fields = Readonly<Record<string, unknown>>;
export type Warn = (message: string, fields?: Fields) => void;

/**
 * Warnings as lines for the person at the terminal. One cause can affect every message of a Job. It is printed once, and
 * while it lasts every ten seconds again, with the number of warnings in between.
 *
 * @param outageOf returns a sentence for an error of the machine, such as a full disk; null for any other error
 * @param nowMs a clock that advances steadily
 */
export function createWarnings({
  say,
  outageOf,
  nowMs = () => performance.now(),
}: {
  readonly say: (line: string) => void;
  readonly outageOf: (error: Error) => string | null;
  readonly nowMs?: () => number;
}): Warn {
  const said = new Map<string, { readonly atMs: number; more: number }>();
  return (message, fields) => {
    const cause = causeIn(fields);
    const outage = cause === null ? null : outageOf(cause instanceof Error ? cause : new Error(cause));
    const text = fields === undefined ? message : `${message} ${JSON.stringify(fields, errorsAsText)}`;
    const key = outage ?? (cause === null ? text : `${message} ${String(cause)}`);
    const before = said.get(key);
    if (before !== undefined && nowMs() < before.atMs + REPEATED_AFTER_MS) {
      before.more++;
      return;
    }
    if (said.size >= CAUSES_MAX) said.clear();
    said.set(key, { atMs: nowMs(), more: 0 });
    const more = before === undefined || before.more === 0 ? '' : ` (and ${before.more} more like it)`;
    say(`warning: ${outage === null ? text : `${outage}. Until then nothing is counted, and nothing is lost`}${more}`);
  };
}

const causeIn = ({ error, reason }: Fields = {}): Error | string | null => {
  const cause = error ?? reason;
  return cause instanceof Error || typeof cause === 'string' ? cause : null;
};

const errorsAsText = (_: string, value: unknown): unknown => (value instanceof Error ? String(value) : value);
