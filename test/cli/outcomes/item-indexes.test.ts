import { describe, expect, test } from 'vitest';
import { manifest } from '../../kube/a-world.ts';
import { type AServer, aServer } from '../a-server.ts';

// Indexes by the items that they work on: of every kind of list, before any of them has a Pod.

const SPEC = { completions: 4, parallelism: 1 };

async function aJob(annotations: Readonly<Record<string, string>>, spec: object = {}): Promise<AServer> {
  const server = await aServer();
  const job = manifest('sums', { ...SPEC, ...spec });
  server.file('sums.json', { ...job, metadata: { ...job.metadata, annotations } });
  expect(await server.run('run -f sums.json')).toMatchObject({ code: 0 });
  return server;
}

const LIST = { 'muster.run/items': 'A\n31\n32\n31\n34\n' };
const MATRIX = {
  'muster.run/matrix': '{"values": [{"name": "node", "values": ["20", "22"]}, {"name": "db", "values": ["pg", "my"]}]}',
};

describe('--item', () => {
  test.each<[string, Readonly<Record<string, string>>, object, string, string]>([
    ['an inline list, in which an item is there twice', LIST, {}, '31', '2 cancelled: 0,2 (31, 31)'],
    ['a matrix, with a blank for the tab', MATRIX, {}, '22:pg', '1 cancelled: 2 (22 pg)'],
    ['one of a batch', { ...LIST, 'muster.run/batch': '2' }, { completions: 2 }, '34', '1 cancelled: 1 (31 +1)'],
  ])('%s', async (_, annotations, spec, item, words) => {
    const { run } = await aJob(annotations, spec);
    const [first = '', second] = item.split(':');
    const text = second === undefined ? first : `${first}\t${second}`;
    expect(await run(`cancel sums --item ${text}`)).toEqual({ code: 0, out: `job.batch/sums: ${words}\n`, err: '' });
  });

  test('what is on no list is refused, and so is a Job without one', async () => {
    const { run } = await aJob(LIST);
    expect(await run('hold sums --item 35')).toEqual({
      code: 1,
      out: '',
      err: 'error: the list of Job sums has no item "35"\n',
    });
    const other = await aJob({});
    expect((await other.run('hold sums --item 1')).code).toBe(1);
  });
});

test('the answer names the first and the last item', async () => {
  const { run } = await aJob(LIST);
  expect((await run('hold sums -i 0-3')).out).toBe('job.batch/sums: 4 held: 0-3 (31 … 34)\n');
  expect((await run('release sums 1')).out).toBe('job.batch/sums: 1 released: 1 (32)\n');
});

test('indexes are written behind the Job, too', async () => {
  const { run } = await aJob(LIST);
  expect((await run('cancel sums 1,3')).out).toBe('job.batch/sums: 2 cancelled: 1,3 (32, 34)\n');
  expect(await run('cancel sums 1 -i 3')).toMatchObject({ code: 2, err: expect.stringContaining('-i 3') as string });
});

test('the path: one to 100 hashes, and a page of this Job', async () => {
  const { json } = await aJob(LIST);
  const path = '/muster/v1/namespaces/default/jobs/sums/items';
  for (const query of ['', `?${Array.from({ length: 101 }, () => 'hash=a').join('&')}`, '?hash=a&continue=x'])
    expect(await json(`${path}${query}`)).toMatchObject({ code: 400 });
  expect(await json(`${path}?hash=a&continue=00000000-0000-0000-0000-000000000000.1`)).toMatchObject({ code: 410 });
  expect(await json('/muster/v1/namespaces/default/jobs/none/items?hash=a')).toMatchObject({ code: 404 });
  expect(await json(`${path}?hash=a`)).toMatchObject({ kind: 'JobItems', items: [], metadata: { continue: '' } });
});
