import { timedLine, visible } from './stream-lines.ts';

export type LogLine = { readonly at: string | null; readonly text: string };

/** A page keeps this many lines of a log; of a longer one, the last. */
export const LINES_MAX = 100_000;

/** A log with lines more. */
export function withLines(before: readonly LogLine[], lines: readonly string[]): readonly LogLine[] {
  const next = [...before, ...lines.map(timedLine).map(({ at, text }) => ({ at, text: visible(text) }))];
  return next.length > LINES_MAX ? next.slice(-LINES_MAX) : next;
}

/** The lines in which a text stands, by their number; '' stands in none. */
export function linesWith(lines: readonly LogLine[], text: string): readonly number[] {
  const wanted = text.toLowerCase();
  if (wanted === '') return [];
  return lines.flatMap((line, nth) => (line.text.toLowerCase().includes(wanted) ? [nth] : []));
}

/** A text cut where another stands in it: every second part is a hit. */
export function partsAround(text: string, wanted: string): readonly string[] {
  if (wanted === '') return [text];
  const parts: string[] = [];
  const lower = text.toLowerCase();
  let from = 0;
  for (let at = lower.indexOf(wanted.toLowerCase()); at >= 0; at = lower.indexOf(wanted.toLowerCase(), from)) {
    parts.push(text.slice(from, at), text.slice(at, at + wanted.length));
    from = at + wanted.length;
  }
  return [...parts, text.slice(from)];
}
