import Table from 'cli-table3';
import type { Row } from './ask-all.ts';

const WORDS = { assumed: 'as assumed', 'not assumed': 'NOT AS ASSUMED', 'not asked': 'not asked' } as const;
const WIDTHS = [17, 16, 36, 40, 48];

/** The rows as a table for people. */
export function tableOf(rows: readonly Row[]): string {
  const table = new Table({
    head: ['name', '', 'question', 'assumed', 'seen'],
    colWidths: WIDTHS,
    wordWrap: true,
    style: { head: [], border: [] },
  });
  for (const { name, as, asks, assumed, seen } of rows) table.push([name, WORDS[as], asks, assumed, seen]);
  return `${table.toString()}\n${summaryOf(rows)}\n`;
}

/** A line for a row, as it comes. */
export const lineOf = ({ name, as, seen }: Row): string => `${WORDS[as].padEnd(16)} ${name.padEnd(16)} ${seen}`;

export const isAllAssumed = (rows: readonly Row[]): boolean => rows.every(({ as }) => as !== 'not assumed');

function summaryOf(rows: readonly Row[]): string {
  const count = (wanted: Row['as']): number => rows.filter(({ as }) => as === wanted).length;
  return `${count('assumed')} as assumed, ${count('not assumed')} not as assumed, ${count('not asked')} not asked`;
}
