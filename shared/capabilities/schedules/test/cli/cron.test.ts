import { describe, expect, test } from 'vitest';
import { type AServer, aServer } from '../../../../../test/cli/a-server.ts';
import { createCron, cronJob } from './cron-job.ts';

/** A server with two CronJobs; it is 14 November 2023, 22:14:25 UTC. */
async function withCrons(): Promise<AServer> {
  const server = await aServer();
  await createCron(server, cronJob('report', '30 2 * * *'));
  await createCron(server, cronJob('hourly', '@hourly'));
  return server;
}

describe('muster cron next', () => {
  test('the slots by the clock of the zone, and in UTC, across a change of the clock', async () => {
    const server = await aServer();
    await createCron(server, cronJob('report', '30 2 * * *', { timeZone: 'Europe/Berlin' }));
    expect(await server.run('cron next cronjob.batch/report -n 3 --after 2026-03-27T12:00:00Z')).toEqual({
      code: 0,
      err: '',
      out: [
        'EUROPE/BERLIN               UTC                    IN',
        '2026-03-28T02:30:00+01:00   2026-03-28T01:30:00Z   13h',
        '2026-03-30T02:30:00+02:00   2026-03-30T00:30:00Z   2d12h',
        '2026-03-31T02:30:00+02:00   2026-03-31T00:30:00Z   3d12h',
        '',
      ].join('\n'),
    });
  });

  test('with jitter: when the Job is created, always the same', async () => {
    const server = await aServer();
    const annotations = { 'muster.run/jitter-seconds': '3600' };
    await createCron(server, cronJob('report', '@daily', {}, { annotations }));
    const { out } = await server.run('cron next report -n 9 -o json');
    const { slots, ...others } = JSON.parse(out) as { slots: { utc: string; created: string }[] };
    expect(others).toEqual({
      kind: 'CronJob',
      name: 'report',
      namespace: 'default',
      schedule: '@daily',
      timeZone: 'UTC',
      suspend: false,
      jitterSeconds: 3600,
    });
    const later = slots.map(({ utc, created }) => (Date.parse(created) - Date.parse(utc)) / 1000);
    expect(new Set(later).size).toBeGreaterThan(1);
    expect(Math.min(...later)).toBeGreaterThanOrEqual(0);
    expect(Math.max(...later)).toBeLessThan(3600);
    expect((await server.run('cron next report -n 9 -o json')).out).toBe(out);
  });

  test('of a file without a server, also of one that a server printed', async () => {
    const server = await aServer();
    const annotations = { 'muster.run/jitter-seconds': '90' };
    server.file('cron.json', cronJob('report', '0 0 1 * *', {}, { annotations, resourceVersion: '7' }));
    const { code, out } = await server.run('cron next -f cron.json -n 1');
    expect({ code, out }).toEqual({
      code: 0,
      out: 'UTC                    UTC                    IN    CREATED\n2023-12-01T00:00:00Z   2023-12-01T00:00:00Z   16d   up to 90s later\n',
    });
    expect(server.requests).toEqual([]);
  });

  test.each([
    ['cron next', 2, 'give the name of a CronJob'],
    ['cron next report -f cron.json', 2, 'give the name of a CronJob'],
    ['cron next -f cron.json --namespace a', 2, '-f and --namespace cannot be combined'],
    ['cron next -f bad.json', 2, 'bad.json is refused: spec.schedule: Invalid value: "61 * * * *"'],
    ['cron next report -n team', 2, 'a namespace is --namespace here'],
    ['cron next report -n 0', 2, 'It must be a whole number from 1 to 1000.'],
    ['cron next job/report', 2, '"job/report" is not the name of a CronJob'],
    ['cron next nothing', 1, 'cronjobs.batch "nothing" not found'],
    ['cron next -f never.json', 1, 'never fires: no day matches "0 0 31 2 *"'],
  ])('refused: %s', async (line, code, why) => {
    const server = await aServer();
    server.file('cron.json', cronJob('report', '@daily'));
    server.file('bad.json', cronJob('report', '61 * * * *'));
    server.file('never.json', cronJob('report', '0 0 31 2 *'));
    const said = await server.run(line);
    expect([said.code, said.out, said.err]).toEqual([code, '', expect.stringContaining(why)]);
  });
});

describe('muster cron list', () => {
  test('last and next slots, suspended ones, and forms for scripts', async () => {
    const server = await withCrons();
    await server.run('cron pause hourly');
    expect((await server.run('cron list')).out).toBe(
      [
        'NAME     SCHEDULE     TIMEZONE   SUSPEND   ACTIVE   LAST     NEXT       AGE',
        'hourly   @hourly      <none>     True      0        <none>   <none>     65s',
        'report   30 2 * * *   <none>     False     0        <none>   in 4h15m   65s',
        '',
      ].join('\n'),
    );
    expect((await server.run('cron list -A')).out).toMatch(/^NAMESPACE +NAME .*\ndefault +hourly /);
    expect((await server.run('cron list -o name')).out).toBe('cronjob.batch/hourly\ncronjob.batch/report\n');
    expect(JSON.parse((await server.run('cron list -o json')).out)).toMatchObject({ kind: 'List', items: [{}, {}] });
    expect(await server.run('cron list -l app=none')).toEqual({
      code: 0,
      out: '',
      err: 'No resources found in default namespace.\n',
    });
    expect((await server.run('cron list -A -n team')).code).toBe(2);
  });
});

describe('muster cron pause and resume', () => {
  test('what is so already is said, and what is missing stops nothing', async () => {
    const server = await withCrons();
    expect(await server.run('cron pause nope report cj/hourly report')).toEqual({
      code: 1,
      out: 'cronjob.batch/report paused\ncronjob.batch/hourly paused\n',
      err: 'Error from server (NotFound): cronjobs.batch "nope" not found\n',
    });
    expect((await server.run('cron pause report')).out).toBe('cronjob.batch/report was paused already\n');
    const next = await server.run('cron next report');
    expect([next.code, next.err]).toEqual([
      0,
      'cronjob.batch/report is suspended: no Job is created until `muster cron resume`\n',
    ]);
    expect((await server.run('cron resume report')).out).toBe('cronjob.batch/report resumed\n');
    expect((await server.run('cron resume report')).out).toBe('cronjob.batch/report was resumed already\n');
  });
});

describe('muster cron run-now', () => {
  test('creates what kubectl create job --from creates, even of a CronJob that is paused', async () => {
    const server = await withCrons();
    await server.run('cron pause report');
    expect(await server.run('cron run-now report --name again')).toEqual({
      code: 0,
      out: 'job.batch/again created\n',
      err: '',
    });
    const cron = (await server.json('/apis/batch/v1/namespaces/default/cronjobs/report')) as {
      metadata: { uid: string };
    };
    expect(await server.json('/apis/batch/v1/namespaces/default/jobs/again')).toMatchObject({
      metadata: {
        labels: { app: 'report' },
        annotations: { 'cronjob.kubernetes.io/instantiate': 'manual', 'muster.run/disruptions': 'count' },
        ownerReferences: [
          { apiVersion: 'batch/v1', kind: 'CronJob', name: 'report', uid: cron.metadata.uid, controller: true },
        ],
      },
      spec: { template: { spec: { containers: [{ image: 'busybox' }] } } },
    });
  });

  test('under a name of its own, also after a long name', async () => {
    const server = await aServer();
    const name = 'n'.repeat(52);
    await createCron(server, cronJob(name, '@daily'));
    expect((await server.run(`cron run-now ${name} -o name`)).out).toMatch(/^job\.batch\/n{50}-manual-[a-z0-9]{5}\n$/);
  });

  test.each([
    ['cron run-now nothing', 1, 'cronjobs.batch "nothing" not found'],
    ['cron run-now report --timeout 5s', 2, '--timeout needs --wait'],
    ['cron run-now report --name hey/you', 1, 'metadata.name: Invalid value: "hey/you"'],
  ])('refused: %s', async (line, code, why) => {
    const said = await (await withCrons()).run(line);
    expect([said.code, said.err]).toEqual([code, expect.stringContaining(why)]);
  });
});
