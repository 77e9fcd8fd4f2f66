import { describe, expect, test, vi } from 'vitest';
import { plusMs } from '../../../../domain/base/time.ts';
import { aMixedServer, attempt } from '../../../../../test/cli/outcomes/a-mixed-job.ts';
import { JOBS, START, aWorld, manifest } from '../../../../../test/kube/a-world.ts';

// Wherever an index is shown, its item is beside it. Index 0 has succeeded, 1 has failed, 2 runs again after a failure.

const ITEMS = 'FILE\napple.txt\nmy banana.txt\nKöln.txt\ndamson.txt\nelder.txt';
const annotations = { 'muster.run/items': ITEMS };
const aListServer = async (spec: object = {}) => aMixedServer({}, spec, { annotations });
const JOB = '/muster/v1/namespaces/default/jobs/sums';

type Told = { readonly reason: string; readonly message: string; readonly involvedObject: { readonly kind: string } };
const eventsOf = async ({ json }: { json: (path: string) => Promise<unknown> }) => {
  const { items } = (await json('/api/v1/namespaces/default/events')) as { items: Told[] };
  return items.map(({ reason, message, involvedObject }) => `${involvedObject.kind} ${reason} ${nameless(message)}`);
};
const nameless = (text: string): string => text.replaceAll(/(sums-\d+)-[a-z0-9]{5}/g, '$1');

describe('items beside indexes', () => {
  test('in the progress of a Job: what runs, waits for its next try, or has failed', async () => {
    const server = await aListServer();
    const { items } = (await server.json(`${JOB}/progress`)) as { items: unknown };
    expect(items).toEqual([
      { state: 'running', index: 2, item: 'Köln.txt' },
      { state: 'failed', index: 1, item: 'my banana.txt' },
    ]);
  });

  test('a Job without a list has none', async () => {
    const server = await aMixedServer();
    expect(await server.json(`${JOB}/progress`)).toMatchObject({ items: [] });
    const { groups } = (await server.json(`${JOB}/failures`)) as { groups: { items?: unknown }[] };
    expect(groups.every(({ items }) => items === undefined)).toBe(true);
    expect(await eventsOf(server)).toContain('Job PodFailed Pod sums-1 failed: exit code 2');
    expect((await server.run('get pods sums --failed')).out).not.toContain('ITEM');
  });

  test('in failures: of the first indexes, and of the example', async () => {
    const server = await aListServer();
    expect(await server.json(`${JOB}/failures`)).toMatchObject({
      groups: expect.arrayContaining([
        expect.objectContaining({ indexes: '1', items: ['my banana.txt'] }),
        expect.objectContaining({ example: expect.objectContaining({ index: 2, item: 'Köln.txt' }) as unknown }),
      ]) as unknown,
    });
  });

  test('a warning about an index names its item; other Events keep the words of Kubernetes', async () => {
    const told = await eventsOf(await aListServer());
    expect(told).toContain('Job PodFailed Pod sums-1, index 1 (my banana.txt), failed: exit code 2');
    expect(told).toContain('Pod Failed Container main exited with code 2 (index 1: my banana.txt)');
    expect(told).toContain('Job SuccessfulCreate Created pod: sums-1');
    expect(told).toContain('Pod Started Started container main');
  });

  test('in waits: of the one whose reason is shown', async () => {
    const server = await aListServer();
    const reason = 'CannotPullContainerError: no such image';
    await attempt(server, 3, 1, null);
    await server.world.record('sums', 3, 1, { cause: 'StartFailed', reason, exitCode: null, container: null });
    await server.world.commit('sums', [{ op: 'unstarted', index: 3, notBefore: plusMs(START, 20_000), since: START }]);
    const { waits } = (await server.json(`${JOB}/waits`)) as { waits: { cause: string; message: string }[] };
    expect(waits.find(({ cause }) => cause === 'startFailed')?.message).toBe(`${reason} (index 3: damson.txt)`);
  });

  test('in verdicts: of the index that decided the Job', async () => {
    const server = await aListServer();
    const named = 'the Job failed: FailedIndexes (Job has failed indexes; decided by index 1: my banana.txt)';
    const stopped = { cause: 'Stopped', reason: 'by us', exitCode: 143, container: 'main' } as const;
    const verdict = {
      kind: 'failed',
      reason: 'FailedIndexes',
      message: 'Job has failed indexes',
      decidedBy: 1,
    } as const;
    await server.world.record('sums', 2, 2, stopped, { as: 'failed', why: { ...verdict, kind: 'jobFailed' } });
    await server.world.commit('sums', [{ op: 'failed', index: 2, attempt: 2, notBefore: null }], {
      phase: { kind: 'finished', verdict, since: START, at: START },
    });
    const { items } = (await server.json(`${JOB}/attempts?which=failed`)) as { items: { verdict: string }[] };
    expect(items.map(({ verdict: text }) => text)).toContain(`failed: ${named}`);
    const pods = await server.run('get pods sums -o json');
    expect(pods.out).toContain(`"muster.run/verdict": "failed: ${named}"`);
    const { groups } = (await server.json(`${JOB}/failures`)) as { groups: { verdict: string }[] };
    expect(groups.map(({ verdict: text }) => text)).toContain(`failed: ${named}`);
  });

  test('in tables and reports of the command line', async () => {
    const { run } = await aListServer();
    expect((await run('get pods sums')).out).toMatch(/^NAME +INDEX +ITEM +ATTEMPT +STATUS/);
    expect((await run('get pods sums')).out).toMatch(/ 1 +my banana\.txt +2 +Error/);
    expect((await run('get pods sums --failed')).out).toMatch(
      /FAILED +EXIT +INDEXES +ITEMS +WHY +LAST LINE OF ITS LOG\n(.*\n)*1 +2 +1 +my banana\.txt +exit code 2 /,
    );
    expect((await run('failures sums')).out).toContain('index 1 (my banana.txt), attempt 2, ends with');
  });
});

test('what a live view costs: a read for each run of the list, however often it looks', async () => {
  const world = await aWorld();
  const [size, window] = [1_200, 20];
  const items = Array.from({ length: size }, (_, n) => [`/data/${String(n).padStart(43, '0')}`]);
  const list = {
    apiVersion: 'muster.run/v1',
    kind: 'WorkList',
    metadata: { name: 'files' },
    spec: { columns: ['FILE'], items },
  };
  expect((await world.post('/apis/muster.run/v1/namespaces/default/worklists', list)).status).toBe(201);
  const metadata = { name: 'sums', annotations: { 'muster.run/work-list': 'files' } };
  await world.post(JOBS, manifest('sums', { completions: size, parallelism: window }, { metadata }));
  const reads = vi.spyOn(world.items, 'readItems');
  let looks = 0;
  for (let first = 0; first < size; first += window) {
    const indexes = Array.from({ length: window }, (_, n) => first + n);
    await world.commit(
      'sums',
      indexes.flatMap((index) => [{ op: 'claim', index } as const, { op: 'running', index } as const]),
      { startTime: START },
    );
    for (; looks < (2 * first) / window; looks++) {
      const { items: named } = (await (await world.get(`${JOB}/progress`)).json()) as { items: { index: number }[] };
      expect(named.map(({ index }) => index)).toEqual([0, 1, 2, 3, 4, 5, 6, 7].map((n) => first + n));
    }
    await world.commit(
      'sums',
      indexes.map((index) => ({ op: 'succeeded', index }) as const),
    );
  }
  expect(looks).toBeGreaterThan(100);
  // A run has 8 KB, which is at most a read unit: 0.01 an index.
  expect(reads.mock.calls.length).toBeLessThanOrEqual(size / 100);
});
