import type { EndedAttempt, Job } from '../client/api-objects.ts';
import { shellQuoted } from '../text/shell-quoted.ts';

export const JOBLOG_FORMS = ['tsv', 'csv', 'json'] as const;
export type JoblogForm = (typeof JOBLOG_FORMS)[number];

/** GNU parallel's columns, in its order, and ours behind them. */
const COLUMNS = [
  'Seq',
  'Host',
  'Starttime',
  'JobRuntime',
  'Send',
  'Receive',
  'Exitval',
  'Signal',
  'Command',
  'Index',
  'Item',
  'Attempts',
  'VcpuSeconds',
] as const;
type Column = (typeof COLUMNS)[number];
export type JoblogRow = Readonly<Record<Column, string | number | null>>;

/** No container of it has exited: it was never placed or never started, or its end is unknown. */
export const NO_EXIT = -1;

/** Up to this code, a shell's or container's exit code over 128 names the signal that has ended the program. */
const SIGNAL_MAX = 64;

/**
 * One ended attempt as GNU parallel logs a job.
 *
 * @param nth counts rows from 0; a Job without indexes numbers them so
 */
export function joblogRow(job: Job, attempt: EndedAttempt, nth: number): JoblogRow {
  const { index, startedAt, stoppedAt, exitCode, vcpu } = attempt;
  const seconds = startedAt === null || stoppedAt === null ? 0 : Math.max(stoppedAt - startedAt, 0) / 1000;
  const signal = (exitCode ?? 0) - 128;
  return {
    Seq: (index ?? nth) + 1,
    Host: attempt.node ?? '',
    Starttime: ((startedAt ?? attempt.createdAt ?? stoppedAt ?? 0) / 1000).toFixed(3),
    JobRuntime: seconds.toFixed(3),
    Send: 0,
    Receive: 0,
    Exitval: exitCode ?? NO_EXIT,
    Signal: signal > 0 && signal <= SIGNAL_MAX ? signal : 0,
    Command: commandOf(job, attempt),
    Index: index ?? null,
    Item: attempt.item ?? null,
    Attempts: attempt.tries,
    VcpuSeconds: vcpu === null ? null : (vcpu * seconds).toFixed(3),
  };
}

/** What its first container started, as a shell would take it. */
function commandOf({ spec }: Job, attempt: EndedAttempt): string {
  const [main] = spec.template.spec.containers;
  const words = attempt.words ?? [...(main?.command ?? []), ...(main?.args ?? [])];
  return words.length === 0 ? (main?.image ?? '') : words.map(shellQuoted).join(' ');
}

/** The text around and between rows: a table with a head, or a JSON array with a row a line. */
export const JOBLOG_TEXT: Readonly<
  Record<
    JoblogForm,
    {
      readonly head: string;
      readonly row: (row: JoblogRow, nth: number) => string;
      readonly end: (rows: number) => string;
    }
  >
> = {
  tsv: { head: `${COLUMNS.join('\t')}\n`, row: (row) => line(row, '\t', escaped), end: () => '' },
  csv: { head: `${COLUMNS.join(',')}\n`, row: (row) => line(row, ',', quoted), end: () => '' },
  json: {
    head: '[',
    row: (row, nth) => `${nth === 0 ? '\n' : ',\n'}${JSON.stringify(numbered(row))}`,
    end: (rows) => (rows === 0 ? ']\n' : '\n]\n'),
  },
};

const line = (row: JoblogRow, between: string, cell: (text: string) => string): string =>
  `${COLUMNS.map((column) => cell(String(row[column] ?? ''))).join(between)}\n`;

/** A field has no tab and no line end. */
const escaped = (text: string): string => text.replaceAll(/[\\\t\n\r]/g, (char) => ESCAPES.get(char) ?? char);
const ESCAPES = new Map([
  ['\\', '\\\\'],
  ['\t', '\\t'],
  ['\n', '\\n'],
  ['\r', '\\r'],
]);

/** RFC 4180. */
const quoted = (text: string): string => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

const numbered = (row: JoblogRow): JoblogRow => ({
  ...row,
  Starttime: Number(row.Starttime),
  JobRuntime: Number(row.JobRuntime),
  VcpuSeconds: row.VcpuSeconds === null ? null : Number(row.VcpuSeconds),
});
