import { formatIndexSet } from '../../shared/domain/base/index-set.ts';
import { indexText, shortItem } from '../../shared/domain/base/shown-index.ts';
import type { FailureKind } from '../../shared/domain/failures/failure-kinds.ts';
import type { Job } from '../client/api-objects.ts';
import { onOneLine } from '../text/table.ts';
import type { Theme } from './theme.ts';

/** How a Job's indexes have failed. */
export type FailureReport = {
  readonly job: Job;
  readonly kinds: readonly FailureKind[];
  /** How many lines of an example to show. */
  readonly shownLines: number;
  /** How many logs were read, of those that there are. */
  readonly logs: { readonly read: number; readonly of: number };
};

/** How to write a command line: the word for `muster`, and options that each needs. */
export type Commands = { readonly muster: string; readonly options: string };

/** Thousands of unrelated indexes would hide the rest. */
const INDEXES_CHARS_MAX = 60;
/** A longer command line is no use to anybody; `-o json` has all indexes. */
const RERUN_CHARS_MAX = 300;
const ITEM_COLUMNS_MAX = 40;

/** The report for people. */
export function reportText(report: FailureReport, context: Commands & { readonly theme: Theme }): string {
  const { kinds, job } = report;
  const { name } = job.metadata;
  if (kinds.length === 0) return `No index of job.batch/${name} has failed.\n`;
  const blocks = kinds.map((kind) => blockOf(kind, report, context));
  const all = rerunAll(report, context);
  return `${[summaryOf(report), ...blocks, ...(all === null ? [] : [[`All that failed, again: ${all}`]])]
    .map((block) => block.map((line) => `${line}\n`).join(''))
    .join('\n')}`;
}

const sum = (kinds: readonly FailureKind[]): number => kinds.reduce((total, { count }) => total + count, 0);
const isIndexed = ({ spec }: Job): boolean => spec.completionMode === 'Indexed';
const counted = (count: number, { job }: FailureReport): string =>
  isIndexed(job) ? `${count} ${count === 1 ? 'index' : 'indexes'}` : `${count} ${count === 1 ? 'Pod' : 'Pods'}`;
const ways = (kinds: readonly FailureKind[]): string => `in ${kinds.length} ${kinds.length === 1 ? 'way' : 'ways'}`;

function summaryOf(report: FailureReport): readonly string[] {
  const { job, kinds, logs } = report;
  const failed = kinds.filter(({ isFinal }) => isFinal);
  const again = kinds.filter(({ isFinal }) => !isFinal);
  const of = isIndexed(job) ? ` of ${job.spec.completions ?? 0}` : '';
  const total = sum(failed);
  const noun = isIndexed(job) ? 'indexes' : 'Pods';
  return [
    `${total}${of} ${of === '' && total === 1 ? 'Pod' : noun} of job.batch/${job.metadata.name} ${total === 1 ? 'has' : 'have'} failed${total === 0 ? '' : `, ${ways(failed)}`}`,
    ...(again.length === 0 ? [] : [`${sum(again)} failed and ${sum(again) === 1 ? 'is' : 'are'} tried again`]),
    ...(logs.read === logs.of ? [] : [`grouped by the last line of ${logs.read} of ${logs.of} logs`]),
  ];
}

function blockOf(
  kind: FailureKind,
  report: FailureReport,
  { theme: { paint }, ...commands }: Commands & { readonly theme: Theme },
): readonly string[] {
  const indexes = formatIndexSet(kind.indexes);
  const who = `${counted(kind.count, report)}${indexes === '' ? '' : ` (${shortened(indexes, INDEXES_CHARS_MAX)})`}`;
  const head = `${paint.bold(`${who}: `)}${paint.red(onOneLine(kind.cause))}${kind.isFinal ? '' : paint.dim(', tried again')}`;
  const rerun = kind.isFinal ? rerunOf(kind, report, commands) : null;
  const isLong = rerun !== null && rerun.length > RERUN_CHARS_MAX;
  return [
    head,
    ...[verdictOf(kind), lastLineOf(kind), itemsOf(kind)].filter((line) => line !== null).map((line) => `  ${line}`),
    ...exampleOf(kind, report, commands).map((line) => paint.dim(`  ${line}`)),
    ...(rerun === null ? [] : [`  again: ${isLong ? 'too many ranges for a line; -o json has the command' : rerun}`]),
  ];
}

const BY_EXIT: readonly string[] = ['failed', 'failedForGood', 'restarted'];
/** What the end counts as, where that is not just what the exit code says. */
function verdictOf({ verdict, cause, stoppedWithJob, example: { outcome, why } }: FailureKind): string | null {
  const hasExited = why.kind === 'outOfMemory' || (why.kind === 'exited' && why.exitCode !== null);
  if (hasExited && BY_EXIT.includes(outcome)) return null;
  // What is in the line above is not said twice.
  if (cause.includes(verdict.slice(`${outcome}: `.length)))
    return stoppedWithJob ? 'stopped because the Job failed' : null;
  return onOneLine(verdict);
}

function lastLineOf({ logs, lastLine, count, example }: FailureKind): string | null {
  if (logs.kind === 'none') return null;
  if (logs.kind === 'unread') return `${count === 1 ? 'its log was' : 'their logs were'} not read`;
  const all = logs.read < count ? ` (in all ${logs.read} that were read)` : '';
  if (lastLine !== null) return `last line: ${onOneLine(lastLine)}${all}`;
  return example.log.length === 0 ? `printed nothing${all}` : null;
}

function itemsOf({ items, count }: FailureKind): string | null {
  if (items.length === 0) return null;
  const shown = items.map((item) => shortItem(item, ITEM_COLUMNS_MAX));
  return `items: ${shown.join(', ')}${count > items.length ? ', …' : ''}`;
}

function exampleOf(
  { example, logs }: FailureKind,
  { job, shownLines }: FailureReport,
  commands: Commands,
): readonly string[] {
  const { index, attempt, pod, item, log } = example;
  if (logs.kind !== 'read' || shownLines === 0 || log.length === 0) return [];
  const who = index === null ? `Pod ${pod}` : `${indexText(index, item)}, attempt ${attempt},`;
  const whole =
    index === null
      ? ''
      : ` (all: ${commands.muster} logs ${job.metadata.name}${commands.options} --index ${index} --attempt ${attempt})`;
  return [`${who} ends with${whole}:`, ...log.slice(-shownLines).map((line) => `  ${onOneLine(line)}`)];
}

/** The command that runs the indexes of a kind again; null: they have none. */
function rerunOf({ indexes }: FailureKind, { job }: FailureReport, { muster, options }: Commands): string | null {
  const text = formatIndexSet(indexes);
  return text === '' ? null : `${muster} rerun ${job.metadata.name}${options} --indexes ${text}`;
}

function rerunAll({ job, kinds }: FailureReport, { muster, options }: Commands): string | null {
  const failed = kinds.filter(({ isFinal }) => isFinal);
  return !isIndexed(job) || failed.length < 2 ? null : `${muster} rerun ${job.metadata.name}${options} --failed`;
}

function shortened(text: string, chars: number): string {
  if (text.length <= chars) return text;
  const comma = text.lastIndexOf(',', chars);
  return `${text.slice(0, comma > 0 ? comma + 1 : chars)}…`;
}

/** The report for programs. */
export function reportObject(report: FailureReport, commands: Commands): object {
  const { job, kinds, logs } = report;
  const { namespace, name, uid } = job.metadata;
  const kindOf = (kind: FailureKind): object => ({
    verdict: kind.verdict,
    cause: kind.cause,
    exitCode: kind.exitCode,
    lastLine: kind.lastLine,
    stoppedWithJob: kind.stoppedWithJob,
    count: kind.count,
    ...(isIndexed(job) ? { indexes: formatIndexSet(kind.indexes) } : {}),
    items: kind.items,
    logsRead: kind.logs.kind === 'read' ? kind.logs.read : 0,
    example: exampleObject(kind),
    rerun: kind.isFinal ? rerunOf(kind, report, commands) : null,
  });
  const failed = kinds.filter(({ isFinal }) => isFinal);
  const again = kinds.filter(({ isFinal }) => !isFinal);
  return {
    apiVersion: 'muster.run/v1',
    kind: 'FailureReport',
    metadata: { namespace, name, uid },
    failed: sum(failed),
    triedAgain: sum(again),
    logs,
    groups: failed.map(kindOf),
    groupsTriedAgain: again.map(kindOf),
  };
}

function exampleObject({ example: { index, attempt, pod, item, log } }: FailureKind): object {
  return { ...(index === null ? {} : { index }), attempt, pod, ...(item === null ? {} : { item }), log };
}
