import { describe, expect, test } from 'vitest';
import { JOBS, PODS, START, type World, aWorld, linesOf, manifest } from '../a-world.ts';
import { openNamespace } from '../../support/a-namespace.ts';

type Event = {
  type: string;
  object: {
    kind: string;
    code?: number;
    metadata: { name?: string; resourceVersion: string; annotations?: Record<string, string> };
    status?: { phase?: string; succeeded?: number };
  };
};

const eventsOf = async (response: Response | Promise<Response>) =>
  (await linesOf(await response)) as unknown as readonly Event[];
const brief = (events: readonly Event[]) =>
  events.map(({ type, object }) => `${type} ${object.metadata.name ?? ''} ${object.metadata.resourceVersion}`);

/** A world in which something happens at each read of the feed. */
const eventful = async (...steps: readonly ((world: World) => Promise<unknown>)[]): Promise<World> => {
  let next = 0;
  const world: World = await aWorld({}, { onSleep: async () => void (await steps[next++]?.(world)) });
  return world;
};
const claim = (name: string, index: number) => async (world: World) => world.commit(name, [{ op: 'claim', index }]);

describe('Jobs', () => {
  test('from a version on: each number once, in order, until the time is up', async () => {
    const world = await eventful(
      claim('a', 0),
      async (w) => w.post(JOBS, manifest('b')),
      async (w) => {
        await claim('a', 1)(w);
        await claim('b', 0)(w);
        await claim('a', 2)(w);
      },
      async (w) => w.app.request(`${JOBS}/a`, { method: 'DELETE' }),
    );
    await world.post(JOBS, manifest('a'));
    const answer = await world.get(`${JOBS}?watch=true&resourceVersion=1&timeoutSeconds=10`);
    expect(answer.headers.get('content-type')).toBe('application/json');
    expect(brief(await eventsOf(answer))).toEqual([
      'MODIFIED a 2',
      'ADDED b 3',
      'MODIFIED a 4',
      'MODIFIED b 5',
      'MODIFIED a 6',
      'DELETED a 7',
    ]);
  });

  test('a Job that had ended is shown as it had when it is deleted', async () => {
    const verdict = { kind: 'complete', reason: 'CompletionsReached', message: '', decidedBy: null } as const;
    const world = await eventful(async (w) => w.app.request(`${JOBS}/a`, { method: 'DELETE' }));
    await world.post(JOBS, manifest('a'));
    await world.commit('a', [], { phase: { kind: 'finished', verdict, since: START, at: START } });
    const { status } = (await (await world.get(`${JOBS}/a`)).json()) as Event['object'];
    expect(status).toMatchObject({ completionTime: '2023-11-14T22:13:20Z', conditions: [{}, { type: 'Complete' }] });
    const [event] = await eventsOf(world.get(`${JOBS}?watch=true&resourceVersion=2&timeoutSeconds=3`));
    expect(event).toMatchObject({ type: 'DELETED', object: { status } });
  });

  test.each([
    ['yes', 'no', ['DELETED a 2']],
    ['no', 'yes', ['ADDED a 2', 'DELETED a 3']],
  ])('labels that go from %s to %s just before the Job is deleted', async (before, after, events) => {
    const world = await aWorld();
    await world.post(JOBS, manifest('a', {}, { metadata: { name: 'a', labels: { shown: before } } }));
    const body = JSON.stringify({ metadata: { labels: { shown: after } } });
    const headers = { 'content-type': 'application/merge-patch+json' };
    expect((await world.app.request(`${JOBS}/a`, { method: 'PATCH', body, headers })).status).toBe(200);
    await world.app.request(`${JOBS}/a`, { method: 'DELETE' });
    const query = 'watch=true&labelSelector=shown%3Dyes&resourceVersion=1&timeoutSeconds=3';
    expect(brief(await eventsOf(world.get(`${JOBS}?${query}`)))).toEqual(events);
  });

  test.each(['', '&resourceVersion=0', '&resourceVersion='])(
    'without a version (%j) what is there comes first',
    async (version) => {
      const world = await eventful(claim('a', 1));
      await world.post(JOBS, manifest('a'));
      await claim('a', 0)(world);
      await world.post(JOBS, manifest('b'));
      const answer = world.get(`${JOBS}?watch=1${version}&timeoutSeconds=3`);
      expect(brief(await eventsOf(answer))).toEqual(['ADDED a 2', 'ADDED b 3', 'MODIFIED a 4']);
    },
  );

  test('what was shown with a newer state already is not shown for older rows', async () => {
    const world = await aWorld();
    await world.post(JOBS, manifest('a'));
    const head = world.feed.head.bind(world.feed);
    world.feed.head = async () => {
      const number = await head();
      await claim('a', 0)(world); // committed and published between the read of the head and the list
      world.feed.head = head;
      return number;
    };
    expect(brief(await eventsOf(world.get(`${JOBS}?watch=1&timeoutSeconds=3`)))).toEqual(['ADDED a 2']);
  });

  test('only what was requested', async () => {
    const world = await eventful(claim('a', 0), claim('b', 0));
    await openNamespace(world.objects, 'other', START);
    for (const name of ['a', 'b'])
      await world.post(JOBS, manifest(name, {}, { metadata: { name, labels: { app: name } } }));
    await world.post('/apis/batch/v1/namespaces/other/jobs', manifest('a'));
    const end = '&resourceVersion=3&timeoutSeconds=5';
    expect(brief(await eventsOf(world.get(`${JOBS}?watch=1&fieldSelector=metadata.name%3Da${end}`)))).toEqual([
      'MODIFIED a 4',
    ]);
    expect(brief(await eventsOf(world.get(`${JOBS}?watch=1&labelSelector=app%3Db${end}`)))).toEqual(['MODIFIED b 5']);
    expect(
      brief(await eventsOf(world.get(`/apis/batch/v1/jobs?watch=1&resourceVersion=0&timeoutSeconds=1`))),
    ).toHaveLength(3);
  });

  test('a version whose rows have expired is answered with that, and the client lists again', async () => {
    const world = await aWorld();
    await world.post(JOBS, manifest('a'));
    await world.clock.sleep(3 * 3_600_000);
    const [event] = await eventsOf(world.get(`${JOBS}?watch=1&resourceVersion=0&timeoutSeconds=1`));
    expect(event?.type).toBe('ADDED');
    await claim('a', 0)(world);
    await world.clock.sleep(3 * 3_600_000);
    await claim('a', 1)(world);
    const events = await eventsOf(world.get(`${JOBS}?watch=1&resourceVersion=1&timeoutSeconds=1`));
    expect(events).toMatchObject([
      {
        type: 'ERROR',
        object: { kind: 'Status', code: 410, reason: 'Expired', message: 'too old resource version: 1 (3)' },
      },
    ]);
  });

  test('bookmarks for clients that allow them, and the one that ends the existing objects', async () => {
    const world = await aWorld();
    await world.post(JOBS, manifest('a'));
    const query = 'watch=true&allowWatchBookmarks=true&timeoutSeconds=130';
    const events = await eventsOf(
      world.get(`${JOBS}?${query}&sendInitialEvents=true&resourceVersionMatch=NotOlderThan`),
    );
    expect(brief(events)).toEqual(['ADDED a 1', 'BOOKMARK  1', 'BOOKMARK  1', 'BOOKMARK  1', 'BOOKMARK  1']);
    expect(events.map(({ object }) => object.metadata.annotations)).toEqual([
      undefined,
      { 'k8s.io/initial-events-end': 'true' },
      undefined,
      undefined,
      undefined,
    ]);
    expect(events[1]?.object.kind).toBe('Job');
  });

  test('a watch ends when its transport has no more time', async () => {
    const world = await aWorld({ streamMaxSec: 5 });
    const before = world.clock.now();
    await (await world.get(`${JOBS}?watch=true&timeoutSeconds=600`)).text();
    expect(world.clock.now() - before).toBe(5000);
  });

  test('a watch without events sends spaces, which keep its connection open and are not events', async () => {
    const world = await eventful(...Array.from({ length: 40 }, () => async () => undefined), claim('a', 0));
    await world.post(JOBS, manifest('a'));
    const text = await (await world.get(`${JOBS}?watch=true&resourceVersion=1&timeoutSeconds=100`)).text();
    expect(text.replace(/\{.*\}/, '{}')).toBe(' {}\n '); // at 30 s and, the change being at 41 s, at 71 s
  });

  test('bookmarks are a sign of life, too', async () => {
    const world = await aWorld();
    const text = await (await world.get(`${JOBS}?watch=true&allowWatchBookmarks=true&timeoutSeconds=100`)).text();
    expect(text.replaceAll(/\{.*\}/g, '{}')).toBe(' {}\n {}\n'); // space at 30 s, bookmark at 60 s, space at 90 s, bookmark at its end
  });

  test('a client that goes away ends the watch', async () => {
    const world = await aWorld();
    await world.post(JOBS, manifest('a'));
    const answer = await world.get(`${JOBS}?watch=true`);
    const reader = answer.body!.getReader();
    await reader.read();
    await reader.cancel();
    const at = world.clock.now();
    for (let i = 0; i < 20; i++) await new Promise((resolve) => setImmediate(resolve));
    expect(world.clock.now() - at).toBeLessThanOrEqual(1000);
  });

  test('our own failure in the middle is reported in the stream', async () => {
    const world = await eventful(claim('a', 0), async (w) => {
      w.feed.read = async () => Promise.reject(new Error('throttled'));
    });
    await world.post(JOBS, manifest('a'));
    const events = await eventsOf(world.get(`${JOBS}?watch=1&resourceVersion=1&timeoutSeconds=9`));
    expect(events).toMatchObject([{ type: 'MODIFIED' }, { type: 'ERROR', object: { kind: 'Status', code: 500 } }]);
    expect(world.warnings).toMatchObject([{ message: 'watch failed', error: 'Error: throttled' }]);
  });

  test('many rows at once', async () => {
    const world = await aWorld();
    await world.post(JOBS, manifest('a', { completions: 300, parallelism: 300 }));
    for (let index = 0; index < 250; index++) await claim('a', index)(world);
    const numbers = (await eventsOf(world.get(`${JOBS}?watch=1&resourceVersion=1&timeoutSeconds=1`))).map(
      ({ object }) => Number(object.metadata.resourceVersion),
    );
    expect(numbers).toEqual(Array.from({ length: 250 }, (_, i) => i + 2));
  });
});

describe('Pods', () => {
  const phases = (events: readonly Event[]) =>
    events.map(
      ({ type, object }) =>
        `${type} ${object.metadata.name?.replace(/-[a-z0-9]+$/, '')} ${object.status?.phase ?? ''} ${object.metadata.resourceVersion}`,
    );

  test('each step of each attempt, including one whose replacement came with its end', async () => {
    const world = await eventful(
      async (w) =>
        w.commit('a', [
          { op: 'claim', index: 0 },
          { op: 'claim', index: 1 },
        ]),
      async (w) => w.commit('a', [{ op: 'running', index: 0 }]),
      async (w) => {
        await w.record('a', 0, 1, { cause: 'Error', exitCode: 1, container: 'main', reason: '' });
        await w.commit('a', [
          { op: 'failed', index: 0, notBefore: null },
          { op: 'claim', index: 0, attempt: 2 },
          { op: 'released', index: 1 },
        ]);
      },
      async (w) => {
        await w.record('a', 0, 2, { cause: 'Completed', exitCode: 0, container: 'main', reason: '' });
        await w.commit('a', [{ op: 'succeeded', index: 0, attempt: 2 }]);
      },
      async (w) => w.app.request(`${JOBS}/a`, { method: 'DELETE' }),
    );
    await world.post(JOBS, manifest('a'));
    const events = await eventsOf(
      world.get(`${PODS}?watch=true&resourceVersion=1&timeoutSeconds=20&labelSelector=job-name%3Da`),
    );
    expect(phases(events)).toEqual([
      'ADDED a-0 Pending 2',
      'ADDED a-1 Pending 2',
      'MODIFIED a-0 Running 3',
      'MODIFIED a-0 Failed 4',
      'ADDED a-0 Pending 4',
      'DELETED a-1 Pending 4',
      'MODIFIED a-0 Succeeded 5',
      'DELETED a-0 Failed 6',
      'DELETED a-0 Succeeded 6',
    ]);
  });

  test('what was shown with a newer state already is not shown for older rows', async () => {
    const world = await aWorld();
    await world.post(JOBS, manifest('a'));
    const head = world.feed.head.bind(world.feed);
    world.feed.head = async () => {
      const number = await head();
      await claim('a', 0)(world);
      world.feed.head = head;
      return number;
    };
    expect(phases(await eventsOf(world.get(`${PODS}?watch=1&timeoutSeconds=3`)))).toEqual(['ADDED a-0 Pending 2']);
  });

  test("what is there first; other Jobs' Pods not at all", async () => {
    const world = await eventful(
      async (w) => w.commit('b', [{ op: 'claim', index: 1 }]),
      async (w) => w.commit('a', [{ op: 'running', index: 0 }]),
    );
    for (const name of ['a', 'b']) {
      await world.post(JOBS, manifest(name));
      await world.commit(name, [{ op: 'claim', index: 0 }]);
    }
    const events = await eventsOf(
      world.get(`${PODS}?watch=true&timeoutSeconds=5&labelSelector=batch.kubernetes.io/job-name%3Da`),
    );
    expect(phases(events)).toEqual(['ADDED a-0 Pending 2', 'MODIFIED a-0 Running 6']);
  });
});
