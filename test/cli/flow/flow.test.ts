import { stripVTControlCharacters } from 'node:util';
import { describe, expect, test } from 'vitest';
import { isThere } from '../../support/kinds-there.ts';
import { plusMs } from '../../../shared/domain/base/time.ts';
import { START, type World, manifest } from '../../kube/a-world.ts';
import { aServer } from '../a-server.ts';
import { runCommandLine } from '../../../cli/program/program.ts';

// `muster run -f` of a file with several objects.

/** A Job that waits for others: `after` as in its annotation. */
const aJob = (name: string, after?: string, more: object = {}) =>
  manifest(
    name,
    {},
    { metadata: { name, ...(after === undefined ? {} : { annotations: { 'muster.run/after': after } }), ...more } },
  );
const file = (...objects: readonly object[]) => ({
  stdin: objects.map((each) => JSON.stringify(each)).join('\n---\n'),
});

const end = (name: string, verdict: 'complete' | 'failed') => async (world: World) =>
  world.commit(name, [], {
    startTime: START,
    phase: {
      kind: 'finished',
      verdict: {
        kind: verdict,
        reason: verdict === 'failed' ? 'BackoffLimitExceeded' : 'CompletionsReached',
        message: 'It is over',
        decidedBy: null,
      } as never,
      since: START,
      at: plusMs(START, 5_000),
    },
  });

describe('order', () => {
  test('each Job comes after those that it waits for, and after everything else', async () => {
    const { run } = await aServer();
    const list = {
      apiVersion: 'muster.run/v1',
      kind: 'WorkList',
      metadata: { name: 'items' },
      spec: { columns: ['A'], items: [['1']] },
    };
    const cron = {
      apiVersion: 'batch/v1',
      kind: 'CronJob',
      metadata: { name: 'nightly' },
      spec: { schedule: '0 3 * * *', jobTemplate: { spec: manifest('a').spec } },
    };
    const crons = isThere('CronJob') ? [cron] : [];
    const lists = isThere('WorkList') ? [list] : [];
    const service = {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'workers' },
      spec: { clusterIP: 'None', selector: { 'job-name': 'a' } },
    };
    const space = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'team' } };
    const away = manifest('far', {}, { metadata: { name: 'far', namespace: 'team' } });
    const jobs = [aJob('c', 'b:finished'), aJob('b', 'a'), aJob('a')];
    expect(await run('run -f -', file(...jobs, ...crons, away, service, ...lists, space))).toEqual({
      code: 0,
      out: [
        'namespace/team created',
        'service/workers created',
        ...lists.map(() => 'worklist.muster.run/items created'),
        ...(isThere('CronJob') ? ['cronjob.batch/nightly created'] : []),
        'job.batch/a created',
        'job.batch/b created',
        'job.batch/c created',
        'job.batch/far created',
        '',
      ].join('\n'),
      err: expect.stringMatching(/^Warning: a Service has no effect here: [^\n]*\n$/) as string,
    });
    expect(await run('run -f -', file(space))).toEqual({
      code: 1,
      out: '',
      err: 'Error from server (AlreadyExists): namespaces "team" already exists\n`kubectl apply` changes it.\n',
    });
  });

  test('a circle is refused with its names, before the server is asked for anything', async () => {
    const { run, requests } = await aServer();
    const circle = file(aJob('x'), aJob('a', 'b'), aJob('b', 'c:failed, x'), aJob('c', 'a'));
    expect(await run('run -f -', circle)).toEqual({
      code: 2,
      out: '',
      err: 'error: these Jobs would wait for one another for ever: a → b → c → a; nothing was created\n',
    });
    expect(requests).toEqual([]);
  });

  test('Jobs of two namespaces do not wait for one another, whatever their names', async () => {
    const { run } = await aServer();
    await run('run -f -', file({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'team' } }));
    const { code, out, err } = await run('run -f -', file(aJob('a', 'b'), aJob('b', 'a', { namespace: 'team' })));
    expect({ code, out }).toEqual({ code: 0, out: 'job.batch/a created\njob.batch/b created\n' });
    expect(err.split('\n')).toHaveLength(3); // each misses the other in its own
  });
});

describe('names', () => {
  test('a Job that is neither there nor in the file is warned of, once', async () => {
    const { run } = await aServer();
    await run('run -f -', file(aJob('there')));
    const flow = file(aJob('a', 'there, nowhere'), aJob('b', 'a, nowhere'));
    expect(await run('run -f -', flow)).toEqual({
      code: 0,
      out: 'job.batch/a created\njob.batch/b created\n',
      err: 'Warning: job a waits for job nowhere, which is neither there nor among those that are created\n',
    });
  });

  test('of a command line, too', async () => {
    const { run } = await aServer();
    expect(await run('run merge --image i --after map -- ls')).toMatchObject({
      code: 0,
      err: expect.stringContaining('job merge waits for job map, which is neither there') as string,
    });
  });
});

describe('a Job that is refused', () => {
  const flow = [
    aJob('a', undefined, { labels: { 'not a label': '' } }),
    aJob('b', 'a'),
    aJob('c', 'b:finished'),
    aJob('d'),
  ];

  test('takes those along that would wait for it in vain', async () => {
    const { run } = await aServer();
    const { code, out, err } = await run('run -f -', file(...flow));
    expect({ code, out }).toEqual({ code: 1, out: 'job.batch/d created\n' });
    expect(err.split('\n').slice(-3)).toEqual([
      'job.batch/b not created: it waits for job a, which was not created',
      'job.batch/c not created: it waits for job b, which was not created',
      '',
    ]);
  });

  test('but not where it exists already', async () => {
    const { run } = await aServer();
    await run('run -f -', file(aJob('a')));
    const { code, out, err } = await run('run -f -', file(aJob('a'), aJob('b', 'a')));
    expect({ code, out }).toEqual({ code: 1, out: 'job.batch/b created\n' });
    expect(err).toContain('jobs.batch "a" already exists');
  });
});

describe('--wait', () => {
  const flow = file(aJob('b', 'a:finished'), aJob('a'));

  test('waits for all of them: the exit code is that of the worst', async () => {
    const { run } = await aServer({ steps: [end('a', 'failed'), end('b', 'complete')] });
    const { code, out } = await run('run -f - --wait', flow);
    expect(code).toBe(1);
    expect(out.split('\n').slice(0, 2)).toEqual(['job.batch/a created', 'job.batch/b created']);
    expect(out).toContain('job.batch/a failed: BackoffLimitExceeded');
    expect(out).toContain('job.batch/b complete: ');
  });

  test('says of a Job that is held what it waits for, where there is no terminal', async () => {
    const { run } = await aServer({ steps: [async () => undefined, end('a', 'complete'), end('b', 'complete')] });
    expect((await run('run -f - --wait', flow)).out).toMatch(/^b held: 0\/4 succeeded, 4 waiting/m);
  });

  test('Ctrl-C: one line for all that are not over; they go on', async () => {
    const server = await aServer({ steps: [async () => undefined, end('c', 'complete')] });
    server.file('flow.json', { kind: 'List', items: [aJob('b', 'a'), aJob('a'), aJob('c')] });
    const hand = server.shell({ terminal: { columns: 80, rows: 24 } });
    const over = runCommandLine(['run', '-f', 'flow.json', '--wait'], hand.shell);
    await expect.poll(() => stripVTControlCharacters(hand.out())).toMatch(/c {2}complete/);
    await expect.poll(() => hand.interrupt()).toBe(true);
    expect(await over).toBe(130);
    expect(hand.out().split('\n').slice(-3)).toEqual([
      expect.stringContaining('job.batch/c complete: ') as string,
      'No longer waiting for 2 Jobs. They continue. Watch them with: muster watch a b',
      '',
    ]);
    expect(hand.listeners()).toBe(0);
    expect((await server.run('get -o name')).out).toBe('job.batch/a\njob.batch/b\njob.batch/c\n');
  });

  test('timed out: the same', async () => {
    const { run } = await aServer();
    const { code, out } = await run('run -f - --wait --timeout 100ms', flow);
    expect(code).toBe(124);
    expect(out).toContain('2 Jobs are not over after 0s. They continue. Watch them with: muster watch a b\n');
    expect(out).not.toContain('It continues');
  });
});
