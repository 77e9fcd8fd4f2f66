import { padToWidth, textWidth } from '../../shared/domain/base/text-width.ts';

const GAP = '   ';

/** Columns as kubectl sets them: three spaces between, no lines. Every row has as many cells as `head`. */
export function renderTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [head, ...rows.map((row) => row.map(onOneLine))];
  const widths = head.map((_, column) =>
    lines.reduce((most, line) => Math.max(most, textWidth(line[column] ?? '')), 0),
  );
  const set = (line: readonly string[]): string =>
    line.map((cell, column) => padToWidth(cell, widths[column] ?? 0)).join(GAP);
  return lines.map((line) => `${set(line).trimEnd()}\n`).join('');
}

/** A server may send anything. A cell stays on one line and cannot control the terminal. */
export const onOneLine = (text: string): string => text.replaceAll(/[\p{Cc}\u2028\u2029]+/gu, ' ');
