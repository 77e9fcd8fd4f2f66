import { type EpochMs, asTime } from '../../../domain/base/time.ts';
import { timeInZone } from '../../../domain/schedulers/wall-time.ts';
import type { ClockChange } from '../domain/clock-changes.ts';
import type { CronSimulation, SimulatedRun, SimulatedSlot } from '../domain/simulate-cron.ts';
import { formatDuration } from '../../../../cli/text/age.ts';
import { renderTable } from '../../../../cli/text/table.ts';

export type SimulatedCron = {
  readonly name: string;
  readonly namespace: string;
  readonly schedule: string;
  readonly zone: string;
  readonly start: EpochMs;
  readonly end: EpochMs;
  readonly simulation: CronSimulation;
  readonly changes: readonly ClockChange[];
};

/** More slots would hide those that something happens to. */
const ROWS_MAX = 100;

/** A simulated CronJob for people: its slots, changes of the clock, and sums. */
export function renderCronSimulation(cron: SimulatedCron): string {
  const { name, namespace, schedule, zone, start, end, changes } = cron;
  const days = formatDuration(end - start);
  const head = `${name}  ${namespace}, simulated  ${schedule}  ${zone}  ${days} from ${asTime(start)}\n`;
  const clocks = changes.map((change) => `  ${timeInZone(zone, change.at)}  ${changeText(change)}\n`).join('');
  return [
    head,
    slotText(cron),
    ...(clocks === '' ? [] : [`Clock\n${clocks}`]),
    `Summary\n${indented(renderSummary(cron))}`,
  ].join('\n');
}

function slotText({ simulation: { slots }, zone }: SimulatedCron): string {
  const told = slots.length <= ROWS_MAX ? slots : slots.filter((each) => !isPlain(each));
  const shown = told.slice(0, ROWS_MAX);
  const table =
    shown.length === 0
      ? ''
      : renderTable(
          [zone.toUpperCase(), 'JOB', 'WHAT', 'WHY'],
          shown.map((each) => rowOf(each, zone)),
        );
  const plain = slots.length - told.length;
  const rest = [
    ...(plain === 0 ? [] : [`${plain} slots run in time and alone\n`]),
    ...(told.length === shown.length ? [] : [`and ${told.length - shown.length} others: -o json has all\n`]),
    ...(slots.length === 0 ? ['No slot: it does not fire in this time.\n'] : []),
  ];
  return `Slots\n${indented(table + rest.join(''))}`;
}

const indented = (text: string): string =>
  text
    .split('\n')
    .map((line) => (line === '' ? '' : `  ${line}`))
    .join('\n');

const isPlain = (each: SimulatedSlot): boolean => {
  if (each.kind === 'skipped') return false;
  const { besides, replaces, end } = each.run;
  return lateMsOf(each.slot, each.run) === 0 && besides === 0 && replaces.length === 0 && end === 'complete';
};

/** Later than its jitter alone explains. */
const lateMsOf = (slot: EpochMs, { createdAt, jitterMs }: SimulatedRun): number =>
  Math.max(0, createdAt - slot - jitterMs);

function rowOf(each: SimulatedSlot, zone: string): readonly string[] {
  const at = timeInZone(zone, each.slot);
  if (each.kind === 'skipped') return [at, '', 'skipped', each.reason];
  const { run } = each;
  const lateMs = lateMsOf(each.slot, run);
  const { besides, jitterMs } = run;
  const why = [
    ...(jitterMs === 0 ? [] : [`jitter ${formatDuration(jitterMs)}`]),
    ...(besides === 0 ? [] : [`besides ${besides} other${besides === 1 ? '' : 's'}`]),
    ...(run.replaces.length === 0 ? [] : [`replaces ${run.replaces.join(', ')}`]),
    ...(run.end === 'complete' ? [] : [END_WORDS[run.end]]),
  ];
  return [at, run.job, lateMs === 0 ? 'runs' : `runs ${formatDuration(lateMs)} late`, why.join(', ')];
}

const END_WORDS = { failed: 'fails', replaced: 'is replaced', running: 'still runs at the end' } as const;

function changeText({ byMs, times }: ClockChange): string {
  const by = formatDuration(Math.abs(byMs));
  const [first, last] = [times[0], times.at(-1)];
  const which = times.length <= 3 ? times.join(', ') : `${times.length} slots from ${first} to ${last}`;
  const effect = times.length === 0 ? '' : byMs > 0 ? `, without ${which}` : `, with ${which} twice`;
  return `the clock goes ${byMs > 0 ? 'forward' : 'back'} by ${by}${effect}`;
}

function renderSummary({ simulation }: SimulatedCron): string {
  const sums = sumOf(simulation);
  const skipped = Object.entries(sums.skipped).map(([reason, count]) => `${count} ${reason}`);
  const ends = (['complete', 'failed', 'replaced', 'running'] as const)
    .filter((end) => sums[end] > 0)
    .map((end) => `${sums[end]} ${end === 'running' ? 'still running' : end}`);
  const rows = [
    ['slots', String(sums.slots)],
    ['runs', `${sums.runs}${ends.length === 0 ? '' : `: ${ends.join(', ')}`}`],
    ...(sums.late === 0 ? [] : [['late', String(sums.late)]]),
    ['skipped', `${sums.slots - sums.runs}${skipped.length === 0 ? '' : `: ${skipped.join(', ')}`}`],
    ['at once', `${simulation.mostAtOnce} at most`],
    ['job time', `${formatDuration(sums.jobSeconds * 1000)} (${sums.jobSeconds} s)`],
    ['kept', `${simulation.kept} ${simulation.kept === 1 ? 'Job' : 'Jobs'} at the end`],
  ];
  return rows.map(([name = '', text = '']) => `${name.padEnd(12)}${text}\n`).join('');
}

function sumOf({ slots }: CronSimulation) {
  const sums = {
    slots: slots.length,
    runs: 0,
    late: 0,
    complete: 0,
    failed: 0,
    replaced: 0,
    running: 0,
    jobSeconds: 0,
  };
  const skipped: Record<string, number> = {};
  for (const each of slots) {
    if (each.kind === 'skipped') {
      // Reasons with a Job's name in them are one reason.
      const kind = each.isForbidden ? 'by Forbid' : each.reason;
      skipped[kind] = (skipped[kind] ?? 0) + 1;
      continue;
    }
    const { end, createdAt, endedAt } = each.run;
    sums.runs++;
    sums[end]++;
    sums.late += Number(lateMsOf(each.slot, each.run) > 0);
    sums.jobSeconds += endedAt === null ? 0 : Math.round((endedAt - createdAt) / 1000);
  }
  return { ...sums, skipped };
}

/** What `muster simulate -o json` prints for a CronJob. */
export function cronReport(cron: SimulatedCron): object {
  const { name, namespace, schedule, zone, start, end, simulation, changes } = cron;
  return {
    name,
    namespace,
    schedule,
    timeZone: zone,
    from: asTime(start),
    to: asTime(end),
    summary: { ...sumOf(simulation), mostAtOnce: simulation.mostAtOnce, kept: simulation.kept },
    clockChanges: changes.map(({ at, byMs, times }) => ({
      at: timeInZone(zone, at),
      bySeconds: byMs / 1000,
      ...(times.length === 0 ? {} : { [byMs > 0 ? 'skips' : 'repeats']: times }),
    })),
    events: simulation.events.map(({ type, reason, message, count, firstAt, at }) => ({
      type,
      reason,
      message,
      count,
      firstSeen: asTime(firstAt),
      lastSeen: asTime(at),
    })),
    slots: simulation.slots.map((each) => ({
      scheduled: timeInZone(zone, each.slot),
      utc: asTime(each.slot),
      ...(each.kind === 'skipped' ? { skipped: each.reason } : runObject(each.slot, each.run)),
    })),
  };
}

const runObject = (slot: EpochMs, run: SimulatedRun): object => ({
  job: run.job,
  created: asTime(run.createdAt),
  lateSeconds: Math.round(lateMsOf(slot, run) / 1000),
  ended: run.endedAt === null ? null : asTime(run.endedAt),
  end: run.end,
  besides: run.besides,
  ...(run.replaces.length === 0 ? {} : { replaces: run.replaces }),
});
