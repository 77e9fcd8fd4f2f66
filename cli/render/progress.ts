import { sliceToWidth, textWidth } from '../../shared/domain/base/text-width.ts';
import { formatDuration } from '../text/age.ts';
import { type IndexBoard, type IndexState, layoutGrid, paintOf, renderGrid } from './grid.ts';
import { type NamedIndexes, namedLines } from './named-indexes.ts';
import { type Theme, type Paint, type Segment, paintLine, widthOf } from './theme.ts';
import { onOneLine } from '../text/table.ts';
import type { Dependencies } from '../../shared/domain/manifests/job-graph.ts';

/** A Job's progress, as the views show it. */
export type JobProgress = {
  readonly namespace: string;
  readonly name: string;
  readonly phase: Phase;
  /** Why it is about to fail; empty if it is not. */
  readonly message: string;
  /** Successes that make the Job complete; null if the number is unknown (a work queue). */
  readonly total: number | null;
  readonly counts: Counts;
  /** null if its Pods have no indexes. */
  readonly board: IndexBoard | null;
  /** What some indexes work on; empty without a work list. */
  readonly named: readonly NamedIndexes[];
  readonly startedAtMs: number | null;
  readonly endedAtMs: number | null;
  /** Recent successes per second, as of `asOfMs`; null if not known yet. */
  readonly rate: { readonly perSec: number; readonly asOfMs: number } | null;
  /** Why remaining work waits; null if nothing waits, or the server has not said. */
  readonly waits: Waits | null;
  /** The failures in one line, with the last lines of a log; null if there are none, or the cause is unknown. */
  readonly failure: { readonly text: string; readonly log: readonly string[] } | null;
  /** The Jobs that it waits for. */
  readonly dependencies: Dependencies;
  /** Why there is no news; null if all is well. */
  readonly lost: string | null;
};

/** `held`: it waits for other Jobs. */
export type Phase = 'held' | 'waiting' | 'running' | 'suspended' | 'ending' | 'complete' | 'failed';

/** `text` in one line, with changing times; `causes` without times. */
export type Waits = { readonly text: string; readonly causes: string };

/** Indexes by state. Apart from the inherited ones, they add up to the Job's completions, except for replaced tasks that are still stopping. */
export type Counts = {
  readonly succeeded: number;
  readonly running: number;
  readonly starting: number;
  readonly stopping: number;
  /** Failed, will be retried. */
  readonly retrying: number;
  /** Failed, will not be retried. */
  readonly failed: number;
  readonly waiting: number;
  /** Of those that have succeeded: in the Job that this one repeats. */
  readonly inherited: number;
  /** Never to run, and not among the completions. */
  readonly excluded: number;
  /** Without a Pod, and held back by a user. */
  readonly held: number;
  /** Given up by a user, and not among the completions. */
  readonly cancelled: number;
  /** Counts attempts, not indexes. */
  readonly failedAttempts: number;
};

export type Frame = { readonly columns: number; readonly rows: number };

export const PHASE_PAINTS: Readonly<Record<Phase, Paint>> = {
  held: 'dim',
  waiting: 'dim',
  running: 'cyan',
  suspended: 'yellow',
  ending: 'magenta',
  complete: 'green',
  failed: 'red',
};

/** Lines in addition to the grid: head, bar, legend, two notes, three blank lines, and the cursor's. */
const OTHER_LINES = 9;
/** A taller grid is hard to take in at a glance. */
const GRID_ROWS_MAX = 24;
/** A longer bar says nothing more. */
const BAR_MAX = 60;

/** The live view: lines that fit into the frame. */
export function renderProgress(progress: JobProgress, frame: Frame, nowMs: number, theme: Theme): readonly string[] {
  const columns = Math.max(frame.columns - 1, 1); // the last column makes some terminals wrap
  const lines: (readonly Segment[])[] = [headLine(progress, columns, nowMs), []];
  const { board } = progress;
  const named = namedLines(progress.named, columns, theme);
  const failure = failureLines(progress, columns);
  const gridRows = Math.min(frame.rows - OTHER_LINES - named.length - failure.length, GRID_ROWS_MAX);
  const shown: Shown = { perCell: 1, signs: new Set() };
  if (board !== null && board.length > 0 && gridRows > 0) {
    const layout = layoutGrid(board.length, columns, gridRows);
    const grid = renderGrid(board, layout, theme);
    shown.perCell = layout.perCell;
    shown.signs = signsOf(grid);
    lines.push(...grid, []);
  }
  lines.push(barLine(progress, columns, nowMs, theme), [], ...legendLines(progress, shown, columns, theme));
  lines.push(...named, ...failure);
  if (progress.waits !== null) lines.push([{ text: shortened(progress.waits.text, columns), paint: 'dim' }]);
  if (progress.message !== '')
    lines.push([{ text: shortened(progress.message, columns), paint: PHASE_PAINTS[progress.phase] }]);
  if (progress.lost !== null) lines.push([{ text: shortened(progress.lost, columns), paint: 'yellow' }]);
  return fitted(lines, frame.rows - 1).map((line) => paintLine(line, columns, theme));
}

/** The states in the grid that the legend must explain. */
type Shown = { perCell: number; signs: ReadonlySet<string> };

/** Every sign in a grid; each line begins with a number. */
const signsOf = (grid: readonly (readonly Segment[])[]): ReadonlySet<string> =>
  new Set(grid.flatMap((line) => line.slice(1).flatMap(({ text }) => text.split(''))).filter((sign) => sign !== ' '));

function failureLines({ failure }: JobProgress, columns: number): readonly (readonly Segment[])[] {
  if (failure === null) return [];
  const log = failure.log.map((line): Segment[] => [{ text: shortened(`  ${line}`, columns), paint: 'dim' }]);
  return [[{ text: shortened(failure.text, columns), paint: 'red' }], ...log];
}

/** One line, which says if it is longer. */
function shortened(text: string, columns: number): string {
  const line = onOneLine(text);
  return textWidth(line) <= columns ? line : `${sliceToWidth(line, columns - 1)}…`;
}

/** A picture taller than its terminal cannot be redrawn. Drops blank lines first, then the last lines. */
function fitted(lines: readonly (readonly Segment[])[], rows: number): readonly (readonly Segment[])[] {
  if (lines.length <= rows) return lines;
  return lines.filter((line) => line.length > 0).slice(0, Math.max(rows, 1));
}

function headLine(progress: JobProgress, columns: number, nowMs: number): readonly Segment[] {
  const { name, namespace, phase } = progress;
  const left: Segment[] = [
    { text: name, paint: 'bold' },
    { text: `  ${namespace}`, paint: 'dim' },
  ];
  const right: Segment[] = [{ text: phase, paint: PHASE_PAINTS[phase] }, { text: `  ${elapsed(progress, nowMs)}` }];
  const between = Math.max(Math.min(columns, WIDE) - widthOf(left) - widthOf(right), 2);
  return [...left, { text: ' '.repeat(between) }, ...right];
}

/** On a very wide terminal, the right end of the head would be far from everything else. */
const WIDE = 100;

function barLine(progress: JobProgress, columns: number, nowMs: number, { glyphs }: Theme): readonly Segment[] {
  const { total, counts, phase } = progress;
  const { succeeded } = counts;
  const pace = paceOf(progress, nowMs).map((text): Segment => ({ text: `   ${text}`, paint: 'dim' }));
  if (total === null) return [{ text: `${succeeded} succeeded`, paint: 'green' }, ...pace];
  const share = total === 0 ? 1 : Math.min(succeeded / total, 1); // a Job whose completions were reduced
  const figures: Segment[] = [
    { text: `  ${succeeded}/${total}`, paint: 'bold' },
    { text: `  ${percent(share)}` },
    ...pace,
  ];
  const width = Math.max(Math.min(BAR_MAX, columns - widthOf(figures)), 0);
  const done = Math.floor(width * share);
  const paint = phase === 'failed' ? 'red' : 'green';
  return [
    { text: glyphs.barDone.repeat(done), paint },
    { text: glyphs.barRest.repeat(width - done), paint: 'dim' },
    ...figures,
  ];
}

/** Never 100 % before all are done. */
const percent = (share: number): string => `${Math.floor(share * 100)}%`;

function paceOf(progress: JobProgress, nowMs: number): readonly string[] {
  const { rate } = progress;
  const left = etaMs(progress, nowMs);
  if (rate === null || progress.endedAtMs !== null) return [];
  const perSec = rate.perSec >= 10 ? rate.perSec.toFixed(0) : rate.perSec.toFixed(1);
  return [...(rate.perSec >= 0.05 ? [`${perSec}/s`] : []), ...(left === null ? [] : [`ETA ${formatDuration(left)}`])];
}

/** Milliseconds until the last success at the recent pace; null if unknown. */
export function etaMs({ total, counts, rate, phase }: JobProgress, nowMs: number): number | null {
  if (total === null || rate === null || rate.perSec <= 0 || phase !== 'running') return null;
  const left = total - counts.succeeded;
  if (left <= 0) return null;
  return Math.max((left / rate.perSec) * 1000 - (nowMs - rate.asOfMs), 1000);
}

type LegendEntry = { readonly state: IndexState; readonly count: number; readonly word: string };

/** The indexes in each state, with the words for them. */
export const legendOf = ({ counts, phase }: JobProgress): readonly LegendEntry[] => [
  { state: 'succeeded', count: counts.succeeded - counts.inherited, word: 'succeeded' },
  { state: 'inherited', count: counts.inherited, word: 'inherited' },
  { state: 'running', count: counts.running, word: 'running' },
  { state: 'starting', count: counts.starting, word: 'starting' },
  { state: 'stopping', count: counts.stopping, word: 'stopping' },
  { state: 'retrying', count: counts.retrying, word: 'to be retried' },
  { state: 'failed', count: counts.failed, word: 'failed' },
  { state: 'waiting', count: counts.waiting, word: isOver(phase) ? 'not run' : 'waiting' },
  { state: 'held', count: counts.held, word: 'held' },
  { state: 'excluded', count: counts.excluded, word: 'excluded' },
  { state: 'cancelled', count: counts.cancelled, word: 'cancelled' },
];

const isOver = (phase: Phase): boolean => phase === 'complete' || phase === 'failed';

/** Attempts are not indexes, so they are shown separately; null if none has failed. */
const attemptsFailed = ({ counts: { failedAttempts } }: JobProgress): string | null =>
  failedAttempts === 0 ? null : `${failedAttempts} ${failedAttempts === 1 ? 'attempt' : 'attempts'} failed`;

/** Explains every sign in the grid, with its count. */
function legendLines(progress: JobProgress, { perCell, signs }: Shown, columns: number, { glyphs }: Theme) {
  const entries = legendOf(progress)
    .filter(({ count, state }) => count > 0 || state === 'succeeded' || signs.has(glyphs[state]))
    .map(({ state, count, word }): readonly Segment[] => [
      { text: glyphs[state], paint: paintOf(state) },
      { text: ` ${count} ${word}` },
    ]);
  const shares = glyphs.shares.filter((sign) => signs.has(sign));
  if (shares.length > 0)
    entries.push([
      { text: shares.join(' '), paint: 'green' },
      { text: ' some of a cell succeeded', paint: 'dim' },
    ]);
  if (perCell > 1) entries.push([{ text: `a cell is ${perCell} indexes`, paint: 'dim' }]);
  const attempts = attemptsFailed(progress);
  if (attempts !== null) entries.push([{ text: attempts, paint: 'red' }]);
  const lines: Segment[][] = [[]];
  for (const entry of entries) {
    const line = lines.at(-1) ?? [];
    if (line.length > 0 && widthOf(line) + 3 + widthOf(entry) > columns) lines.push([...entry]);
    else line.push(...(line.length === 0 ? [] : [{ text: '   ' }]), ...entry);
  }
  return lines;
}

/** How long the Job takes, or has taken; empty before its start. */
export const elapsed = ({ startedAtMs, endedAtMs }: JobProgress, nowMs: number): string =>
  startedAtMs === null ? '' : formatDuration(Math.max((endedAtMs ?? nowMs) - startedAtMs, 0));

/** The same as one line of text, for outputs that are not terminals. */
export function progressLine(progress: JobProgress, nowMs: number): string {
  const { name, phase, total, counts, waits, lost } = progress;
  const parts = [
    `${counts.succeeded}${total === null ? '' : `/${total}`} succeeded`,
    ...legendOf(progress)
      .filter(({ count, state }) => count > 0 && state !== 'succeeded')
      .map(({ count, word }) => `${count} ${word}`),
    ...[attemptsFailed(progress)].filter((text) => text !== null),
    ...paceOf(progress, nowMs),
    ...(lost === null ? [] : [onOneLine(lost)]),
  ];
  const why = waits === null ? '' : ` (${onOneLine(waits.text)})`;
  const since = elapsed(progress, nowMs);
  return `${name} ${phase}${since === '' ? '' : ` ${since}`}: ${parts.join(', ')}${why}`;
}

/** The failures as lines for such outputs; empty if there are none or the cause is unknown. */
export const failureText = ({ name, failure }: JobProgress): readonly string[] =>
  failure === null ? [] : [`${name} ${onOneLine(failure.text)}`, ...failure.log.map((line) => `  ${onOneLine(line)}`)];

/** The part of a `progressLine` that decides if it is worth printing: a change of time alone is not. */
export const progressKey = ({ phase, counts, total, waits, lost }: JobProgress): string =>
  JSON.stringify([phase, counts, total, waits?.causes, lost === null]);

/** Of that, what a reader of such a line should know at once. */
export const urgentKey = ({ phase, counts, lost }: JobProgress): string =>
  JSON.stringify([phase, counts.failed, lost === null]);
