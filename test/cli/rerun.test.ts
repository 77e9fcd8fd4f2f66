import { describe, expect, test } from 'vitest';
import { START, manifest } from '../kube/a-world.ts';
import { type AServer, aServer } from './a-server.ts';

const VERDICT = { kind: 'failed', reason: 'BackoffLimitExceeded', message: 'too often', decidedBy: null } as const;

/** A server on which `sums` has failed: of its four indexes, 0 and 2 have succeeded, and 1 has failed with exit code 3. */
async function afterFailure(): Promise<AServer> {
  const server = await aServer();
  server.file('sums.json', manifest('sums'));
  await server.run('run -f sums.json');
  const ended = (index: number, op: 'succeeded' | 'failedForGood') => [
    { op: 'claim', index } as const,
    { op: 'running', index } as const,
    { op, index } as const,
  ];
  const ending = { cause: 'Error', exitCode: 3, container: 'main', reason: '' } as const;
  await server.world.record('sums', 1, 1, ending, { as: 'failedForGood', why: { kind: 'exited', exitCode: 3 } });
  const steps = [...ended(0, 'succeeded'), ...ended(1, 'failedForGood'), ...ended(2, 'succeeded')];
  await server.world.commit('sums', steps, { phase: { kind: 'finished', verdict: VERDICT, since: START, at: START } });
  return server;
}

test('runs what has not succeeded, under the next free name', async () => {
  const { run, world } = await afterFailure();
  expect(await run('rerun sums')).toEqual({
    code: 0,
    out: 'job.batch/sums-rerun created\n',
    err: '2 of 4 indexes of job.batch/sums to run again, 2 inherited\n',
  });
  expect((await run('rerun sums --failed -o name')).out).toBe('job.batch/sums-rerun-2\n');
  const job = JSON.parse((await run('get sums-rerun -o json')).out) as { metadata: object; status: object };
  expect(job).toMatchObject({
    metadata: { annotations: { 'muster.run/rerun-of': 'sums' } },
    status: { succeeded: 2, completedIndexes: '0,2' },
  });
  expect((await world.jobs.readSpec(await world.uidOf('sums-rerun')))?.inherited).toBe('0,2');
});

describe('a dry run creates nothing', () => {
  test.each([
    [
      '',
      '2 of 4 indexes of job.batch/sums would run again, 2 inherited\n1,3\njob.batch/sums-rerun created (dry run)\n',
    ],
    [
      ' --indexes 2 --name other',
      '1 of 4 indexes of job.batch/sums would run again, 1 inherited, 2 left out\n2\njob.batch/other created (dry run)\n',
    ],
    [
      ' --verdict 3',
      '1 of 4 indexes of job.batch/sums would run again, 2 inherited, 1 left out\n1\njob.batch/sums-rerun created (dry run)\n',
    ],
    [' -o name', 'job.batch/sums-rerun\n'],
  ])('rerun sums --dry-run%s', async (more, out) => {
    const { run } = await afterFailure();
    expect(await run(`rerun sums --dry-run${more}`)).toEqual({ code: 0, out, err: '' });
    expect((await run('get')).out.trimEnd().split('\n')).toHaveLength(2);
  });

  test('with -o json it prints the manifest, which muster run takes', async () => {
    const { run } = await afterFailure();
    const { out } = await run('rerun sums --dry-run -o json --image busybox:2 --env A=b=c -P 9');
    expect(JSON.parse(out)).toMatchObject({
      metadata: { name: 'sums-rerun', annotations: { 'muster.run/rerun-of': 'sums' } },
      spec: {
        parallelism: 9,
        template: { spec: { containers: [{ image: 'busybox:2', env: [{ name: 'A', value: 'b=c' }] }] } },
      },
    });
    expect((await run('run -f -', { stdin: out })).out).toBe('job.batch/sums-rerun created\n');
  });
});

test('what is left out is neither in the table nor in the view', async () => {
  const { run } = await afterFailure();
  await run('rerun sums --indexes 1');
  const [, row = ''] = (await run('get sums-rerun')).out.split('\n');
  expect(row.split(/\s+/).slice(0, 3)).toEqual(['sums-rerun', 'Running', '2/3']);
});

describe('refused', () => {
  test.each([
    ['rerun sums --failed --indexes 1', 2, '--failed and --indexes cannot be combined'],
    ['rerun sums --indexes 9', 2, 'index 9 does not exist'],
    ['rerun sums --verdict no-such', 1, 'has a verdict with "no-such"'],
    ['rerun sums --timeout 5s', 2, '--timeout needs --wait'],
    ['rerun sums --dry-run --wait', 2, '--dry-run creates nothing'],
    ['rerun sums --env A', 2, 'A is not set in this shell; specify a value: A=VALUE.'],
    ['rerun sums --image other=b', 2, 'there is no container "other"'],
    ['rerun nothing', 1, 'jobs.batch "nothing" not found'],
    ['rerun young', 1, 'job.batch/young is not over'],
    ['rerun queue', 1, 'job.batch/queue is NonIndexed'],
    ['rerun sums --name young', 1, 'already exists'],
  ])('%s', async (line, code, why) => {
    const server = await afterFailure();
    server.file('young.json', manifest('young'));
    server.file('queue.json', manifest('queue', { completionMode: 'NonIndexed' }));
    await server.run('run -f young.json');
    await server.run('run -f queue.json');
    const said = await server.run(line);
    expect([said.code, said.err]).toEqual([code, expect.stringContaining(why)]);
  });
});

test('results of a rerun: only what ran in it is waited for', async () => {
  const server = await afterFailure();
  const { run, world } = server;
  await run('rerun sums --indexes 1,3');
  expect((await run('logs sums-rerun --results out')).out).toBe(
    'out: 0 fetched, 0 unchanged\n2 indexes have no attempt that has ended\n',
  );
  await world.commit('sums-rerun', [{ op: 'claim', index: 1 }], { startTime: START });
  await world.record('sums-rerun', 1, 1, { cause: 'Completed', exitCode: 0, container: 'main', reason: '' });
  await world.commit('sums-rerun', [{ op: 'succeeded', index: 1 }]);
  const terminal = { columns: 80, rows: 24 };
  const { out, err } = await run('logs sums-rerun --results out', { errTerminal: terminal });
  expect(out).toBe('out: 1 fetched, 0 unchanged\n1 index has no attempt that has ended\n');
  expect(err).toContain(' 1/2 results');
  // Of these, 0 is inherited.
  expect((await run('logs sums-rerun --results out --index 0-1')).out).toBe('out: 0 fetched, 1 unchanged\n');
});
