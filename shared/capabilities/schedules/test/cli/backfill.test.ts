import { describe, expect, test } from 'vitest';
import { runCommandLine } from '../../../../../cli/program/program.ts';
import { openSlots, slotsOfRange, standingOfSlot, sumText } from '../../cli/backfill-slots.ts';
import { JobSchema } from '../../../../../cli/client/api-objects.ts';
import { asEpochMs, asTime } from '../../../../domain/base/time.ts';
import { rangeEnd } from '../../../../../cli/shell/option-values.ts';
import { START, manifest } from '../../../../../test/kube/a-world.ts';
import { type AServer, type Interception, aServer } from '../../../../../test/cli/a-server.ts';
import { createCron, cronJob } from './cron-job.ts';
import { endJob } from '../../../../../test/cli/ended-job.ts';

/** It is 14 November 2023 there. Slots at 3 o'clock in Berlin are at 2 in UTC. */
const RANGE = '--from 2023-11-01 --to 2023-11-06';
const JOBS = [0, 1, 2, 3, 4].map((day) => `report-${28_313_400 + day * 1440}`);

/** The names of the Jobs that have not ended. */
async function runningIn({ jobs }: AServer['world']): Promise<readonly string[]> {
  const names: string[] = [];
  for (const { uid } of (await jobs.listJobs({ namespace: null, after: null, limit: 99 })).jobs) {
    const [spec, status] = [await jobs.readSpec(uid), await jobs.readStatus(uid)];
    if (spec !== null && status?.phase.kind !== 'finished') names.push(spec.identity.name);
  }
  return names;
}

/**
 * A server on which a Job ends whenever somebody waits, and as many run as are to run at once; `most`: the most Jobs that ran at a
 * time.
 */
async function withReport({
  failing = [],
  ends = 999,
  atOnce = 1,
  intercept = () => false,
}: {
  failing?: readonly string[];
  ends?: number;
  atOnce?: number;
  intercept?: Interception;
} = {}) {
  const seen = { most: 0, ended: 0 };
  const end = async (world: AServer['world']): Promise<void> => {
    const names = await runningIn(world);
    seen.most = Math.max(seen.most, names.length);
    const [name] = names;
    if (name === undefined || names.length < Math.min(atOnce, JOBS.length - seen.ended)) return;
    seen.ended += 1;
    await endJob(world, name, START, failing.includes(name));
  };
  // One after the other: two who wait at once would end the same Job.
  let turn = Promise.resolve();
  const endOne = async (world: AServer['world'], most = 999): Promise<void> => {
    turn = turn.then(async () => (seen.ended < most ? end(world) : undefined));
    return turn;
  };
  // A moment in which nothing runs yet uses up none of the ends.
  const step = async (world: AServer['world']): Promise<void> => endOne(world, ends);
  const server = await aServer({ steps: Array.from({ length: 999 }, () => step), intercept });
  await createCron(server, cronJob('report', '0 3 * * *', { timeZone: 'Europe/Berlin' }));
  return { server, seen, running: async () => runningIn(server.world), endOne: async () => endOne(server.world) };
}

describe('muster cron backfill', () => {
  test('a Job for each slot, one at a time, which the CronJob owns and does not control', async () => {
    const { server, seen } = await withReport();
    expect(await server.run(`cron backfill report ${RANGE}`)).toEqual({
      code: 0,
      out: 'cronjob.batch/report: 5 slots: 5 complete\n',
      err: '',
    });
    expect(seen.most).toBe(1);
    const cron = (await server.json('/apis/batch/v1/namespaces/default/cronjobs/report')) as Named;
    const job = (await server.json(`/apis/batch/v1/namespaces/default/jobs/${JOBS[0]}`)) as Named;
    expect(job).toMatchObject({
      metadata: {
        labels: { app: 'report', 'muster.run/backfill-of': 'report' },
        annotations: { 'batch.kubernetes.io/cronjob-scheduled-timestamp': '2023-11-01T03:00:00+01:00' },
        ownerReferences: [{ apiVersion: 'batch/v1', kind: 'CronJob', name: 'report', uid: cron.metadata.uid }],
      },
    });
    expect(job.metadata.ownerReferences).toEqual([
      { apiVersion: 'batch/v1', kind: 'CronJob', name: 'report', uid: cron.metadata.uid },
    ]);
    expect(job.spec).not.toHaveProperty('ttlSecondsAfterFinished');
  });

  test('several at a time; one that fails stops nothing, and the exit code says it', async () => {
    const { server, seen } = await withReport({ failing: [JOBS[1] ?? ''], atOnce: 3 });
    expect(await server.run(`cron backfill report ${RANGE} --parallel 3`)).toEqual({
      code: 1,
      out: 'cronjob.batch/report: 5 slots: 4 complete, 1 failed\n',
      err: `job.batch/${JOBS[1]} failed: DeadlineExceeded: too late\nTo run a failed slot again, delete its Job and repeat the command.\n`,
    });
    expect(seen.most).toBe(3);
    const again = await server.run(`cron backfill report ${RANGE} --parallel 3`);
    expect(again).toMatchObject({
      code: 1,
      out: 'cronjob.batch/report: 5 slots: 4 complete (4 before), 1 failed (1 before)\n',
    });
  });

  test('Ctrl-C leaves what runs, and the same command goes on', async () => {
    const { server, running, endOne } = await withReport({ ends: 2 });
    const typed = server.shell();
    const ended = runCommandLine(`cron backfill cronjob/report ${RANGE} --parallel 2`.split(' '), typed.shell);
    await expect.poll(async () => (await server.run('get -o name')).out.split('\n').length - 1).toBe(4);
    await expect.poll(running).toHaveLength(2);
    expect(typed.interrupt()).toBe(true);
    expect(await ended).toBe(130);
    expect({ out: typed.out(), err: typed.err() }).toEqual({
      out: 'cronjob.batch/report: 5 slots: 2 complete, 2 running, 1 not created\n',
      err: `2 Jobs continue. To go on: \`muster cron backfill report ${RANGE} --parallel 2\`\n`,
    });
    const created = server.requests.filter((each) => each.startsWith('POST ') && each.includes('/jobs'));
    expect(created).toHaveLength(4);
    const again = server.run(`cron backfill report ${RANGE} --parallel 2`);
    const ending = setInterval(() => void endOne(), 20);
    const { code, out, err } = await again;
    expect({ code, err }).toEqual({ code: 0, err: '' });
    // Those that were running may end before the command looks.
    expect(out).toMatch(/^cronjob.batch\/report: 5 slots: 5 complete \([2-4] before\)\n$/);
    clearInterval(ending);
    expect(server.requests.filter((each) => each.startsWith('POST ') && each.includes('/jobs'))).toHaveLength(5);
  });

  test("a Job that has the slot's name and is none of its is left alone", async () => {
    const { server } = await withReport();
    server.file('job.json', manifest(JOBS[2] ?? ''));
    await server.run('run -f job.json');
    await endJob(server.world, JOBS[2] ?? '', START);
    expect(await server.run(`cron backfill report ${RANGE}`)).toEqual({
      code: 1,
      out: 'cronjob.batch/report: 5 slots: 4 complete, 1 taken by another Job\n',
      err: `job.batch/${JOBS[2]} is there, and not of cronjob.batch/report\n`,
    });
  });

  test('an error that passes is tried again', async () => {
    let lost = 0;
    const { server } = await withReport({
      intercept: (request, response) => {
        if (request.method !== 'POST' || !(request.url ?? '').includes('/jobs') || lost > 0) return false;
        lost++;
        response.statusCode = 503;
        response.end();
        return true;
      },
    });
    expect(await server.run(`cron backfill report ${RANGE}`)).toMatchObject({
      code: 0,
      out: 'cronjob.batch/report: 5 slots: 5 complete\n',
    });
    expect(lost).toBe(1);
  });

  test('a dry run creates nothing', async () => {
    const { server } = await withReport();
    await server.run('cron backfill report --from 2023-11-01 --to 2023-11-02');
    const { code, out } = await server.run('cron backfill report --from 2023-11-01 --to 2023-11-03 --dry-run');
    expect({ code, out }).toEqual({
      code: 0,
      out: [
        'EUROPE/BERLIN               JOB               STATE',
        `2023-11-01T03:00:00+01:00   ${JOBS[0]}   complete`,
        `2023-11-02T03:00:00+01:00   ${JOBS[1]}   would be created`,
        '2 slots: 1 complete (1 before), 1 would be created',
        '',
      ].join('\n'),
    });
    expect((await server.run('get -o name')).out).toBe(`job.batch/${JOBS[0]}\n`);
    const json = await server.run('cron backfill report --from 2023-11-01 --to 2023-11-03 --dry-run -o json');
    expect(JSON.parse(json.out)).toMatchObject({
      from: '2023-10-31T23:00:00Z',
      counts: { complete: 1, missing: 1 },
      slots: [
        { job: JOBS[0], state: 'complete', utc: '2023-11-01T02:00:00Z', before: true },
        { job: JOBS[1], state: 'missing' },
      ],
    });
  });

  test.each([
    ['backfill report', 2, 'give --from and --to'],
    ['backfill report --from 2023-11-31 --to 2023-11-02', 2, 'It must be a day such as 2026-01-01'],
    ['backfill report --from 2023-11-03 --to 2023-11-02', 2, 'must be later than --from (2023-11-02T23:00:00Z)'],
    ['backfill report --from 2023-11-03 --to 2023-11-16', 2, 'is still to come'],
    ['backfill report --from 1983-11-03 --to 2023-11-02', 2, 'there are more than 10000 slots'],
    [`backfill report ${RANGE} --parallel 0`, 2, 'It must be a whole number from 1 to 100.'],
    [`backfill often ${RANGE}`, 1, 'counts from its last run'],
    [`backfill nothing ${RANGE}`, 1, 'cronjobs.batch "nothing" not found'],
  ])('refused: cron %s', async (line, code, why) => {
    const { server } = await withReport();
    await createCron(server, cronJob('often', '@every 90m'));
    const said = await server.run(`cron ${line}`);
    expect([said.code, said.err]).toEqual([code, expect.stringContaining(why)]);
    expect((await server.run('get -o name')).out).toBe('');
  });
});

type Named = {
  readonly metadata: { readonly uid: string; readonly ownerReferences?: readonly unknown[] };
  readonly spec: object;
};

describe('what has become of a slot', () => {
  const slot = asEpochMs(Date.parse('2023-11-01T02:00:00Z'));
  const job = (scheduled: string, conditions: readonly object[] = []) =>
    JobSchema.parse({
      metadata: {
        name: 'x',
        namespace: 'default',
        uid: 'u',
        creationTimestamp: '2023-11-14T00:00:00Z',
        annotations: { 'batch.kubernetes.io/cronjob-scheduled-timestamp': scheduled },
      },
      spec: { template: { spec: { containers: [] } } },
      status: { conditions },
    });
  const told = { status: 'True', reason: 'R', message: 'm' };

  test.each([
    ['no Job', null, 'missing', ''],
    ['in another zone', job('2023-11-01T03:00:00+01:00'), 'running', ''],
    ['another moment', job('2023-11-01T03:00:00Z'), 'foreign', ''],
    ['no annotation', job(''), 'foreign', ''],
    ['over', job('2023-11-01T02:00:00Z', [{ type: 'Complete', ...told }]), 'complete', ''],
    ['in vain', job('2023-11-01T02:00:00Z', [{ type: 'Failed', ...told }]), 'failed', 'R: m'],
  ] as const)('%s', (_what, found, state, message) => {
    expect(standingOfSlot('report', slot, found)).toMatchObject({ state, message });
  });

  test('those that run come first, and what is over is left out', () => {
    const each = (state: 'missing' | 'running' | 'complete', n: number) => ({
      ...standingOfSlot('report', asEpochMs(n), null),
      state,
    });
    const order = openSlots([each('missing', 1), each('complete', 2), each('running', 3), each('missing', 4)]);
    expect(order.map(({ slot: at }) => at)).toEqual([3, 1, 4]);
    expect(sumText([each('missing', 1)])).toBe('1 slot: 1 not created');
  });
});

test.each([
  ['2024-03-30', '2024-04-01', ['2024-03-30T01:30:00Z']],
  ['2024-10-27', '2024-10-28', ['2024-10-27T00:30:00Z', '2024-10-27T01:30:00Z']],
  ['2024-10-27T00:30:00Z', '2024-10-27T01:30:00Z', ['2024-10-27T00:30:00Z']],
])('the slots of 2:30 in Berlin from %s to %s, across a change of the clock', (from, to, expected) => {
  const cron = { name: 'a', namespace: 'b', schedule: '30 2 * * *', timeZone: 'Europe/Berlin' };
  const timed = { ...cron, isSuspended: false, jitterSec: 0, stored: null };
  const ends = { from: rangeEnd(from), to: rangeEnd(to) };
  expect(slotsOfRange(timed, ends, Date.parse('2025-01-01T00:00:00Z')).slots.map(asTime)).toEqual(expected);
});
