import { formatDuration } from './age.ts';
import { type IndexBoard, type IndexState, layoutGrid, paintOf, renderGrid } from './grid.ts';
import { type Looks, type Paint, type Segment, paintLine, widthOf } from './looks.ts';
import { onOneLine } from './table.ts';

/** How far a Job is: what the views show. */
export type JobProgress = {
  readonly namespace: string;
  readonly name: string;
  readonly phase: Phase;
  /** Why it is about to fail; empty: nothing to say. */
  readonly message: string;
  /** Successes that make it complete; null: nobody knows (a work queue). */
  readonly total: number | null;
  readonly counts: Counts;
  /** null: its Pods have no indexes. */
  readonly board: IndexBoard | null;
  readonly startedAtMs: number | null;
  readonly endedAtMs: number | null;
  /** Successes a second of late, as measured at `asOfMs`; null: not known yet. */
  readonly rate: { readonly perSec: number; readonly asOfMs: number } | null;
  /** Why what does not run waits; null: nothing does, or nobody has said. */
  readonly waits: Waits | null;
  /** What has failed, in one line, with the last lines of its log; null: nothing has, or nobody knows why. */
  readonly failure: { readonly text: string; readonly log: readonly string[] } | null;
  /** Why nothing new is heard; null: all is well. */
  readonly lost: string | null;
};

export type Phase = 'waiting' | 'running' | 'suspended' | 'ending' | 'complete' | 'failed';

/** `text` in one line, with times that pass; `causes` without. */
export type Waits = { readonly text: string; readonly causes: string };

/** Indexes by what they do; they add up to the Job's completions, but for what was replaced and still stops. */
export type Counts = {
  readonly succeeded: number;
  readonly running: number;
  readonly starting: number;
  readonly stopping: number;
  /** Failed, and to be tried again. */
  readonly retrying: number;
  /** Failed, and not tried again. */
  readonly failed: number;
  readonly waiting: number;
  /** Attempts, not indexes. */
  readonly failedAttempts: number;
};

export type Frame = { readonly columns: number; readonly rows: number };

const PHASE_PAINTS: Readonly<Record<Phase, Paint>> = {
  waiting: 'dim',
  running: 'cyan',
  suspended: 'yellow',
  ending: 'magenta',
  complete: 'green',
  failed: 'red',
};

/** Lines besides the grid: head, bar, legend, two notes, three blank ones, and the cursor's. */
const OTHER_LINES = 9;
/** A grid taller than this is hard to take in at a glance. */
const GRID_ROWS_MAX = 24;
/** A bar longer than this tells no more. */
const BAR_MAX = 60;

/** The live view: lines that fit the frame. */
export function renderProgress(progress: JobProgress, frame: Frame, nowMs: number, looks: Looks): readonly string[] {
  const columns = Math.max(frame.columns - 1, 1); // the last column makes some terminals wrap
  const lines: (readonly Segment[])[] = [headLine(progress, columns, nowMs), []];
  const { board } = progress;
  const failure = failureLines(progress);
  const gridRows = Math.min(frame.rows - OTHER_LINES - failure.length, GRID_ROWS_MAX);
  const shown: Shown = { perCell: 1, signs: new Set() };
  if (board !== null && board.length > 0 && gridRows > 0) {
    const layout = layoutGrid(board.length, columns, gridRows);
    const grid = renderGrid(board, layout, looks);
    shown.perCell = layout.perCell;
    shown.signs = signsOf(grid);
    lines.push(...grid, []);
  }
  lines.push(barLine(progress, columns, nowMs, looks), [], ...legendLines(progress, shown, columns, looks), ...failure);
  if (progress.waits !== null) lines.push([{ text: onOneLine(progress.waits.text), paint: 'dim' }]);
  if (progress.message !== '') lines.push([{ text: onOneLine(progress.message), paint: PHASE_PAINTS[progress.phase] }]);
  if (progress.lost !== null) lines.push([{ text: onOneLine(progress.lost), paint: 'yellow' }]);
  return fitted(lines, frame.rows - 1).map((line) => paintLine(line, columns, looks));
}

/** What the grid on the screen has that wants to be explained. */
type Shown = { perCell: number; signs: ReadonlySet<string> };

/** Every sign in a grid; each line begins with a number. */
const signsOf = (grid: readonly (readonly Segment[])[]): ReadonlySet<string> =>
  new Set(grid.flatMap((line) => line.slice(1).flatMap(({ text }) => text.split(''))).filter((sign) => sign !== ' '));

function failureLines({ failure }: JobProgress): readonly (readonly Segment[])[] {
  if (failure === null) return [];
  const log = failure.log.map((line): Segment[] => [{ text: `  ${onOneLine(line)}`, paint: 'dim' }]);
  return [[{ text: onOneLine(failure.text), paint: 'red' }], ...log];
}

/** A picture that is higher than its terminal cannot be drawn over. Blank lines go first, then what comes last. */
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

/** On a very wide terminal the head's right end would be far from everything else. */
const WIDE = 100;

function barLine(progress: JobProgress, columns: number, nowMs: number, { glyphs }: Looks): readonly Segment[] {
  const { total, counts, phase } = progress;
  const { succeeded } = counts;
  const pace = paceOf(progress, nowMs).map((text): Segment => ({ text: `   ${text}`, paint: 'dim' }));
  if (total === null) return [{ text: `${succeeded} succeeded`, paint: 'green' }, ...pace];
  const share = total === 0 ? 1 : Math.min(succeeded / total, 1); // a Job that was made smaller
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

/** Milliseconds until the last success at the pace of late; null: not known. */
export function etaMs({ total, counts, rate, phase }: JobProgress, nowMs: number): number | null {
  if (total === null || rate === null || rate.perSec <= 0 || phase !== 'running') return null;
  const left = total - counts.succeeded;
  if (left <= 0) return null;
  return Math.max((left / rate.perSec) * 1000 - (nowMs - rate.asOfMs), 1000);
}

type LegendEntry = { readonly state: IndexState; readonly count: number; readonly word: string };

const legendOf = ({ counts, phase }: JobProgress): readonly LegendEntry[] => [
  { state: 'succeeded', count: counts.succeeded, word: 'succeeded' },
  { state: 'running', count: counts.running, word: 'running' },
  { state: 'starting', count: counts.starting, word: 'starting' },
  { state: 'stopping', count: counts.stopping, word: 'stopping' },
  { state: 'retrying', count: counts.retrying, word: 'to be tried again' },
  { state: 'failed', count: counts.failed, word: 'failed' },
  { state: 'waiting', count: counts.waiting, word: isOver(phase) ? 'not run' : 'waiting' },
];

const isOver = (phase: Phase): boolean => phase === 'complete' || phase === 'failed';

/** Attempts are no indexes, so they are told apart from these; null: none has failed. */
const attemptsFailed = ({ counts: { failedAttempts } }: JobProgress): string | null =>
  failedAttempts === 0 ? null : `${failedAttempts} ${failedAttempts === 1 ? 'attempt' : 'attempts'} failed`;

/** Explains every sign that the grid shows, and counts what there is of each. */
function legendLines(progress: JobProgress, { perCell, signs }: Shown, columns: number, { glyphs }: Looks) {
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

const elapsed = ({ startedAtMs, endedAtMs }: JobProgress, nowMs: number): string =>
  startedAtMs === null ? '' : formatDuration(Math.max((endedAtMs ?? nowMs) - startedAtMs, 0));

/** The same in words, for outputs that are no terminal: one line. */
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

/** What has failed, in lines for such outputs; none: nothing has, or it is not known why. */
export const failureText = ({ name, failure }: JobProgress): readonly string[] =>
  failure === null ? [] : [`${name} ${onOneLine(failure.text)}`, ...failure.log.map((line) => `  ${onOneLine(line)}`)];

/** What a line of `progressLine` is worth being printed for: anything but the time has changed. */
export const progressKey = ({ phase, counts, total, waits, lost }: JobProgress): string =>
  JSON.stringify([phase, counts, total, waits?.causes, lost === null]);
