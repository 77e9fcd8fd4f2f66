import { describe, expect, it } from 'vitest';
import { asJobUid } from '../../../../domain/base/ids.ts';
import { type EpochMs, asEpochMs, plusMs } from '../../../../domain/base/time.ts';
import { cronRulesOf } from '../../domain/cron-rules.ts';
import { type CronChild, type CronState, FRESH_CRON } from '../../domain/cron-state.ts';
import type { ObservedJob } from '../../domain/owned-jobs.ts';
import { type CronInput, type CronPlan, type CronView, planCron } from '../../domain/plan-cron.ts';

const T0 = asEpochMs(Date.parse('2026-01-01T10:00:00Z'));
const at = (minutes: number): EpochMs => plusMs(T0, minutes * 60_000);
const uid = (name: string) => asJobUid(`uid of ${name}`);

type Wish = {
  readonly spec?: Partial<CronView['spec']>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly cron?: Partial<CronView>;
  readonly state?: Partial<CronState>;
  readonly jobs?: Readonly<Record<string, ObservedJob | null>>;
  readonly outcome?: CronInput['outcome'];
  readonly now?: EpochMs;
  readonly jitterMs?: CronInput['jitterMs'];
};

/** A look at a CronJob of every ten minutes that was created at 10:00, now at 10:10. */
function look({ spec, annotations, cron, state, jobs = {}, outcome = null, now = at(10), jitterMs }: Wish): CronPlan {
  return planCron({
    cron: {
      name: 'tick',
      createdAt: T0,
      isDeleted: false,
      lastScheduleAt: null,
      rules: cronRulesOf(annotations),
      spec: {
        schedule: '*/10 * * * *',
        concurrencyPolicy: 'Allow',
        suspend: false,
        successfulJobsHistoryLimit: 3,
        failedJobsHistoryLimit: 1,
        ...spec,
      },
      ...cron,
    },
    state: { ...FRESH_CRON, ...state },
    jobs: new Map(Object.entries(jobs).map(([name, job]) => [uid(name), job])),
    outcome,
    now,
    jitterMs: jitterMs ?? (() => 0),
    uidOf: (slot) => uid(String((slot - T0) / 60_000)),
  });
}

const child = (name: string, wish: Partial<CronChild> = {}): CronChild => ({
  uid: uid(name),
  name,
  isListed: true,
  end: null,
  ...wish,
});
const running = (name: string): ObservedJob => ({ name, end: null });
const ended = (name: string, kind: 'complete' | 'failed', minutes: number): ObservedJob => ({
  name,
  end: { kind, startAt: at(minutes - 1), at: at(minutes) },
});
const reasons = ({ state }: CronPlan) => state.events.map(({ reason }) => reason);
const messages = ({ state }: CronPlan) => state.events.map(({ message }) => message);

describe('a slot that is due', () => {
  it('is claimed, with Kubernetes’ name', () => {
    const plan = look({});
    expect(plan.state.claim).toEqual({
      slot: at(10),
      name: `tick-${at(10) / 60_000}`,
      uid: uid('10'),
      at: at(10),
      replaces: [],
    });
    expect(plan.state.lastScheduleAt).toBeNull();
    expect(plan.alarmAt).toBe(at(11)); // the claim is tried again, if nobody carries it out
  });

  it('has its Job once that is created', () => {
    const { claim } = look({}).state;
    const plan = look({ state: { claim }, outcome: { kind: 'created' } });
    expect(plan.state).toMatchObject({
      claim: null,
      lastScheduleAt: at(10),
      jobs: [{ uid: uid('10'), isListed: true }],
    });
    expect(messages(plan)).toEqual([`Created job tick-${at(10) / 60_000}`]);
    expect(plan.alarmAt).toBe(at(20));
  });

  it('is not claimed again, whatever else is to do', () => {
    expect(look({ state: { lastScheduleAt: at(10) } }).state.claim).toBeNull();
    expect(look({ state: { lastScheduleAt: at(10) }, now: at(19) }).state.claim).toBeNull();
    expect(look({ cron: { lastScheduleAt: at(10) } }).state.claim).toBeNull();
    const { claim } = look({}).state;
    expect(look({ state: { claim }, now: at(35) }).state.claim).toBe(claim);
  });

  it('of several that were missed, is the most recent one', () => {
    const plan = look({ state: { lastScheduleAt: at(10) }, now: at(45) });
    expect(plan.state.claim?.slot).toBe(at(40));
    expect(reasons(plan)).toEqual([]);
  });

  it('with more than a hundred missed, says so, and is the most recent one all the same', () => {
    const plan = look({ now: at(1_015) });
    expect(plan.state.claim?.slot).toBe(at(1_010));
    expect(messages(plan)).toEqual([
      'too many missed start times: 101. Set or decrease .spec.startingDeadlineSeconds or check clock skew',
    ]);
  });

  it.each([
    [0, at(10), at(10)],
    [60, plusMs(at(10), 60_000), null],
    [61, plusMs(at(10), 60_000), at(10)],
    [301, at(15), at(10)],
    [299, at(15), null],
  ])('within a deadline of %i s at %i', (startingDeadlineSeconds, now, slot) => {
    // A deadline of nothing still allows the very moment.
    const plan = look({
      spec: { startingDeadlineSeconds },
      now: startingDeadlineSeconds === 0 ? plusMs(now, -1) : now,
    });
    expect(plan.state.claim?.slot ?? null).toBe(startingDeadlineSeconds === 0 ? null : slot);
  });

  it.each([
    // The first, in time; too late by a second; and the next, counted from the last one.
    [null, plusMs(at(10), 30_000), at(10), null],
    [null, plusMs(at(11), 1_000), null, at(20)],
    [at(10), plusMs(at(20), 59_000), at(20), null],
    [at(10), plusMs(at(47), 30_000), null, at(50)],
  ])('of @every is not moved by a deadline: last %o, now %o', (lastScheduleAt, now, slot, next) => {
    const plan = look({
      spec: { schedule: '@every 10m', startingDeadlineSeconds: 60 },
      state: { lastScheduleAt },
      now,
    });
    expect(plan.state.claim?.slot ?? null).toBe(slot);
    expect(plan.alarmAt).toBe(next ?? plan.alarmAt);
  });

  it('within the minute of the last one has no Job of its own', () => {
    const spec = { schedule: '@every 20s' };
    const state = { lastScheduleAt: plusMs(at(10), 10_000) };
    expect(look({ spec, state, now: plusMs(at(10), 55_000) })).toMatchObject({
      state,
      alarmAt: plusMs(at(11), 10_000),
    });
    expect(look({ spec, state, now: plusMs(at(11), 12_000) }).state.claim?.slot).toBe(plusMs(at(11), 10_000));
  });

  it('waits for the next one before the first', () => {
    expect(look({ now: at(9) })).toMatchObject({ state: FRESH_CRON, alarmAt: at(10) });
  });
});

describe('what stops a schedule', () => {
  it.each([
    ['suspend', { spec: { suspend: true } }, []],
    ['its deletion', { cron: { isDeleted: true } }, []],
    [
      'an unknown zone',
      { spec: { timeZone: 'Mars/North' } },
      ['invalid timeZone: "Mars/North": unknown time zone Mars/North'],
    ],
    [
      'a schedule that cannot be read',
      { spec: { schedule: '* * *' } },
      ['unparseable schedule: "* * *" : expected exactly 5 fields, found 3: [* * *]'],
    ],
    ['one that never fires', { spec: { schedule: '0 0 31 2 *' } }, ['invalid schedule: "0 0 31 2 *" : it never fires']],
  ] satisfies readonly [string, Wish, readonly string[]][])('%s', (_, wish, said) => {
    const plan = look(wish);
    expect(plan).toMatchObject({ alarmAt: null, state: { claim: null } });
    expect(messages(plan)).toEqual(said);
    // It is said once.
    expect(look({ ...wish, state: plan.state }).state).toEqual(plan.state);
  });

  it('a zone in the schedule is followed, with a warning', () => {
    const plan = look({ spec: { schedule: 'TZ=Asia/Kolkata 40 15 * * *' } });
    expect(plan.state.claim?.slot).toBe(at(10)); // 15:40 there
    expect(reasons(plan)).toEqual(['UnsupportedSchedule']);
  });

  it('a zone of its own', () => {
    expect(look({ spec: { schedule: '40 15 * * *', timeZone: 'Asia/Kolkata' } }).state.claim?.slot).toBe(at(10));
  });
});

describe('the concurrency policy', () => {
  const state = { lastScheduleAt: at(0), jobs: [child('a')] };
  const jobs = { a: running('a') };

  it('Allow: beside another', () => {
    expect(look({ state, jobs }).state.claim).toMatchObject({ slot: at(10), replaces: [] });
  });

  it('Forbid: not beside another, and it is said once', () => {
    const plan = look({ spec: { concurrencyPolicy: 'Forbid' }, state, jobs });
    expect(plan.state.claim).toBeNull();
    expect(messages(plan)).toEqual([
      'Not starting job because prior execution is running and concurrency policy is Forbid',
    ]);
    expect(plan.alarmAt).toBe(at(20));
    expect(look({ spec: { concurrencyPolicy: 'Forbid' }, state: plan.state, jobs, now: at(11) }).state).toEqual(
      plan.state,
    );
  });

  it('Forbid: the slot is not lost; it starts when the other has ended', () => {
    const plan = look({
      spec: { concurrencyPolicy: 'Forbid' },
      state,
      jobs: { a: ended('a', 'failed', 12) },
      now: at(12),
    });
    expect(plan.state.claim?.slot).toBe(at(10));
  });

  it('Forbid: a Job that somebody else has created does not count', () => {
    const plan = look({
      spec: { concurrencyPolicy: 'Forbid' },
      state: { jobs: [child('a', { isListed: false })] },
      jobs,
    });
    expect(plan.state.claim?.slot).toBe(at(10));
  });

  it('Replace: the other is deleted first', () => {
    const plan = look({ spec: { concurrencyPolicy: 'Replace' }, state, jobs });
    expect(plan.state).toMatchObject({ claim: { slot: at(10), replaces: [uid('a')] }, jobs: [] });
    expect(messages(plan)).toEqual(['Deleted job a']);
  });
});

describe('Jobs of a CronJob', () => {
  it('that end leave the list of active ones; a success sets the time', () => {
    const plan = look({
      state: { lastScheduleAt: at(10), jobs: [child('a'), child('b')] },
      jobs: { a: ended('a', 'complete', 7), b: ended('b', 'failed', 8) },
    });
    expect(messages(plan)).toEqual([
      'Saw completed job: a, condition: Complete',
      'Saw completed job: b, condition: Failed',
    ]);
    expect(plan.state).toMatchObject({
      lastSuccessAt: at(7),
      jobs: [{ end: { kind: 'complete' } }, { end: { kind: 'failed' } }],
    });
    expect(plan.alarmAt).toBe(at(20));
  });

  it('that are gone are missing, if they had not ended', () => {
    const end = { kind: 'complete', startAt: null, at: at(1) } as const;
    const plan = look({
      state: { lastScheduleAt: at(10), jobs: [child('a'), child('b', { end })] },
      jobs: { a: null, b: null },
    });
    expect(messages(plan)).toEqual(['Active job went missing: a']);
    expect(plan.state.jobs).toEqual([]);
  });

  it('that somebody else has created are kept for the history, not listed', () => {
    const plan = look({ state: { lastScheduleAt: at(10) }, jobs: { a: running('a'), b: ended('b', 'complete', 5) } });
    expect(messages(plan)).toEqual(['Saw a job that the controller did not create or forgot: a']);
    expect(plan.state.jobs.map(({ name, isListed }) => [name, isListed])).toEqual([
      ['a', false],
      ['b', false],
    ]);
    expect(plan.state.lastSuccessAt).toBe(at(5));
  });

  it('that run are looked at every ten minutes', () => {
    const spec = { schedule: '0 0 1 1 *' };
    expect(look({ spec, state: { jobs: [child('a')] }, jobs: { a: running('a') } }).alarmAt).toBe(at(20));
  });

  it('beyond the history limits are deleted, the first to start first, each kind for itself', () => {
    const jobs = Object.fromEntries(
      ['a', 'b', 'c', 'd', 'e'].map((name, n) => [name, ended(name, n === 2 ? 'failed' : 'complete', 5 - n)]),
    );
    const state = { lastScheduleAt: at(10), jobs: Object.keys(jobs).map((name) => child(name)) };
    const plan = look({ state, jobs });
    expect(plan.prune).toEqual([uid('e')]); // three of a, b, d, e stay
    expect(plan.state.jobs.map(({ name }) => name)).toEqual(['a', 'b', 'c', 'd']);
    const none = look({ state, jobs, spec: { successfulJobsHistoryLimit: 0, failedJobsHistoryLimit: 0 } });
    expect(none.prune).toEqual(['e', 'd', 'b', 'a', 'c'].map(uid));
  });

  it('of which one never started stay longest; of two that started together, the name decides', () => {
    const end = (startAt: EpochMs | null) => ({ end: { kind: 'failed', startAt, at: at(9) } }) as const;
    const jobs = [child('x', end(null)), child('z', end(at(1))), child('y', end(at(1)))];
    const seen = Object.fromEntries(jobs.map(({ name }) => [name, running(name)]));
    expect(look({ state: { lastScheduleAt: at(10), jobs }, jobs: seen }).prune).toEqual([uid('y'), uid('z')]);
  });
});

describe('a Job that cannot be created', () => {
  const claim = { slot: at(10), name: 'tick-1', uid: uid('10'), at: at(10), replaces: [] };
  const refused = { kind: 'refused', message: 'no such namespace' } as const;

  it('is tried again after 10 s, then 20, then 40', () => {
    const first = look({ state: { claim }, outcome: refused });
    expect(first).toMatchObject({ state: { claim: null, lastScheduleAt: null }, alarmAt: plusMs(at(10), 10_000) });
    expect(messages(first)).toEqual(['Error creating job: no such namespace']);
    expect(look({ state: first.state, now: plusMs(at(10), 9_999) }).state.claim).toBeNull();
    const again = look({ state: first.state, now: plusMs(at(10), 10_000) });
    expect(again.state.claim?.slot).toBe(at(10));
    const second = look({ state: again.state, outcome: refused, now: plusMs(at(10), 10_000) });
    expect(second.alarmAt).toBe(plusMs(at(10), 30_000));
    expect(second.state.events).toMatchObject([{ reason: 'FailedCreate', count: 2 }]);
  });

  it('gives way to the next slot', () => {
    const { state } = look({ state: { claim }, outcome: refused });
    expect(look({ state, now: at(20) }).state.claim?.slot).toBe(at(20));
  });

  it('because another has its name, is left out', () => {
    const plan = look({ state: { claim }, outcome: { kind: 'taken', message: 'jobs.batch "tick-1" already exists' } });
    expect(plan).toMatchObject({ state: { claim: null, passedAt: at(10), lastScheduleAt: null }, alarmAt: at(20) });
    expect(reasons(plan)).toEqual(['FailedCreate']);
  });
});

describe('catching up', () => {
  const missed = { state: { lastScheduleAt: at(10) }, now: at(45) };

  it('none: a slot that is a minute late is left out, with an Event', () => {
    const plan = look({ ...missed, annotations: { 'muster.run/catch-up': 'none' } });
    expect(plan).toMatchObject({ state: { claim: null, passedAt: at(40), lastScheduleAt: at(10) }, alarmAt: at(50) });
    expect(messages(plan)).toEqual(['Missed scheduled time to start a job: Thu, 01 Jan 2026 10:40:00 +0000']);
    expect(look({ state: plan.state, now: at(46), annotations: { 'muster.run/catch-up': 'none' } }).state).toEqual(
      plan.state,
    );
  });

  it('none: one that is on time is not', () => {
    const plan = look({ annotations: { 'muster.run/catch-up': 'none' }, now: plusMs(at(10), 59_000) });
    expect(plan.state.claim?.slot).toBe(at(10));
  });

  it('all: one after the other', () => {
    const annotations = { 'muster.run/catch-up': 'all' };
    const slots: number[] = [];
    let plan = look({ ...missed, annotations });
    while (plan.state.claim !== null) {
      slots.push((plan.state.claim.slot - T0) / 60_000);
      plan = look({ state: plan.state, now: at(45), annotations, outcome: { kind: 'created' } });
    }
    expect(slots).toEqual([20, 30, 40]);
    expect(plan.alarmAt).toBe(at(50));
  });

  it('all: of more than a hundred only the most recent one', () => {
    const plan = look({ now: at(1_015), annotations: { 'muster.run/catch-up': 'all' } });
    expect(plan.state.claim?.slot).toBe(at(1_010));
    expect(reasons(plan)).toEqual(['TooManyMissedTimes']);
  });
});

describe('jitter', () => {
  const annotations = { 'muster.run/jitter-seconds': '120' };
  const jitterMs = (slot: EpochMs) => (slot === at(10) ? 90_000 : 30_000);

  it('delays a slot, and its name stays', () => {
    expect(look({ annotations, jitterMs })).toMatchObject({ state: { claim: null }, alarmAt: plusMs(at(10), 90_000) });
    const plan = look({ annotations, jitterMs, now: plusMs(at(10), 90_000) });
    expect(plan.state.claim).toMatchObject({ slot: at(10), name: `tick-${at(10) / 60_000}` });
  });

  it('is in the alarm of the next one', () => {
    expect(look({ annotations, jitterMs, state: { lastScheduleAt: at(10) } }).alarmAt).toBe(plusMs(at(20), 30_000));
  });
});
