import { cutToWidth, padToWidth, sliceToWidth, textWidth } from '../../shared/domain/base/text-width.ts';
import {
  type AfterCondition,
  formatAfter,
  formatAfterIndexes,
} from '../../shared/domain/manifests/annotations/dependencies.ts';
import { renderStrip } from './grid.ts';
import { inOrder } from '../../shared/domain/manifests/job-graph.ts';
import { type Frame, type JobProgress, PHASE_PAINTS, type Phase, elapsed, legendOf } from './progress.ts';
import { onOneLine } from '../text/table.ts';
import { type Segment, type Theme, paintLine, widthOf } from './theme.ts';

/** Of a terminal's width, what names get at most. */
const NAME_SHARE = 0.3;
const NAME_COLUMNS_MIN = 12;
/** Cells for the indexes of a Job: on a wide terminal, and on others. */
const STRIP = { wide: 30, other: 12, wideFrom: 110 } as const;
const GAP = '  ';

/**
 * The live view of several Jobs: a line each, below those that it waits for, and below it what waits for it. If there are more
 * than lines, those that are over come first to be left out, then the last ones; two lines say how many they are.
 */
export function renderJobs(jobs: readonly JobProgress[], frame: Frame, nowMs: number, theme: Theme): readonly string[] {
  const columns = Math.max(frame.columns - 1, 1); // the last column makes some terminals wrap
  const ordered = isOneNamespace(jobs) ? inOrder(jobs).order : jobs;
  const { above, shown, below } = windowOf(ordered, Math.max(frame.rows - 1, 1));
  const widths = widthsOf(shown, columns, nowMs);
  const phases = new Map(jobs.map(({ name, phase }) => [name, phase]));
  return [
    ...restLine(above, 'above'),
    ...shown.map((job) => lineOf(job, { widths, columns, nowMs, theme, phases })),
    ...restLine(below, 'below'),
  ].map((line) => paintLine(line, columns, theme).trimEnd());
}

/** Names are those of one namespace, and so is who waits for whom. */
const isOneNamespace = (jobs: readonly JobProgress[]): boolean =>
  new Set(jobs.map(({ namespace }) => namespace)).size === 1;

const isOver = ({ phase }: JobProgress): boolean => phase === 'complete' || phase === 'failed';

/** As many Jobs as fit, from the last one that is over before the first one that is not. */
function windowOf(jobs: readonly JobProgress[], rows: number) {
  if (jobs.length <= rows) return { above: [], shown: jobs, below: [] };
  const room = Math.max(rows - 2, 1);
  const open = jobs.findIndex((job) => !isOver(job));
  const from = Math.min(Math.max((open === -1 ? jobs.length : open) - 1, 0), jobs.length - room);
  return { above: jobs.slice(0, from), shown: jobs.slice(from, from + room), below: jobs.slice(from + room) };
}

function restLine(jobs: readonly JobProgress[], where: string): readonly (readonly Segment[])[] {
  if (jobs.length === 0) return [];
  const counts = new Map<Phase, number>();
  for (const { phase } of jobs) counts.set(phase, (counts.get(phase) ?? 0) + 1);
  const words = [...counts].map(([phase, count]) => `${count} ${phase}`).join(', ');
  return [[{ text: `${jobs.length} more ${where}: ${words}`, paint: 'dim' }]];
}

type Widths = {
  readonly name: number;
  readonly phase: number;
  readonly elapsed: number;
  readonly strip: number;
  readonly figures: number;
};

function widthsOf(jobs: readonly JobProgress[], columns: number, nowMs: number): Widths {
  const most = (textOf: (job: JobProgress) => string): number =>
    jobs.reduce((width, job) => Math.max(width, textWidth(textOf(job))), 0);
  const [name, phase, time, figures] = [
    Math.min(
      most(({ name: whole }) => whole),
      Math.max(Math.floor(columns * NAME_SHARE), NAME_COLUMNS_MIN),
    ),
    most(({ phase: word }) => word),
    most((job) => elapsed(job, nowMs)),
    most(figuresOf),
  ];
  const left = columns - (name + phase + time + figures + 4 * GAP.length);
  const stripMax = Math.min(columns >= STRIP.wideFrom ? STRIP.wide : STRIP.other, left);
  const strip = jobs.reduce((width, { board }) => Math.max(width, Math.min(board?.length ?? 0, stripMax)), 0);
  return { name, phase, elapsed: time, figures, strip };
}

const figuresOf = ({ total, counts }: JobProgress): string => `${counts.succeeded}${total === null ? '' : `/${total}`}`;

type Drawing = {
  readonly widths: Widths;
  readonly columns: number;
  readonly nowMs: number;
  readonly theme: Theme;
  readonly phases: ReadonlyMap<string, Phase>;
};

function lineOf(job: JobProgress, { widths, columns, nowMs, theme, phases }: Drawing): readonly Segment[] {
  const strip = job.board === null ? [] : renderStrip(job.board, widths.strip, theme);
  const taken = widths.name + widths.phase + widths.elapsed + widths.strip + widths.figures + 5 * GAP.length;
  return [
    { text: padToWidth(cutToWidth(job.name, widths.name), widths.name) + GAP },
    { text: padToWidth(job.phase, widths.phase) + GAP, paint: PHASE_PAINTS[job.phase] },
    { text: elapsed(job, nowMs).padStart(widths.elapsed) + GAP },
    ...strip,
    { text: ' '.repeat(widths.strip - widthOf(strip)) + GAP },
    { text: figuresOf(job).padStart(widths.figures) + GAP, paint: 'bold' },
    shortened(noteOf(job, phases), columns - taken),
  ];
}

function shortened({ text, ...paint }: Segment, columns: number): Segment {
  const line = onOneLine(text);
  return { text: textWidth(line) <= columns ? line : `${sliceToWidth(line, columns - 1)}…`, ...paint };
}

/** What else there is to say about a Job: what is wrong, what it waits for, or what its indexes do. */
function noteOf(job: JobProgress, phases: ReadonlyMap<string, Phase>): Segment {
  const { phase, lost, failure, message, waits, counts } = job;
  if (lost !== null) return { text: lost, paint: 'yellow' };
  if (isOver(job)) return { text: counts.failedAttempts === 0 ? '' : `${counts.failedAttempts} failed`, paint: 'red' };
  if (failure !== null) return { text: failure.text, paint: 'red' };
  if (message !== '') return { text: message, paint: PHASE_PAINTS[phase] };
  const unmet = unmetText(job, phases);
  if (phase === 'held' && unmet !== '') return { text: unmet, paint: 'dim' };
  const states = legendOf(job)
    .filter(({ state, count }) => count > 0 && state !== 'succeeded' && state !== 'waiting')
    .map(({ count, word }) => `${count} ${word}`);
  const why = waits?.text ?? unmet;
  return { text: [...states, ...(why === '' ? [] : [why])].join(', '), paint: 'dim' };
}

/** What a Job waits for, without what is known to be there. */
function unmetText({ dependencies: { after, afterIndexes } }: JobProgress, phases: ReadonlyMap<string, Phase>): string {
  const isMet = (name: string, condition: AfterCondition): boolean => {
    const phase = phases.get(name);
    return phase === 'complete' ? condition !== 'failed' : phase === 'failed' && condition !== 'complete';
  };
  const jobs = after.filter(({ name, condition }) => !isMet(name, condition));
  const indexes = afterIndexes.filter(({ name }) => !isMet(name, 'complete'));
  return [
    ...(jobs.length === 0 ? [] : [`after ${formatAfter(jobs)}`]),
    ...(indexes.length === 0 ? [] : [`index by index after ${formatAfterIndexes(indexes)}`]),
  ].join(', ');
}
