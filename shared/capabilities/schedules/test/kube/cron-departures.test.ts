import { expect, test } from 'vitest';
import { asJobUid } from '../../../../domain/base/ids.ts';
import { type EpochMs, asEpochMs, asTime, plusMs } from '../../../../domain/base/time.ts';
import { cronRulesOf } from '../../domain/cron-rules.ts';
import { FRESH_CRON } from '../../domain/cron-state.ts';
import { dueSlot } from '../../domain/due-slot.ts';
import { nextTime } from '../../domain/next-time.ts';
import { planCron } from '../../domain/plan-cron.ts';
import { parseSchedule } from '../../domain/cron-schedule.ts';
import { aWorld } from '../../../../../test/kube/a-world.ts';

// What becomes of CronJobs, where Muster departs from Kubernetes' letter; docs/departures.md has a row for each test here.

const CRONJOBS = '/apis/batch/v1/namespaces/default/cronjobs';
const JOBS = '/apis/batch/v1/namespaces/default/jobs';
const pod = { template: { spec: { containers: [{ name: 'main', image: 'busybox' }], restartPolicy: 'Never' } } };

async function aStage() {
  const { app, clock, objects } = await aWorld();
  const send = async (method: string, path: string, body?: unknown) =>
    app.request(path, {
      method,
      headers: { 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  const names = async (path: string): Promise<readonly string[]> => {
    const list = (await (await send('GET', path)).json()) as { items: readonly { metadata: { name: string } }[] };
    return list.items.map(({ metadata }) => metadata.name);
  };
  const cronJob = async (metadata: object = {}) => {
    const spec = { schedule: '* * * * *', jobTemplate: { metadata, spec: pod } };
    return send('POST', CRONJOBS, { metadata: { name: 'nightly' }, spec });
  };
  return { send, names, cronJob, clock, objects };
}

test('what none of its Jobs could have is refused with the CronJob', async () => {
  const { names, cronJob } = await aStage();
  const refused = await cronJob({ labels: { 'no label': 'x' } });
  expect(refused.status).toBe(422);
  expect(await refused.json()).toMatchObject({ details: { causes: [{ field: 'spec.jobTemplate.metadata.labels' }] } });
  expect(await names(CRONJOBS)).toEqual([]);
});

test('the Jobs of a CronJob are deleted before it is, whatever the propagation', async () => {
  for (const propagationPolicy of ['Background', 'Foreground']) {
    const { send, names, cronJob, objects } = await aStage();
    const { metadata } = (await (await cronJob()).json()) as { metadata: { uid: string } };
    const ownerReferences = [
      { apiVersion: 'batch/v1', kind: 'CronJob', name: 'nightly', uid: metadata.uid, controller: true },
    ];
    await send('POST', JOBS, { metadata: { name: 'nightly-1', ownerReferences }, spec: pod });
    expect(await names(JOBS)).toEqual(['nightly-1']);
    const deleted = await send('DELETE', `${CRONJOBS}/nightly`, { propagationPolicy });
    expect(await deleted.json()).toMatchObject({ status: 'Success' });
    expect(await names(JOBS)).toEqual([]);
    const changes = await objects.changes('CronJob', 0, 10);
    expect(changes.kind === 'rows' ? changes.rows.map(({ type }) => type) : []).toEqual([
      'ADDED',
      'MODIFIED',
      'DELETED',
    ]);
  }
});

const at = (text: string): EpochMs => asEpochMs(Date.parse(text));
const after =
  (text: string, zone: string) =>
  (moment: EpochMs): EpochMs | null => {
    const parsed = parseSchedule(text);
    if (parsed.kind === 'bad') throw new Error(parsed.reason);
    return nextTime(parsed.schedule, zone, moment);
  };

test('a minute that the clock shows is a slot, after a change of half an hour, too', () => {
  // Lord Howe: on 4 October 2026 the clock goes from 2:00 to 2:30, on 5 April from 2:00 back to 1:30.
  const slots = (text: string, from: string): readonly string[] => {
    const next = after(text, 'Australia/Lord_Howe');
    const first = next(at(from));
    return [first, first === null ? null : next(first)].map((slot) => (slot === null ? 'never' : asTime(slot)));
  };
  expect(slots('0 3 * * *', '2026-10-03T00:00:00Z')).toEqual(['2026-10-03T16:00:00Z', '2026-10-04T16:00:00Z']);
  expect(slots('0 2 * * *', '2026-04-04T00:00:00Z')).toEqual(['2026-04-04T15:30:00Z', '2026-04-05T15:30:00Z']);
  expect(slots('45 1 * * *', '2026-04-04T00:00:00Z')).toEqual(['2026-04-04T14:45:00Z', '2026-04-04T15:15:00Z']);
});

test('the most recent slot is found, whatever lies between two slots', () => {
  const next = after('0 9,10 * * *', 'UTC');
  const due = dueSlot(next, at('2026-11-20T08:00:00Z'), at('2026-11-23T09:30:00Z'));
  expect(due.kind === 'due' ? asTime(due.slot) : due.kind).toBe('2026-11-23T09:00:00Z');
});

/** A look at a CronJob that was created at midnight. */
const lookAt = (schedule: string, now: EpochMs, more: { readonly startingDeadlineSeconds?: number } = {}) =>
  planCron({
    cron: {
      name: 'nightly',
      createdAt: at('2026-11-23T00:00:00Z'),
      isDeleted: false,
      spec: {
        schedule,
        concurrencyPolicy: 'Allow',
        suspend: false,
        successfulJobsHistoryLimit: 3,
        failedJobsHistoryLimit: 1,
        ...more,
      },
      rules: cronRulesOf(),
      lastScheduleAt: null,
    },
    state: FRESH_CRON,
    jobs: new Map(),
    outcome: null,
    now,
    jitterMs: () => 0,
    uidOf: () => asJobUid('u'),
  });

test('a deadline does not move the slots of @every', () => {
  const within = { startingDeadlineSeconds: 60 };
  const { claim } = lookAt('@every 10m', at('2026-11-23T00:10:30Z'), within).state;
  expect(claim === null ? null : asTime(claim.slot)).toBe('2026-11-23T00:10:00Z');
  const late = lookAt('@every 10m', at('2026-11-23T00:12:00Z'), within);
  expect([late.state.claim, late.alarmAt]).toEqual([null, at('2026-11-23T00:20:00Z')]);
});

test('without a time zone a schedule is in UTC', () => {
  const plan = lookAt('0 3 * * *', plusMs(at('2026-11-23T00:00:00Z'), 1000));
  expect(plan.alarmAt === null ? null : asTime(plan.alarmAt)).toBe('2026-11-23T03:00:00Z');
});
