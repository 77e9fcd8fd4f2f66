import { expect, test } from 'vitest';
import { aMixedServer, attempt, exited } from '../../cli/outcomes/a-mixed-job.ts';
import { JOBS, START, type World, aWorld, manifest } from '../a-world.ts';

const PATH = '/muster/v1/namespaces/default/jobs/sums/attempts';
type Item = { index?: number; attempt: number; vcpu?: number; exitCode: number | null; fate: string; tries: number };
type Page = { metadata: { uid: string; continue: string }; items: Item[] };
const page = async ({ json }: { json: (path: string) => Promise<unknown> }, query = ''): Promise<Page> =>
  (await json(`${PATH}?${query}`)) as Page;
const brief = ({ items }: Page): readonly string[] =>
  items.map(({ index, attempt: number, exitCode, fate, tries }) => `${index}/${number} ${exitCode} ${fate} ${tries}`);

test.each([
  ['', ['0/2 0 succeeded 2', '1/2 2 failed 2', '2/1 3 open 2', '4/1 0 succeeded 1']],
  ['which=last', ['0/2 0 succeeded 2', '1/2 2 failed 2', '2/1 3 open 2', '4/1 0 succeeded 1']],
  [
    'which=all',
    [
      '0/1 1 succeeded 2',
      '0/2 0 succeeded 2',
      '1/1 137 failed 2',
      '1/2 2 failed 2',
      '2/1 3 open 2',
      '4/1 0 succeeded 1',
    ],
  ],
  ['which=failed', ['1/2 2 failed 2', '2/1 3 open 2']],
  ['which=failed&indexes=0,2-9', ['2/1 3 open 2']],
  ['indexes=4', ['4/1 0 succeeded 1']],
  ['indexes=3', []],
])('attempts that have ended: %s', async (query, expected) => {
  const answer = await page(await aMixedServer(), query);
  expect(brief(answer)).toEqual(expected);
  expect(answer.metadata.continue).toBe('');
});

test('one of them says what a joblog and a report need', async () => {
  const { items } = await page(await aMixedServer(), 'which=failed');
  expect(items[0]).toEqual({
    index: 1,
    attempt: 2,
    pod: expect.stringMatching(/^sums-1-[a-z0-9]{5}$/) as unknown,
    fate: 'failed',
    tries: 2,
    node: expect.stringMatching(/^fargate-0+102$/) as unknown,
    vcpu: 0.25,
    createdAt: '2023-11-14T22:13:21.000Z',
    startedAt: '2023-11-14T22:13:22.000Z',
    stoppedAt: '2023-11-14T22:13:23.000Z',
    exitCode: 2,
    container: 'main',
    reason: 'Error',
    cause: 'exit code 2',
    verdict: 'failedForGood: exit code 2',
    outcome: 'failedForGood',
    why: { kind: 'exited', exitCode: 2 },
    stoppedWithJob: false,
  });
});

test('a restart that its Pod did not live to see is no try', async () => {
  const world = await aWorld();
  await world.post(JOBS, {
    ...manifest('again', { completions: 1, backoffLimit: 2 }),
  });
  const ending = { cause: 'Error', exitCode: 1, container: 'main', reason: '' } as const;
  await world.commit('again', [{ op: 'claim', index: 0 }]);
  for (const nonce of [0, 1, 2]) {
    await world.launch('again', [{ index: 0, attempt: 1, nonce }]);
    await world.commit('again', [{ op: 'running', index: 0 }]);
    await world.record('again', 0, 1, ending, { as: 'restarted', why: { kind: 'exited', exitCode: 1 }, nonce });
    await world.commit('again', [{ op: 'restart', index: 0, notBefore: START }]);
    if (nonce < 2) await world.commit('again', [{ op: 'relaunch', index: 0 }]);
  }
  await world.commit('again', [{ op: 'failed', index: 0, notBefore: null }]);
  expect(await triesIn(world)).toEqual([3]);
});

async function triesIn(world: World): Promise<readonly number[]> {
  const answer = await world.get('/muster/v1/namespaces/default/jobs/again/attempts');
  return ((await answer.json()) as { items: Item[] }).items.map(({ tries }) => tries);
}

test('an attempt has the vCPUs that its item says', async () => {
  const annotations = {
    'muster.run/items': 'F\tcpu\na\t2\nb\t\nc\t1\nd\t1\ne\t3',
    'muster.run/resources-from-items': 'true',
  };
  const { items } = await page(await aMixedServer({}, {}, { annotations }));
  expect(items.map(({ index, vcpu }) => [index, vcpu])).toEqual([
    [0, 2],
    [1, 0.25],
    [2, 1],
    [4, 4],
  ]);
});

test('pages end with an index, and the next begins with the index after it', async () => {
  const server = await aMixedServer();
  const found: string[] = [];
  let next = '';
  let pages = 0;
  do {
    const answer = await page(server, `which=all&limit=1&continue=${next}`);
    found.push(...brief(answer));
    next = answer.metadata.continue;
    pages++;
  } while (next !== '' && pages < 9);
  expect(found).toEqual(brief(await page(server, 'which=all')));
  expect(pages).toBe(4);
});

test('what has failed and has no Pod any more is listed; what was stopped for nobody is no failure', async () => {
  const server = await aMixedServer();
  await server.world.record('sums', 3, 1, exited(1), { as: 'released', why: { kind: 'jobSuspended' }, gone: true });
  await server.world.commit('sums', [
    { op: 'claim', index: 3 },
    { op: 'released', index: 3 },
  ]);
  expect(brief(await page(server))).toContain('3/1 1 open 1');
  expect(brief(await page(server, 'which=failed'))).toEqual(['1/2 2 failed 2', '2/1 3 open 2']);
});

test('what was recorded before its commit has not ended', async () => {
  const server = await aMixedServer();
  await server.world.record('sums', 2, 2, exited(0));
  expect(brief(await page(server))).toContain('2/1 3 open 2');
});

test('what was stopped after a failure leaves the failure', async () => {
  const server = await aMixedServer();
  await server.world.record('sums', 2, 2, exited(143), { as: 'released', why: { kind: 'jobSuspended' } });
  await server.world.commit('sums', [{ op: 'released', index: 2, attempt: 2 }]);
  expect(brief(await page(server))).toContain('2/2 143 open 2');
  expect(brief(await page(server, 'which=failed'))).toContain('2/1 3 open 2');
});

test('a page reads the records of 64 places at most, and the next goes on there', async () => {
  const server = await aMixedServer({}, { completions: 10_000 });
  const indexes = Array.from({ length: 90 }, (_, i) => 100 * (i + 1));
  await server.world.commit(
    'sums',
    indexes.map((index) => ({ op: 'claim', index })),
  );
  for (const index of indexes) await server.world.record('sums', index, 1, exited(1));
  await server.world.commit(
    'sums',
    indexes.map((index) => ({ op: 'failedForGood', index })),
  );
  const first = await page(server, 'which=failed');
  expect(first.items.map(({ index }) => index)).toEqual([1, 2, ...indexes.slice(0, 63)]);
  const second = await page(server, `which=failed&continue=${first.metadata.continue}`);
  expect(second.items.map(({ index }) => index)).toEqual(indexes.slice(63));
  expect(second.metadata.continue).toBe('');
});

test('in a Job that has failed, no index is tried again', async () => {
  const server = await aMixedServer();
  const verdict = { kind: 'failed', reason: 'DeadlineExceeded', message: 'late', decidedBy: null } as const;
  await server.world.commit('sums', [], { phase: { kind: 'draining', verdict, since: START } });
  expect(brief(await page(server, 'which=failed'))).toEqual(['1/2 2 failed 2', '2/1 3 failed 2']);
});

test('10,000 indexes of which three failed take one page and few reads', async () => {
  const server = await aMixedServer({}, { completions: 10_000 });
  for (const index of [4095, 4096, 9999]) await attempt(server, index, 1, exited(1), 'failedForGood');
  const { items, metadata } = await page(server, 'which=failed');
  expect(items.map(({ index }) => index)).toEqual([1, 2, 4095, 4096, 9999]);
  expect(metadata.continue).toBe('');
});

test('a NonIndexed Job has attempts without an index', async () => {
  const server = await aMixedServer({}, { completionMode: 'NonIndexed', backoffLimitPerIndex: undefined });
  const { items } = await page(server);
  expect(items.map((item) => 'index' in item)).toEqual([false, false, false, false]);
});

test.each([
  ['which=none', 400, /which: Unsupported value: "none": supported values: last, all, failed/],
  ['limit=-1', 400, /limit: Invalid value/],
  ['continue=abc', 400, /continue key is not valid/],
  ['continue=00000000-0000-4000-8000-000000000009.3', 410, /replaced by another/],
])('%s is refused', async (query, code, message) => {
  const server = await aMixedServer();
  expect(await server.json(`${PATH}?${query}`)).toMatchObject({
    code,
    message: expect.stringMatching(message) as unknown,
  });
});

test('a Job that does not exist, and a method that does not', async () => {
  const world = await aWorld();
  expect((await world.get(PATH)).status).toBe(404);
  await world.post(JOBS, manifest('sums'));
  expect((await world.post(PATH, {})).status).toBe(405);
});

test('long items and words make pages short: an answer of Lambda has at most 6 MB', async () => {
  const world = await aWorld();
  const size = 150;
  const annotations = {
    'muster.run/items': `FILE\n${Array.from({ length: size }, (_, i) => `${i}-${'x'.repeat(1_200)}`).join('\n')}`,
  };
  const job = manifest('sums', { completions: size, parallelism: size }, { metadata: { name: 'sums', annotations } });
  const container = { name: 'main', image: 'busybox', command: ['echo', '$(FILE)', '$(FILE)', '$(FILE)'] };
  const template = { spec: { restartPolicy: 'Never', containers: [container] } };
  expect((await world.post(JOBS, { ...job, spec: { ...job.spec, template } })).status).toBe(201);
  const all = Array.from({ length: size }, (_, index) => index);
  await world.commit(
    'sums',
    all.map((index) => ({ op: 'claim', index })),
    { startTime: START },
  );
  for (const index of all) await world.record('sums', index, 1, exited(0));
  await world.commit(
    'sums',
    all.map((index) => ({ op: 'succeeded', index })),
  );
  const lengths = async (words: boolean): Promise<readonly number[]> => {
    const found: number[] = [];
    let next = '';
    do {
      const answer = (await (await world.get(`${PATH}?words=${words}&continue=${next}`)).json()) as Page;
      expect(JSON.stringify(answer).length).toBeLessThan(1_000_000);
      found.push(answer.items.length);
      next = answer.metadata.continue;
    } while (next !== '' && found.length < 9);
    return found;
  };
  expect(await lengths(false)).toEqual([150]);
  // Words are read for 64 indexes at a time, and a page ends at half a million characters.
  expect(await lengths(true)).toEqual([128, 22]);
});
