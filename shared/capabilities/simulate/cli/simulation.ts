import { formatIndexSet, indexSetOf } from '../../../domain/base/index-set.ts';
import type { Simulation } from '../world/simulate-job.ts';
import type { JobStatus, TimelineEntry } from '../world/timeline.ts';

import { indexText } from '../../../domain/base/shown-index.ts';
import { whyText } from '../../../domain/scoreboard/why.ts';
import { formatDuration } from '../../../../cli/text/age.ts';
import { type IndexState, codeOf, layoutGrid, paintOf, renderGrid } from '../../../../cli/render/grid.ts';
import { type Theme, type Paint, type Segment, paintLine } from '../../../../cli/render/theme.ts';
import { onOneLine } from '../../../../cli/text/table.ts';

/** A simulation for people: how it ended, its phases, what was decided and why, its indexes, and what it would cost. */
export function renderSimulation(simulation: Simulation, columns: number, theme: Theme): readonly string[] {
  const sections = [
    [headLine(simulation)],
    section('Phases', phaseLines(simulation)),
    section('Decisions', [...conditionLines(simulation), ...judgementLines(simulation)]),
    section('Refused', refusalLines(simulation.report.timeline)),
    section('Indexes', indexLines(simulation, columns, theme)),
    section('Forecast', forecastLines(simulation)),
  ].filter((lines) => lines.length > 0);
  return sections
    .flatMap((lines, i) => (i === 0 ? lines : [[], ...lines]))
    .map((line) => paintLine(line, Number.POSITIVE_INFINITY, theme).trimEnd()); // the terminal wraps prose
}

type Line = readonly Segment[];

const section = (title: string, lines: readonly Line[]): readonly Line[] =>
  lines.length === 0 ? [] : [[{ text: title, paint: 'bold' }], ...lines.map((line) => [{ text: '  ' }, ...line])];

const END_PAINTS: Readonly<Record<Simulation['end']['kind'], Paint>> = {
  complete: 'green',
  failed: 'red',
  deleted: 'yellow',
  endless: 'yellow',
};

function headLine({ manifest, end, report }: Simulation): Line {
  const { name, namespace } = manifest.metadata;
  const word = end.kind === 'endless' ? 'does not end' : end.kind;
  const after = report.makespanSec === null ? '' : ` after ${lengthOf(report.makespanSec)}`;
  return [
    { text: name, paint: 'bold' },
    { text: `  ${namespace}, simulated  `, paint: 'dim' },
    { text: word, paint: END_PAINTS[end.kind] },
    { text: `${after}${end.kind === 'endless' ? `: ${end.waitsFor}` : ''}` },
  ];
}

type PhaseWord = 'waiting' | 'running' | 'suspended' | 'ending' | 'complete' | 'failed';

const PHASE_PAINTS: Readonly<Record<PhaseWord, Paint>> = {
  waiting: 'dim',
  running: 'cyan',
  suspended: 'yellow',
  ending: 'magenta',
  complete: 'green',
  failed: 'red',
};

function phaseOf(status: JobStatus): PhaseWord {
  const holds = (...types: readonly string[]): boolean =>
    status.conditions?.some((each) => types.includes(each.type) && each.status === 'True') === true;
  if (holds('Complete')) return 'complete';
  if (holds('Failed')) return 'failed';
  // A Job whose criteria are met may let its Pods go on.
  if (holds('FailureTarget') || (holds('SuccessCriteriaMet') && (status.active ?? 0) === 0)) return 'ending';
  if (holds('Suspended')) return 'suspended';
  return status.startTime === undefined ? 'waiting' : 'running';
}

/** One line per phase change, with what happened until the next. */
function phaseLines({ report }: Simulation): readonly Line[] {
  const spans: { phase: PhaseWord; from: number; created: number; deleted: number; end: JobStatus }[] = [];
  for (const { atSec, status, events } of report.timeline) {
    const phase = phaseOf(status);
    let span = spans.at(-1);
    if (span === undefined || span.phase !== phase) {
      if (span?.phase === 'waiting' && span.from === atSec) spans.pop(); // it lasted no time
      span = { phase, from: atSec, created: 0, deleted: 0, end: status };
      spans.push(span);
    }
    span.created += events.filter(({ reason }) => reason === 'SuccessfulCreate').length;
    span.deleted += events.filter(({ reason }) => reason === 'SuccessfulDelete').length;
    span.end = status;
  }
  let before: JobStatus | null = null;
  return spans.map(({ phase, from, created, deleted, end }) => {
    const succeeded = (end.succeeded ?? 0) - (before?.succeeded ?? 0);
    const failed = (end.failed ?? 0) - (before?.failed ?? 0);
    before = end;
    const told = [
      some(created, 'Pod created', 'Pods created'),
      some(deleted, 'Pod deleted', 'Pods deleted'),
      some(succeeded, 'succeeded', 'succeeded'),
      some(failed, 'failed', 'failed'),
    ].filter((text) => text !== null);
    return [
      { text: atOf(from), paint: 'dim' },
      { text: phase.padEnd(10), paint: PHASE_PAINTS[phase] },
      { text: ` ${told.join(', ')}` },
    ];
  });
}

const some = (count: number, one: string, many: string): string | null =>
  count <= 0 ? null : `${count} ${count === 1 ? one : many}`;

/** Conditions in the order in which they were set, with the time each was first seen. */
function conditionLines({ report, end }: Simulation): readonly Line[] {
  const { final } = report;
  const index = 'decidedBy' in end ? end.decidedBy : null;
  const who = index === null ? '' : ` (${indexText(index, itemOf(index, report))} decided)`;
  return (final.conditions ?? []).map(({ type, status, reason, message }) => {
    const first = report.timeline.find((entry) =>
      entry.status.conditions?.some((each) => each.type === type && each.status === status && each.reason === reason),
    );
    const paint = type === 'Failed' || type === 'FailureTarget' ? 'red' : type === 'Suspended' ? 'yellow' : 'green';
    return [
      { text: atOf(first?.atSec ?? 0), paint: 'dim' },
      { text: `${type}${status === 'True' ? '' : ` ${status}`}`, paint },
      { text: ` ${reason ?? ''}: ${onOneLine(message ?? '')}` },
      { text: type === 'FailureTarget' || type === 'SuccessCriteriaMet' ? who : '', paint: 'dim' },
    ];
  });
}

type Outcome = NonNullable<Simulation['judgements'][number]>['as'];

/** How an end was counted; a success needs no reason. */
const OUTCOMES: Readonly<Record<Exclude<Outcome, 'succeeded'>, string>> = {
  failed: 'counted as failed',
  failedForGood: 'counted as failed, no more retries of the index',
  ignored: 'not counted',
  restarted: 'restarted in the same Pod',
  unstarted: 'did not start, waited and was retried',
  lost: 'lost, spent no attempt',
  lostToSpot: 'lost, spent no attempt',
  released: 'counted as nothing',
};

/** Why attempts that did not succeed were counted as they were, grouped by reason. */
function judgementLines({ report, judgements }: Simulation): readonly Line[] {
  const groups = new Map<string, { readonly outcome: string; readonly because: string; readonly indexes: number[] }>();
  for (const [i, judgement] of judgements.entries()) {
    const index = report.attempts[i]?.index;
    if (judgement === null || judgement.as === 'succeeded' || index === undefined) continue;
    const outcome = OUTCOMES[judgement.as];
    const because = whyText(judgement.why);
    const key = `${outcome}: ${because}`;
    const group = groups.get(key) ?? { outcome, because, indexes: [] };
    groups.set(key, group);
    group.indexes.push(index);
  }
  return [...groups.values()].map(({ outcome, because, indexes }) => [
    { text: `${String(indexes.length).padStart(8)}x  `, paint: 'dim' },
    { text: outcome, paint: 'yellow' },
    { text: `: ${onOneLine(because)}` },
    { text: ` (${indexesText(indexes, report)})`, paint: 'dim' },
  ]);
}

function indexesText(indexes: readonly number[], report: Simulation['report']): string {
  const [only = 0, ...others] = new Set(indexes);
  return others.length === 0
    ? indexText(only, itemOf(only, report))
    : `index ${shortened(formatIndexSet(indexSetOf(indexes)))}`;
}

const itemOf = (index: number, { attempts }: Simulation['report']): string | null =>
  attempts.find((each) => each.index === index)?.item ?? null;

/** Thousands of unrelated indexes would hide the rest. */
const INDEXES_CHARS_MAX = 60;

const shortened = (text: string): string =>
  text.length <= INDEXES_CHARS_MAX ? text : `${text.slice(0, text.lastIndexOf(',', INDEXES_CHARS_MAX))},…`;

/** What the API would have returned to the script's users. */
const refusalLines = (timeline: readonly TimelineEntry[]): readonly Line[] =>
  timeline.flatMap(({ atSec, events }) =>
    events
      .filter(({ reason }) => reason === 'Invalid' || reason === 'NotFound')
      .map(
        ({ reason, message }): Line => [
          { text: atOf(atSec), paint: 'dim' },
          { text: reason, paint: 'red' },
          { text: ` ${onOneLine(message)}` },
        ],
      ),
  );

/** Ends after which an index is retried. */
const FAILURES: readonly Outcome[] = [
  'failed',
  'failedForGood',
  'ignored',
  'restarted',
  'unstarted',
  'lost',
  'lostToSpot',
];

/** One cell per index, or per several of them. */
const STRIP_ROWS = 4;

function indexLines(
  { board, manifest, report, judgements }: Simulation,
  columns: number,
  theme: Theme,
): readonly Line[] {
  const size = manifest.spec.completionMode === 'Indexed' ? (manifest.spec.completions ?? 0) : 0;
  if (size === 0) return [];
  const failedOnes = new Set(
    report.attempts.filter((_, i) => FAILURES.includes(judgements[i]?.as ?? 'succeeded')).map(({ index }) => index),
  );
  const states = Array.from({ length: size }, (_, index) => shown(board[index], failedOnes.has(index)));
  const layout = layoutGrid(size, columns - 2, STRIP_ROWS);
  const strip = renderGrid(Uint8Array.from(states, codeOf), layout, theme);
  const counts = new Map<IndexState, number>();
  for (const state of states) counts.set(state, (counts.get(state) ?? 0) + 1);
  const legend = [...counts].flatMap(
    ([state, count]): Line => [
      { text: theme.glyphs[state], paint: paintOf(state) },
      { text: ` ${count} ${WORDS[state] ?? state}   ` },
    ],
  );
  return [...strip, [...legend, ...(layout.perCell > 1 ? [{ text: `a cell is ${layout.perCell} indexes` }] : [])]];
}

const WORDS: Partial<Readonly<Record<IndexState, string>>> = { waiting: 'not done', retrying: 'failed, not done' };

function shown(state: Simulation['board'][number] | undefined, hasFailed: boolean): IndexState {
  switch (state) {
    case 'succeeded':
    case 'failed':
    case 'running':
    case 'inherited':
    case 'excluded':
      return state;
    case 'claimed':
    case 'launched':
      return 'starting';
    case 'pending':
    case 'waiting':
    case undefined:
      return hasFailed ? 'retrying' : 'waiting';
  }
}

function forecastLines({ report, end }: Simulation): readonly Line[] {
  const { attempts, timeline, taskSeconds, makespanSec } = report;
  const peak = timeline.reduce((most, { status }) => Math.max(most, status.active ?? 0), 0);
  const row = (name: string, text: string): Line => [{ text: name.padEnd(12), paint: 'dim' }, { text }];
  return [
    row(
      'makespan',
      makespanSec === null ? `none: ${end.kind === 'endless' ? end.waitsFor : end.kind}` : lengthOf(makespanSec),
    ),
    row('task time', `${lengthOf(taskSeconds)} (${taskSeconds} s)`),
    row('launches', String(attempts.length)),
    row('at once', `${peak} at most`),
  ];
}

const atOf = (sec: number): string => `${lengthOf(sec).padStart(8)}  `;

/** Simulations have exact seconds; kubectl's format for durations has whole ones. */
const lengthOf = (sec: number): string => (sec > 0 && sec < 10 ? `${sec}s` : formatDuration(sec * 1000));
