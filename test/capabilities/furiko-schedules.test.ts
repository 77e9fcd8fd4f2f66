import { describe, expect, test } from 'vitest';
import { configDocument } from '../../shared/capabilities/furiko/test/furiko-document.ts';
import { type AServer, aServer } from '../cli/a-server.ts';
import { createCron, cronJob } from '../../shared/capabilities/schedules/test/cli/cron-job.ts';

const config = (name: string, schedule: object, metadata: object = {}) =>
  configDocument({ schedule }, {}, { name, ...metadata });

const WEEKLY = { cron: { expression: '0 3 * * fri-sun', timezone: 'Europe/Berlin' } };

async function createConfig({ url }: AServer, document: object): Promise<void> {
  const path = `${url}/apis/execution.furiko.io/v1alpha1/namespaces/default/jobconfigs`;
  const headers = { 'content-type': 'application/json' };
  const { status } = await fetch(path, { method: 'POST', headers, body: JSON.stringify(document) });
  expect(status).toBe(201);
}

async function nextSlots(server: AServer, line: string): Promise<readonly string[]> {
  const { out, err } = await server.run(`cron next ${line} -o json`);
  expect(err).toBe('');
  return (JSON.parse(out) as { slots: { utc: string }[] }).slots.map(({ utc }) => utc);
}

describe('muster cron next of a JobConfig', () => {
  test('of a file, by the clock of its zone, across a change of the clock', async () => {
    const server = await aServer();
    server.file('weekly.json', config('weekly', WEEKLY, { resourceVersion: '7' }));
    expect(await server.run('cron next -f weekly.json -n 3 --after 2026-03-27T12:00:00Z')).toEqual({
      code: 0,
      err: '',
      out: [
        'EUROPE/BERLIN               UTC                    IN',
        '2026-03-28T03:00:00+01:00   2026-03-28T02:00:00Z   14h',
        '2026-03-29T03:00:00+02:00   2026-03-29T01:00:00Z   37h',
        '2026-04-03T03:00:00+02:00   2026-04-03T01:00:00Z   6d13h',
        '',
      ].join('\n'),
    });
    expect(server.requests).toEqual([]);
  });

  test('by a clock that is an offset, of several expressions', async () => {
    const server = await aServer();
    server.file('c.json', config('c', { cron: { expressions: ['0 9 * * *', '30 21 * * *'], timezone: 'UTC+5:30' } }));
    const { out } = await server.run('cron next -f c.json -n 2 -o json --after 2026-01-01T00:00:00Z');
    expect(JSON.parse(out)).toEqual({
      kind: 'JobConfig',
      name: 'c',
      namespace: 'default',
      schedule: '0 9 * * *; 30 21 * * *',
      timeZone: 'UTC+5:30',
      suspend: false,
      jitterSeconds: 0,
      slots: [
        { scheduled: '2026-01-01T09:00:00+05:30', utc: '2026-01-01T03:30:00Z', created: '2026-01-01T03:30:00Z' },
        { scheduled: '2026-01-01T21:30:00+05:30', utc: '2026-01-01T16:00:00Z', created: '2026-01-01T16:00:00Z' },
      ],
    });
  });

  test('within its constraints, their ends included, and not before its last change', async () => {
    const server = await aServer();
    const constraints = { notBefore: '2024-01-02T00:00:00Z', notAfter: '2024-01-04T00:00:00Z' };
    server.file('c.json', config('c', { cron: { expression: '0 0 * * *' }, constraints }));
    const days = ['2024-01-02T00:00:00Z', '2024-01-03T00:00:00Z', '2024-01-04T00:00:00Z'];
    expect(await nextSlots(server, '-f c.json')).toEqual(days);
    const lastUpdated = '2024-01-02T12:00:00Z';
    server.file('d.json', config('d', { cron: { expression: '0 0 * * *' }, constraints, lastUpdated }));
    expect(await nextSlots(server, '-f d.json')).toEqual(days.slice(1));
  });

  test('an H is that of its namespace and name, in a file as on the server', async () => {
    const server = await aServer();
    const hashed = config('hashed', { cron: { expression: 'H H * * *' } });
    server.file('hashed.json', hashed);
    await createConfig(server, hashed);
    const slots = await nextSlots(server, 'hashed -n 2');
    expect(await nextSlots(server, '-f hashed.json -n 2')).toEqual(slots);
    server.file('other.json', { ...hashed, metadata: { name: 'hashed', namespace: 'team' } });
    expect(await nextSlots(server, '-f other.json -n 2')).not.toEqual(slots);
  });

  test('a stored one by its name, alone or with its kind; a CronJob of the same name comes first', async () => {
    const server = await aServer();
    await createConfig(server, config('weekly', WEEKLY));
    const friday = ['2023-11-17T02:00:00Z'];
    expect(await nextSlots(server, 'weekly -n 1')).toEqual(friday);
    await createCron(server, cronJob('weekly', '@daily'));
    expect(await nextSlots(server, 'weekly -n 1')).toEqual(['2023-11-15T00:00:00Z']);
    expect(await nextSlots(server, 'jobconfig/weekly -n 1')).toEqual(friday);
    expect(await nextSlots(server, 'cj/weekly -n 1')).toEqual(['2023-11-15T00:00:00Z']);
  });

  test('a disabled one: which slots it would have, and that none makes a Job', async () => {
    const server = await aServer();
    await createConfig(server, config('weekly', WEEKLY));
    await server.run('disable weekly');
    const { code, out, err } = await server.run('cron next weekly -n 1');
    expect([code, err]).toEqual([
      0,
      'jobconfig.execution.furiko.io/weekly is disabled: no Job is created until `muster enable`\n',
    ]);
    expect(out).toContain('2023-11-17T03:00:00+01:00');
  });

  test.each([
    ['-f past.json', 1, 'jobconfig.execution.furiko.io/past never fires: no day matches "0 3 * * *" until'],
    ['-f none.json', 1, 'jobconfig.execution.furiko.io/none has no schedule'],
    ['-f unnamed.json', 1, 'the slots of an H depend on the name: give unnamed.json a metadata.name'],
    ['-f bad.json', 2, 'bad.json is refused: spec.schedule.cron.expression: Invalid value: "61 * * * *"'],
    ['-f job.json', 2, 'job.json has the kind "Job": muster cron next takes a CronJob or a JobConfig'],
    ['-f kindless.json', 2, 'kindless.json has no kind: muster cron next takes a CronJob or a JobConfig'],
    ['jobconfig/nothing', 1, 'jobconfigs.execution.furiko.io "nothing" not found'],
  ])('refused: %s', async (line, code, why) => {
    const server = await aServer();
    const constraints = { notAfter: '2023-01-01T00:00:00Z' };
    server.file('past.json', config('past', { cron: { expression: '0 3 * * *' }, constraints }));
    server.file('none.json', configDocument({}, {}, { name: 'none' }));
    const hashed = config('', { cron: { expression: '0 H/6 * * THU' } });
    server.file('unnamed.json', { ...hashed, metadata: { generateName: 'hashed-' } });
    server.file('bad.json', config('bad', { cron: { expression: '61 * * * *' } }));
    server.file('job.json', { apiVersion: 'batch/v1', kind: 'Job', metadata: { name: 'job' } });
    server.file('kindless.json', { metadata: { name: 'x' } });
    const said = await server.run(`cron next ${line}`);
    expect([said.code, said.out, said.err]).toEqual([code, '', expect.stringContaining(why)]);
  });

  test('a THU is no H', async () => {
    const server = await aServer();
    const document = config('', { cron: { expression: '0 3 * * THU' } });
    server.file('thursdays.json', { ...document, metadata: { generateName: 'thursdays-' } });
    expect(await nextSlots(server, '-f thursdays.json -n 1')).toEqual(['2023-11-16T03:00:00Z']);
  });
});

describe('muster cron list', () => {
  test('shows JobConfigs that have a schedule, too', async () => {
    const server = await aServer();
    await createCron(server, cronJob('report', '30 2 * * *'));
    await createConfig(server, config('weekly', WEEKLY));
    await createConfig(server, config('off', { ...WEEKLY, disabled: true }));
    await createConfig(server, configDocument({}, {}, { name: 'adhoc' }));
    expect((await server.run('cron list')).out).toBe(
      [
        'NAME               SCHEDULE          TIMEZONE        SUSPEND   ACTIVE   LAST     NEXT       AGE',
        'report             30 2 * * *        <none>          False     0        <none>   in 4h15m   65s',
        'jobconfig/off      0 3 * * fri-sun   Europe/Berlin   True      0        <none>   <none>     65s',
        'jobconfig/weekly   0 3 * * fri-sun   Europe/Berlin   False     0        <none>   in 2d3h    65s',
        '',
      ].join('\n'),
    );
    expect((await server.run('cron list -o name')).out).toBe(
      'cronjob.batch/report\njobconfig.execution.furiko.io/off\njobconfig.execution.furiko.io/weekly\n',
    );
    const { items } = JSON.parse((await server.run('cron list -o json')).out) as { items: { kind: string }[] };
    expect(items.map(({ kind }) => kind)).toEqual(['CronJob', 'JobConfig', 'JobConfig']);
  });

  test('shows CronJobs to those who may not see JobConfigs', async () => {
    const forbidden = {
      kind: 'Status',
      apiVersion: 'v1',
      status: 'Failure',
      reason: 'Forbidden',
      code: 403,
      message: 'no',
    };
    const server = await aServer({
      intercept: ({ url = '' }, response) => {
        if (!url.includes('/jobconfigs')) return false;
        response.writeHead(403, { 'content-type': 'application/json' }).end(JSON.stringify(forbidden));
        return true;
      },
    });
    await createCron(server, cronJob('report', '30 2 * * *'));
    const { code, out, err } = await server.run('cron list -o name');
    expect([code, out]).toEqual([0, 'cronjob.batch/report\n']);
    expect(err).toMatch(/^Warning: JobConfigs are not shown: .*no\n$/);
    expect((await server.run('cron next nothing')).err).toContain('cronjobs.batch "nothing" not found');
  });
});

describe('a JobConfig where a CronJob is meant', () => {
  const range = '--from 2023-01-01 --to 2023-01-02';
  test.each([
    ['cron run-now weekly', 1, 'muster run weekly makes a Job of it'],
    ['cron run-now jobconfig/weekly', 2, 'muster run weekly makes a Job of it'],
    ['cron pause weekly', 1, 'muster disable weekly stops its schedule'],
    ['cron resume jobconfigs/weekly', 2, 'muster enable weekly starts its schedule again'],
    [`cron backfill weekly ${range}`, 1, 'its past slots are not run again'],
    [`cron backfill jobconfig/weekly ${range}`, 2, 'its past slots are not run again'],
  ])('%s says what is for it', async (line, code, why) => {
    const server = await aServer();
    await createConfig(server, config('weekly', WEEKLY));
    server.file('weekly.json', config('weekly', WEEKLY));
    const said = await server.run(line);
    expect([said.code, said.out, said.err]).toEqual([code, '', expect.stringContaining(why)]);
  });
});
