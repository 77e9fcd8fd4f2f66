import { describe, expect, it } from 'vitest';
import { asJobUid } from '../../../../domain/base/ids.ts';
import { type EpochMs, asEpochMs, plusMs } from '../../../../domain/base/time.ts';
import type { ConfigJobs } from '../../domain/config-places.ts';
import { type ConfigState, FRESH_CONFIG } from '../../domain/config-state.ts';
import { configStatus } from '../../domain/config-status.ts';
import type { ConfigSchedule, JobConfigSpec } from '../../domain/job-config.ts';
import { type ConfigInput, planConfig } from '../../domain/plan-config.ts';

const T0 = asEpochMs(Date.parse('2026-01-01T10:00:00Z'));
const at = (seconds: number): EpochMs => plusMs(T0, seconds * 1000);
const TIME = (seconds: number): string => new Date(at(seconds)).toISOString();

const minutely: ConfigSchedule = { cron: { expression: '* * * * *' } };
const withSchedule = (schedule: ConfigSchedule, concurrency: JobConfigSpec['concurrency'] = { policy: 'Allow' }) => ({
  schedule,
  concurrency,
});

type Wish = {
  readonly spec?: Pick<JobConfigSpec, 'concurrency' | 'schedule'>;
  readonly state?: ConfigState;
  readonly jobs?: ConfigJobs;
  readonly outcomes?: ConfigInput['outcomes'];
  readonly createdAt?: EpochMs;
  readonly isDeleted?: boolean;
};

function plan(now: EpochMs, { spec = withSchedule(minutely), state = FRESH_CONFIG, ...wish }: Wish = {}) {
  const { jobs = new Map(), outcomes = new Map(), createdAt = T0, isDeleted = false } = wish;
  const config = { namespace: 'default', name: 'nightly', createdAt, isDeleted, spec };
  const uidOf = (slot: EpochMs) => asJobUid(`slot-${(slot - T0) / 1000}`);
  return planConfig({ config, state, jobs, outcomes, now, uidOf });
}

const slotsIn = ({ places }: ConfigState): readonly number[] => places.map(({ slot }) => ((slot ?? 0) - T0) / 1000);
const eventsIn = ({ events }: ConfigState): readonly string[] =>
  events.map(({ reason, message }) => `${reason}: ${message}`);

describe('slots', () => {
  it('are looked at when they are due, and not before', () => {
    const early = plan(at(59));
    expect(slotsIn(early.state)).toEqual([]);
    expect(early.alarmAt).toBe(at(60));
    const due = plan(at(60));
    expect(due.create.map(({ name, uid, stage }) => ({ name, uid, stage }))).toEqual([
      { name: `nightly-${at(60) / 1000}`, uid: 'slot-60', stage: 'starting' },
    ]);
    expect(slotsIn(plan(at(61), { state: due.state }).state)).toEqual([60]);
  });

  it('of several expressions on one second are one', () => {
    const cron = { expressions: ['* * * * *', '*/2 * * * *', '30 * * * * * *'] };
    expect(slotsIn(plan(at(120), { spec: withSchedule({ cron }) }).state)).toEqual([30, 60, 90, 120]);
  });

  it('that were missed are made up for, five at most, and never instead of the one that is on time', () => {
    const seconds = { cron: { expression: '*/10 * * * * * *' } };
    const { state } = plan(at(122), { spec: withSchedule(seconds) });
    expect(slotsIn(state)).toEqual([10, 20, 30, 40, 50, 120]);
    expect(eventsIn(state)).toEqual([
      'TooManyMissedTimes: too many missed start times: the 6 after the first are not made up for',
    ]);
    const next = plan(at(130), { spec: withSchedule(seconds), state });
    expect(slotsIn(next.state).slice(6)).toEqual([130]);
  });

  it('that were missed for more than 300 s are not made up for', () => {
    const { state } = plan(at(620));
    expect(slotsIn(state)).toEqual([360, 420, 480, 540, 600]);
    expect(eventsIn(state)[0]).toContain('MissSchedule');
    const quarterly = withSchedule({ cron: { expression: '*/15 * * * *' } });
    const idle = plan(at(1500), { spec: quarterly });
    expect(slotsIn(idle.state)).toEqual([]);
    expect(eventsIn(idle.state)).toHaveLength(1);
    expect(eventsIn(plan(at(1510), { spec: quarterly, state: idle.state }).state)).toHaveLength(1);
  });

  it('are those after the last change of the schedule', () => {
    const changed = { ...minutely, lastUpdated: TIME(120) };
    expect(slotsIn(plan(at(185), { spec: withSchedule(changed) }).state)).toEqual([180]);
  });

  it('lie within the constraints, both ends included', () => {
    const constraints = { notBefore: TIME(120), notAfter: TIME(180) };
    const { state, alarmAt } = plan(at(285), { spec: withSchedule({ ...minutely, constraints }) });
    expect(slotsIn(state)).toEqual([120, 180]);
    expect(alarmAt).toBe(at(345)); // for its Jobs: no slot follows
    expect(plan(at(1), { spec: withSchedule({ ...minutely, constraints }) }).alarmAt).toBe(at(120));
  });

  it.each<[string, ConfigSchedule | undefined]>([
    ['no schedule', undefined],
    ['no cron', {}],
    ['a schedule that is disabled', { ...minutely, disabled: true }],
  ])('%s has none', (_, schedule) => {
    const spec = { concurrency: { policy: 'Allow' as const }, ...(schedule === undefined ? {} : { schedule }) };
    expect(plan(at(600), { spec })).toMatchObject({ state: FRESH_CONFIG, alarmAt: null, create: [] });
  });

  it('are read by the zone of the schedule', () => {
    const cron = { expression: '0 18 * * *', timezone: 'UTC+8' };
    expect(slotsIn(plan(at(1), { spec: withSchedule({ cron }), createdAt: at(-60) }).state)).toEqual([0]);
  });

  it('of a JobConfig that is being deleted get nothing', () => {
    expect(plan(at(60), { isDeleted: true })).toMatchObject({ create: [], alarmAt: null });
  });

  it('of a schedule that cannot be read are said once', () => {
    const spec = withSchedule({ cron: { expression: 'every day' } });
    const first = plan(at(60), { spec });
    expect(eventsIn(first.state)).toHaveLength(1);
    expect(eventsIn(plan(at(61), { spec, state: first.state }).state)).toHaveLength(1);
  });
});

// A row of docs/furiko.md, by its name.
describe('faults of Furiko that Muster does not have', () => {
  it('no missed slots to make up for: on-time slots are skipped, too', () => {
    let { state } = plan(at(0));
    for (let minute = 1; minute <= 12; minute++) state = plan(at(minute * 60 + 1), { state }).state;
    expect(slotsIn(state)).toHaveLength(12);
  });
});

describe('concurrency at a slot', () => {
  const job = (kind: 'live' | 'waiting' | 'over') =>
    ({ kind, name: 'x', policy: 'Enqueue', startAfter: null, createdAt: T0, startTime: null }) as const;

  it('Forbid skips it, and says why', () => {
    const spec = withSchedule(minutely, { policy: 'Forbid', maxConcurrency: 1 });
    const first = plan(at(60), { spec });
    const second = plan(at(120), { spec, state: first.state, jobs: new Map([[asJobUid('slot-60'), job('live')]]) });
    expect(slotsIn(second.state)).toEqual([60]);
    expect(eventsIn(second.state)).toEqual([
      'SkippedSchedule: Skipped 2026-01-01T10:02:00Z: concurrency policy is Forbid: 1 Job active, 1 at most',
    ]);
    const third = plan(at(180), { spec, state: second.state, jobs: new Map([[asJobUid('slot-60'), job('over')]]) });
    expect(slotsIn(third.state)).toEqual([180]);
  });

  it('Enqueue lets it wait, until the queue is full', () => {
    const spec = withSchedule(minutely, { policy: 'Enqueue', maxConcurrency: 1 });
    let state: ConfigState = FRESH_CONFIG;
    for (let minute = 1; minute <= 23; minute++) state = plan(at(minute * 60), { spec, state }).state;
    expect(state.places).toHaveLength(21);
    expect(state.places.map(({ stage }) => stage).filter((stage) => stage === 'queued')).toHaveLength(20);
    expect(eventsIn(state)).toHaveLength(2);
    expect(eventsIn(state)[0]).toContain('the queue is full');
  });

  it('a Job that comes of it is known to be stored, and one that is refused gives its place back', () => {
    const { state } = plan(at(60));
    const outcome = (kind: 'created' | 'refused') =>
      new Map([[asJobUid('slot-60'), kind === 'created' ? { kind } : { kind, message: 'bad' }]]);
    const created = plan(at(61), { state, outcomes: outcome('created') });
    expect(created.state).toMatchObject({ lastScheduledAt: at(60), places: [{ isStored: true }] });
    expect(created.create).toEqual([]);
    const refused = plan(at(61), { state, outcomes: outcome('refused') });
    expect(refused.state).toMatchObject({ lastScheduledAt: null, places: [] });
    expect(eventsIn(refused.state)).toEqual([`FailedCreate: Error creating job nightly-${at(60) / 1000}: bad`]);
    expect(plan(at(62), { state: refused.state }).create).toEqual([]);
  });
});

describe('the next look', () => {
  const place = { policy: 'Enqueue', slot: null, at: T0, startTime: null, name: 'x' } as const;
  const spec = { concurrency: { policy: 'Enqueue', maxConcurrency: 1 } } as const;
  it.each([
    ['a Job that runs', [{ stage: 'active', isStored: true, startAfter: null }], 600],
    ['a Job that is to come', [{ stage: 'starting', isStored: false, startAfter: null }], 60],
    ['a Job that waits for its time', [{ stage: 'queued', isStored: true, startAfter: at(30) }], 30],
    [
      'a Job that waits for another',
      [
        { stage: 'active', isStored: true, startAfter: null },
        { stage: 'queued', isStored: true, startAfter: null },
      ],
      60,
    ],
  ] as const)('%s', (_, given, seconds) => {
    const places = given.map((each, n) => ({ ...place, ...each, uid: asJobUid(`u${n}`) }));
    expect(plan(T0, { spec, state: { ...FRESH_CONFIG, places } }).alarmAt).toBe(at(seconds));
  });
});

describe('the status', () => {
  const place = { policy: 'Enqueue', slot: null, startAfter: null, at: T0, isStored: true, startTime: null } as const;
  const active = { ...place, uid: asJobUid('a'), name: 'a', stage: 'active', startTime: at(1) } as const;
  const queued = { ...place, uid: asJobUid('q'), name: 'q', stage: 'queued' } as const;
  it.each([
    [undefined, [], 'Ready'],
    [minutely, [], 'ReadyEnabled'],
    [{ ...minutely, disabled: true }, [], 'ReadyDisabled'],
    [minutely, [queued], 'JobQueued'],
    [{ ...minutely, disabled: true }, [active, queued], 'Executing'],
    // Its Job is not there yet.
    [minutely, [{ ...queued, isStored: false }], 'ReadyEnabled'],
  ])('of %o with %o is %s', (schedule, places, state) => {
    const spec = schedule === undefined ? {} : { schedule };
    expect(configStatus(spec, { ...FRESH_CONFIG, places }).state).toBe(state);
  });
  it('lists Jobs', () => {
    const state = { ...FRESH_CONFIG, places: [active, queued], lastScheduledAt: at(60), lastExecutedAt: at(61) };
    expect(configStatus({}, state)).toEqual({
      state: 'Executing',
      queued: 1,
      queuedJobs: [{ uid: 'q', name: 'q', creationTimestamp: '2026-01-01T10:00:00Z', phase: 'Queued' }],
      active: 1,
      activeJobs: [
        { uid: 'a', name: 'a', creationTimestamp: '2026-01-01T10:00:00Z', startTime: '2026-01-01T10:00:01Z' },
      ],
      lastScheduled: '2026-01-01T10:01:00Z',
      lastExecuted: '2026-01-01T10:01:01Z',
    });
  });
});
