import { describe, expect, test } from 'vitest';
import { plusMs } from '../../../shared/domain/base/time.ts';
import { createOpenStreams } from '../../../shared/kube/http/streams.ts';
import { JOBS, PODS, START, type World, aWorld, linesOf, manifest } from '../a-world.ts';

type Event = {
  type: string;
  object: {
    kind: string;
    code?: number;
    metadata: { name?: string; resourceVersion: string; annotations?: object };
    columnDefinitions?: unknown;
    rows?: { cells: unknown[]; object: { kind: string; metadata: { name?: string } } | null }[];
  };
};
const eventsOf = async (response: Response | Promise<Response>) =>
  (await linesOf(await response)) as unknown as readonly Event[];
const brief = (events: readonly Event[]) =>
  events.map(({ type, object }) => `${type} ${object.metadata.name ?? ''} ${object.metadata.resourceVersion}`);

type Step = (world: World) => Promise<unknown>;
/** A world in which something happens at each read of the feed. */
const eventful = async (options: Parameters<typeof aWorld>[0], ...steps: readonly Step[]): Promise<World> => {
  let next = 0;
  const world: World = await aWorld(options, { onSleep: async () => void (await steps[next++]?.(world)) });
  return world;
};
const nothing: Step = async () => undefined;
const claim =
  (name: string, index: number): Step =>
  async (world) =>
    world.commit(name, [{ op: 'claim', index }]);
const label =
  (name: string, app: string | null): Step =>
  async (world) => {
    const answer = await world.app.request(`${JOBS}/${name}`, {
      method: 'PATCH',
      headers: { 'content-type': 'application/merge-patch+json' },
      body: JSON.stringify({ metadata: { labels: { app } } }),
    });
    expect(answer.status).toBe(200);
  };
const labelled = (name: string, app: string) => manifest(name, {}, { metadata: { name, labels: { app } } });
const end = '&timeoutSeconds=9';

describe('what begins or ceases to match', () => {
  test('is ADDED or DELETED, by labels', async () => {
    const world = await eventful({}, label('a', 'y'), claim('a', 0), label('a', 'x'), claim('a', 1), label('a', null));
    await world.post(JOBS, labelled('a', 'x'));
    const events = await eventsOf(world.get(`${JOBS}?watch=1&resourceVersion=1&labelSelector=app%3Dx${end}`));
    expect(brief(events)).toEqual(['DELETED a 2', 'ADDED a 4', 'MODIFIED a 5', 'DELETED a 6']);
  });

  test('for a watch that begins after a change of labels, which the row reports', async () => {
    for (const [selector, expected] of [
      ['app=x', ['DELETED a 2']],
      ['app=y', ['ADDED a 2', 'MODIFIED a 3']],
      ['app', ['MODIFIED a 2', 'MODIFIED a 3']],
      ['app=z', []],
    ] as const) {
      const world = await aWorld();
      await world.post(JOBS, labelled('a', 'x'));
      await label('a', 'y')(world);
      await claim('a', 0)(world);
      const query = `watch=1&resourceVersion=1&labelSelector=${encodeURIComponent(selector)}${end}`;
      expect([selector, brief(await eventsOf(world.get(`${JOBS}?${query}`)))]).toEqual([selector, expected]);
    }
  });

  test('a row before the change of labels does not affect the change', async () => {
    const world = await aWorld();
    await world.post(JOBS, labelled('a', 'x'));
    await claim('a', 0)(world);
    await label('a', 'y')(world);
    // For the row of the claim, its labels are still the matching ones.
    const query = `watch=1&resourceVersion=1&labelSelector=app%3Dx${end}`;
    expect(brief(await eventsOf(world.get(`${JOBS}?${query}`)))).toEqual(['MODIFIED a 2', 'DELETED a 3']);
  });

  test('a Job that is deleted with labels that do not match is not reported', async () => {
    const world = await eventful({}, async (w) => w.app.request(`${JOBS}/a`, { method: 'DELETE' }));
    await world.post(JOBS, labelled('a', 'x'));
    const gone = async (selector: string) =>
      brief(await eventsOf(world.get(`${JOBS}?watch=1&resourceVersion=1&labelSelector=${selector}${end}`)));
    expect(await gone('app%3Dx')).toEqual(['DELETED a 2']);
    expect(await gone('app%3Dy')).toEqual([]);
  });

  test('by how many have succeeded', async () => {
    const succeed =
      (index: number): Step =>
      async (world) =>
        world.commit('a', [
          { op: 'claim', index },
          { op: 'launched', index },
          { op: 'running', index },
          { op: 'succeeded', index },
        ] as never);
    const world = await eventful({}, claim('a', 3), succeed(0), claim('a', 2), succeed(1));
    await world.post(JOBS, manifest('a', { parallelism: 4 }));
    const events = await eventsOf(
      world.get(`${JOBS}?watch=1&resourceVersion=0&fieldSelector=status.successful%3D1${end}`),
    );
    expect(brief(events).map((line) => line.split(' ')[0])).toEqual(['ADDED', 'MODIFIED', 'DELETED']);
  });
});

describe('a watch that comes late', () => {
  const patch = async (world: World, metadata: object): Promise<void> => {
    const body = JSON.stringify({ metadata });
    const headers = { 'content-type': 'application/merge-patch+json' };
    expect((await world.app.request(`${JOBS}/a`, { method: 'PATCH', body, headers })).status).toBe(200);
  };
  const labelled = (label: string) => ({ labels: { app: label } });

  test('shows of each version what users had written by then', async () => {
    const world = await aWorld();
    await world.post(JOBS, manifest('a', {}, { metadata: { name: 'a', annotations: { step: '0' } } }));
    for (const step of ['1', '2', '3']) await patch(world, { annotations: { step } });
    await world.app.request(`${JOBS}/a`, { method: 'DELETE' });
    const events = await linesOf(await world.get(`${JOBS}?watch=true&resourceVersion=1&timeoutSeconds=2`));
    const steps = (
      events as { type: string; object: { metadata: { annotations: { step: string }; generation: number } } }[]
    ).map(({ type, object: { metadata } }) => `${type} ${metadata.annotations.step}`);
    expect(steps).toEqual(['MODIFIED 1', 'MODIFIED 2', 'MODIFIED 3', 'DELETED 3']);
    const first = await linesOf(await world.get(`${JOBS}?watch=true&resourceVersion=0&timeoutSeconds=2`));
    expect(first).toEqual([]);
  });

  test('sees that a Job ceased to match, and matched again', async () => {
    const world = await aWorld();
    await world.post(JOBS, manifest('a', {}, { metadata: { name: 'a', ...labelled('yes') } }));
    await patch(world, labelled('no'));
    await patch(world, { annotations: { unseen: 'yes' } });
    await patch(world, labelled('yes'));
    const query = 'watch=true&resourceVersion=1&timeoutSeconds=2&labelSelector=app%3Dyes';
    const events = (await linesOf(await world.get(`${JOBS}?${query}`))) as {
      type: string;
      object: { metadata: { resourceVersion: string } };
    }[];
    expect(events.map(({ type, object }) => `${type} ${object.metadata.resourceVersion}`)).toEqual([
      'DELETED 2',
      'ADDED 4',
    ]);
  });
});

describe('one object by its name', () => {
  test('is sent at once for kubectl, which has printed it before, with resourceVersion 0', async () => {
    const world = await eventful({}, claim('a', 0));
    for (const name of ['a', 'b']) await world.post(JOBS, manifest(name));
    const query = `watch=true&fieldSelector=metadata.name%3Da&resourceVersion=0${end}`;
    expect(brief(await eventsOf(world.get(`${JOBS}?${query}`)))).toEqual(['ADDED a 1', 'MODIFIED a 3']);
  });
});

describe('what a watch begins with', () => {
  const query = '?watch=1&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=1&timeoutSeconds=3';
  test.each<[string, readonly string[]]>([
    ['&sendInitialEvents=true', ['ADDED a 1', 'ADDED b 2', 'BOOKMARK  2', 'MODIFIED a 3', 'BOOKMARK  3']],
    [
      '&sendInitialEvents=true&resourceVersion=1',
      ['ADDED a 1', 'ADDED b 2', 'BOOKMARK  2', 'MODIFIED a 3', 'BOOKMARK  3'],
    ],
    ['&sendInitialEvents=false', ['MODIFIED a 3', 'BOOKMARK  3']],
    ['&sendInitialEvents=false&resourceVersion=0', ['MODIFIED a 3', 'BOOKMARK  3']],
    ['&sendInitialEvents=false&resourceVersion=1', ['ADDED b 2', 'MODIFIED a 3', 'BOOKMARK  3']],
  ])('%s', async (more, expected) => {
    const world = await eventful({}, claim('a', 0));
    for (const name of ['a', 'b']) await world.post(JOBS, manifest(name));
    expect(brief(await eventsOf(world.get(`${JOBS}${query}${more}`)))).toEqual(expected);
  });

  test('all there is cannot be newer than it is', async () => {
    const world = await aWorld();
    const answer = await world.get(`${JOBS}${query}&sendInitialEvents=true&resourceVersion=5`);
    expect([answer.status, ((await answer.json()) as { message: string }).message]).toEqual([
      504,
      'Timeout: Too large resource version: 5, current: 0',
    ]);
  });
});

describe('tables in a watch', () => {
  const TABLE = { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io,application/json' };

  test('columns are named once; bookmarks and errors have their forms', async () => {
    const world = await eventful({}, claim('a', 0));
    await world.post(JOBS, manifest('a'));
    const query = `watch=1&allowWatchBookmarks=1&sendInitialEvents=1&resourceVersionMatch=NotOlderThan${end}`;
    const events = await eventsOf(world.get(`${JOBS}?${query}`, TABLE));
    expect(events.map(({ type, object }) => `${type} ${object.kind} ${object.metadata.resourceVersion}`)).toEqual([
      'ADDED Table 1',
      'BOOKMARK Table 1',
      'MODIFIED Table 2',
      'BOOKMARK Table 2',
    ]);
    expect(events.map(({ object }) => Array.isArray(object.columnDefinitions))).toEqual([true, false, false, false]);
    expect(events[1]?.object.columnDefinitions).toBeNull();
    expect(events[0]?.object.rows?.[0]?.cells.slice(0, 3)).toEqual(['a', 'Running', '0/4']);
    expect(events[1]?.object.rows?.[0]?.object).toMatchObject({
      kind: 'PartialObjectMetadata',
      metadata: { resourceVersion: '1', annotations: { 'k8s.io/initial-events-end': 'true' } },
    });
    const error = await eventsOf(world.get(`${JOBS}?watch=1&resourceVersion=99`, TABLE));
    expect(error).toMatchObject([{ type: 'ERROR', object: { kind: 'Status', code: 410 } }]);
  });

  test('metadata alone', async () => {
    const world = await aWorld();
    await world.post(JOBS, manifest('a'));
    const accept = 'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io';
    const [event] = await eventsOf(world.get(`${JOBS}?watch=1${end}`, { accept }));
    expect(event).toMatchObject({ type: 'ADDED', object: { kind: 'PartialObjectMetadata', metadata: { name: 'a' } } });
    const one = accept.replace('List', '');
    expect(await eventsOf(world.get(`${JOBS}?watch=1${end}`, { accept: one }))).toEqual([event]);
  });
});

describe('a watch that is answered as a whole', () => {
  const BUFFERED = { watchMode: 'buffered' } as const;
  const timed = async (world: World, query: string, headers = {}) => {
    const before = world.clock.now();
    const answer = await world.get(`${JOBS}?watch=1${query}`, headers);
    const ms = world.clock.now() - before;
    return { ms, events: brief(await eventsOf(answer)) };
  };

  test('ends at the first news', async () => {
    const world = await eventful(BUFFERED, nothing, nothing, claim('a', 0), claim('a', 1));
    await world.post(JOBS, manifest('a'));
    const query = '&resourceVersion=1&allowWatchBookmarks=true&timeoutSeconds=400';
    expect(await timed(world, query)).toEqual({ ms: 3000, events: ['MODIFIED a 2', 'BOOKMARK  2'] });
  });

  test('ends after 25 s without news, or sooner if the client has less time', async () => {
    const world = await aWorld(BUFFERED);
    await world.post(JOBS, manifest('a'));
    expect(await timed(world, '&resourceVersion=1&timeoutSeconds=400')).toEqual({ ms: 25_000, events: [] });
    expect(await timed(world, '&resourceVersion=1&timeoutSeconds=7')).toEqual({ ms: 7000, events: [] });
  });

  test('ends at once after it has sent the existing objects', async () => {
    const world = await aWorld(BUFFERED);
    await world.post(JOBS, manifest('a'));
    expect(await timed(world, '&resourceVersion=0')).toEqual({ ms: 0, events: ['ADDED a 1'] });
    const initial = '&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=1';
    expect(await timed(world, `${initial}&labelSelector=none`)).toEqual({
      ms: 0,
      events: ['BOOKMARK  1', 'BOOKMARK  1'],
    });
  });

  test('of kubectl get -w has everything that happens in its time, because it does not reconnect', async () => {
    const world = await eventful(BUFFERED, claim('a', 0), nothing, claim('a', 1));
    await world.post(JOBS, manifest('a'));
    const kubectl = { 'kubectl-command': 'kubectl get' };
    const events = ['MODIFIED a 2', 'MODIFIED a 3'];
    expect(await timed(world, '&resourceVersion=1', kubectl)).toEqual({ ms: 25_000, events });
    expect((await timed(world, '&resourceVersion=1', { 'kubectl-command': 'kubectl wait' })).ms).toBe(0);
    expect((await timed(world, '&resourceVersion=1&allowWatchBookmarks=1', kubectl)).ms).toBe(0);
  });

  test('is not held for Jobs that are over', async () => {
    const world = await aWorld(BUFFERED);
    for (const name of ['a', 'b']) await world.post(JOBS, manifest(name));
    const verdict = { kind: 'complete', reason: 'CompletionsReached', message: 'done', decidedBy: null } as const;
    const phase = { kind: 'finished', verdict, since: START, at: START } as const;
    await world.commit('a', [], { phase });
    const over = '&resourceVersion=3&fieldSelector=metadata.name%3Da';
    expect(await timed(world, over)).toEqual({ ms: 1200, events: [] });
    expect((await timed(world, '&resourceVersion=3')).ms).toBe(25_000);
    expect((await timed(world, '&resourceVersion=3&fieldSelector=metadata.name%3Dnone')).ms).toBe(25_000);
  });
});

describe('open watches are counted', () => {
  const open = (world: World, query = '') => world.get(`${JOBS}?watch=1${query}`);
  const settle = async () => {
    for (let i = 0; i < 20; i++) await new Promise((resolve) => setImmediate(resolve));
  };

  test('beyond the number: 429, and when to try again', async () => {
    const world = await aWorld({ openStreamsMax: 2 });
    await Promise.all([open(world), world.get(`${PODS}?watch=1`)]);
    const answer = await open(world);
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([429, '1']);
    expect(await answer.json()).toMatchObject({
      kind: 'Status',
      reason: 'TooManyRequests',
      code: 429,
      details: { retryAfterSeconds: 1 },
    });
    expect((await world.get(JOBS)).status).toBe(200);
  });

  test('a place is given back when the client goes away, before and after its first event', async () => {
    const world = await aWorld({ openStreamsMax: 1 });
    await world.post(JOBS, manifest('a'));
    await (await open(world)).body?.cancel();
    const second = await open(world);
    expect(second.status).toBe(200);
    const reader = second.body!.getReader();
    await reader.read();
    expect((await open(world)).status).toBe(429);
    await reader.cancel();
    expect((await open(world, '&timeoutSeconds=1')).status).toBe(200);
  });

  test('in the middle of a wait, too', async () => {
    const world = await aWorld({ openStreamsMax: 1 });
    const reader = (await open(world)).body!.getReader();
    const waiting = reader.read();
    await settle();
    await reader.cancel();
    expect((await waiting).done).toBe(true);
    expect((await open(world)).status).toBe(200);
  });

  test('when its time is up', async () => {
    const world = await aWorld({ openStreamsMax: 1 });
    for (let i = 0; i < 3; i++) await (await open(world, '&timeoutSeconds=2')).text();
    expect((await open(world)).status).toBe(200);
  });

  test('when it fails', async () => {
    const world = await aWorld({ openStreamsMax: 1 });
    const head = world.feed.head.bind(world.feed);
    world.feed.head = async () => Promise.reject(new Error('throttled'));
    for (let i = 0; i < 3; i++) expect((await linesOf(await open(world)))[0]).toMatchObject({ type: 'ERROR' });
    world.feed.head = head;
    expect((await open(world)).status).toBe(200);
  });

  test('when it is answered as a whole', async () => {
    const world = await aWorld({ openStreamsMax: 1, watchMode: 'buffered' });
    for (let i = 0; i < 3; i++) expect((await open(world, '&timeoutSeconds=2')).status).toBe(200);
    const both = await Promise.all([open(world, '&timeoutSeconds=2'), open(world, '&timeoutSeconds=2')]);
    expect(both.map(({ status }) => status)).toEqual([200, 429]);
  });

  test('a request for the head alone takes no place', async () => {
    const world = await aWorld({ openStreamsMax: 1 });
    for (let i = 0; i < 3; i++)
      expect((await world.app.request(`${JOBS}?watch=1`, { method: 'HEAD' })).status).toBe(405);
    expect((await open(world)).status).toBe(200);
  });

  test('a stream that throws gives its place back and breaks off', async () => {
    const streams = createOpenStreams({ now: () => START }, 1);
    const answer = streams.send('kim', 'text/plain', async function* () {
      yield 'one';
      throw new Error('gone');
    });
    expect(streams.open()).toBe(1);
    await expect(answer.text()).rejects.toThrow('gone');
    expect(streams.open()).toBe(0);
    await expect(
      streams.collect('kim', 'text/plain', async function* () {
        yield 'one';
        throw new Error('gone');
      }),
    ).rejects.toThrow('gone');
    expect(streams.open()).toBe(0);
  });

  test('one that is not read for a minute gives way, one that is read does not', async () => {
    let now = START;
    const streams = createOpenStreams({ now: () => now }, 2);
    const forever = async function* () {
      yield 'first';
      await new Promise(() => undefined);
      yield 'never';
    };
    const stalled = streams.send('kim', 'text/plain', forever).body!.getReader();
    const read = streams.send('kim', 'text/plain', forever).body!.getReader();
    await stalled.read();
    await read.read();
    const waiting = read.read();
    await settle();
    now = plusMs(START, 60_000);
    expect(streams.send('kim', 'text/plain', forever).status).toBe(429);
    now = plusMs(START, 60_001);
    expect(streams.send('kim', 'text/plain', forever).status).toBe(200);
    await expect(stalled.read()).rejects.toThrow('the client has not read for too long');
    expect([streams.open(), streams.send('kim', 'text/plain', forever).status]).toEqual([2, 429]);
    await read.cancel();
    expect([streams.open(), (await waiting).done]).toEqual([1, true]);
  });
});
