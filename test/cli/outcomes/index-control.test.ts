import { expect, test } from 'vitest';
import { manifest } from '../../kube/a-world.ts';
import { type AServer, aServer } from '../a-server.ts';

async function aJob(): Promise<AServer> {
  const server = await aServer();
  server.file('sums.json', manifest('sums'));
  await server.run('run -f sums.json');
  await server.world.commit('sums', [{ op: 'claim', index: 0 }]);
  return server;
}

test('each says in words what becomes of the indexes', async () => {
  const { run } = await aJob();
  expect(await run('hold sums --indexes 0,1')).toEqual({
    code: 0,
    out: 'job.batch/sums: 1 held: 1\njob.batch/sums: 1 running, held when back: 0\n',
    err: '',
  });
  expect((await run('release sums --all')).out).toBe(
    'job.batch/sums: 2 released: 0,1\njob.batch/sums: 2 not held: 2,3\n',
  );
  expect((await run('requeue sums -i 0 --dry-run')).out).toBe(
    'job.batch/sums: 1 being stopped, then back in line: 0 (dry run)\n',
  );
  expect((await run('requeue sums -i 0')).out).toBe('job.batch/sums: 1 being stopped, then back in line: 0\n');
  expect((await run('cancel sums -i 0,3')).out).toBe(
    'job.batch/sums: 1 cancelled: 3\njob.batch/sums: 1 being stopped, then cancelled: 0\n',
  );
  expect((await run('cancel sums -i 3')).out).toBe('job.batch/sums: 1 cancelled already: 3\n');
});

test('and as an object', async () => {
  const { run } = await aJob();
  const { out } = await run('hold sums --indexes 1 -o json');
  expect(JSON.parse(out)).toMatchObject({
    kind: 'IndexChange',
    action: 'hold',
    effects: { done: { count: 1, indexes: '1' }, later: { count: 0, indexes: '' } },
  });
});

test.each([
  ['hold sums', 2, 'error: say which indexes: --indexes, --item, or --all'],
  ['hold sums --all -i 1', 2, 'error: --indexes and --all cannot be combined'],
  ['hold sums -i 7', 1, 'index 7 does not exist: 0 to 3 do'],
  ['hold none -i 1', 1, 'jobs.batch "none" not found'],
])('%s is refused', async (line, code, words) => {
  const { run } = await aJob();
  const refused = await run(line);
  expect([refused.code, refused.err]).toEqual([code, expect.stringContaining(words)]);
});
