import { describe, expect, test } from 'vitest';
import { JOBS, START, type World, aWorld, linesOf, manifest } from '../a-world.ts';
import {
  EVENTS,
  OF_THE_JOB,
  OF_THE_PODS,
  type Event,
  aBusyJob,
  entry,
  line,
  list,
  nameless,
  selector,
} from './some-events.ts';

describe('watched', () => {
  type Told = { type: string; object: Event };
  const watched = async (world: World, query: string): Promise<Told[]> =>
    (await linesOf(await world.get(`${EVENTS}?watch=true&timeoutSeconds=1&${query}`))) as Told[];
  const shown = (told: readonly Told[]) => told.map(({ type, object }) => `${type} ${line(object)}`);
  const head = async (world: World) => (await list(world)).metadata.resourceVersion;

  test('from the beginning: each once, in the order in which it came about', async () => {
    const world = await aBusyJob();
    const told = await watched(world, 'resourceVersion=1');
    expect(shown(told).toSorted()).toEqual([...OF_THE_JOB, ...OF_THE_PODS].map((text) => `ADDED ${text}`).toSorted());
    expect(new Set(told.map(({ object }) => object.metadata.name)).size).toBe(told.length);
    expect(told[0]?.object.metadata.resourceVersion).toBe('2');
    expect(told.at(-1)?.object.metadata.resourceVersion).toBe('4');
  });

  test('why Pods fail: a cause is reported when it is new, and again when more Pods have it', async () => {
    const fail = async (index: number, exitCode: number): Promise<void> => {
      await world.record('sums', index, 1, { cause: 'Error', exitCode, container: 'main', reason: '' });
      await world.commit('sums', [{ op: 'failed', index, notBefore: null }]);
    };
    const steps = [() => fail(1, 3), () => fail(2, 4), () => fail(3, 3)];
    const world: World = await aWorld({}, { onSleep: async () => steps.shift()?.() });
    await world.post(JOBS, manifest('sums', { parallelism: 4 }));
    const claims = [0, 1, 2, 3].map((index) => ({ op: 'claim' as const, index }));
    await world.commit('sums', claims, { startTime: START });
    await fail(0, 3);
    // Of Jobs only: the steps are taken while one reader sleeps, and each feed has its own.
    const query = selector({ reason: 'PodFailed', 'involvedObject.kind': 'Job' }).slice(1);
    const answer = await world.get(`${EVENTS}?watch=true&timeoutSeconds=5&${query}`);
    const told = (await linesOf(answer)) as Told[];
    expect(told.map(({ type, object }) => `${type} ${nameless(object.message)} ${object.count}`)).toEqual([
      'ADDED Pod sums-0 failed: exit code 3 1',
      'MODIFIED Pod sums-0 failed: exit code 3 2',
      'ADDED Pod sums-2 failed: exit code 4 1',
      'MODIFIED Pod sums-0 failed: exit code 3 3',
    ]);
    expect(told.at(-1)?.object).toEqual((await list(world, selector({ reason: 'PodFailed' }))).items[0]);
  });

  test('existing Events come first, and are not repeated by what follows', async () => {
    const world = await aWorld(
      {},
      {
        onSleep: async () => {
          if (sleeps++ > 0) return;
          await world.commit('sums', [{ op: 'running', index: 2 }], {
            events: [entry(2, 'Resumed', 'Job resumed'), entry(5, 'Completed', 'Job completed')],
          });
        },
      },
    );
    let sleeps = 0;
    await world.post(JOBS, manifest('sums'));
    await world.commit(
      'sums',
      [
        { op: 'claim', index: 2 },
        { op: 'launched', index: 2 },
      ],
      { events: [entry(2, 'Resumed', 'Job resumed')], startTime: START },
    );
    await world.launch('sums', [{ index: 2, attempt: 1 }]);
    await world.commit('sums', []);
    await world.commit('sums', []);
    expect(shown(await watched(world, ''))).toEqual([
      'ADDED Job  SuccessfulCreate Created pod: sums-2',
      'ADDED Job  Resumed Job resumed',
      'ADDED Pod  Scheduled Successfully assigned default/sums-2 to <task>',
      'ADDED Job  Completed Job completed',
      'ADDED Pod  Created Created container: main',
      'ADDED Pod  Started Started container main',
    ]);
  });

  test('rows that are read late each report their own', async () => {
    const world = await aWorld();
    await world.post(JOBS, manifest('sums'));
    const [suspended, resumed] = [entry(2, 'Suspended', 'Job suspended'), entry(3, 'Resumed', 'Job resumed')];
    await world.commit('sums', [], { events: [suspended] });
    await world.commit('sums', [], { events: [suspended, resumed] });
    const told = await watched(world, 'resourceVersion=1');
    expect(told.map(({ object }) => [object.reason, object.metadata.resourceVersion])).toEqual([
      ['Suspended', '2'],
      ['Resumed', '3'],
    ]);
  });

  test('an Event from the time when the existing ones were read is reported once', async () => {
    const world = await aWorld();
    await world.post(JOBS, manifest('sums'));
    const listJobs = world.jobs.listJobs.bind(world.jobs);
    let lists = 0;
    world.jobs.listJobs = async (page) => {
      const steps = [
        { op: 'claim', index: 0 },
        { op: 'running', index: 0 },
      ] as const;
      if (lists++ === 0) {
        await world.launch('sums', [{ index: 0, attempt: 1 }]);
        await world.commit('sums', steps, { events: [entry(2, 'Resumed', 'Job resumed')] });
      }
      return listJobs(page);
    };
    const told = await watched(world, '');
    expect(told.map(({ object }) => object.reason).toSorted()).toEqual(
      ['Created', 'Resumed', 'Scheduled', 'Started', 'SuccessfulCreate'].toSorted(),
    );
  });

  test('what is counted again is modified', async () => {
    const world = await aBusyJob();
    const after = await head(world);
    await world.commit('sums', [], { events: [entry(5, 'Suspended', 'Job suspended', { count: 2 })] });
    expect(shown(await watched(world, `resourceVersion=${after}`))).toEqual(['MODIFIED Job  Suspended Job suspended']);
  });

  test('an end and the next attempt in one row', async () => {
    const world = await aBusyJob();
    const after = await head(world);
    await world.record('sums', 2, 1, { cause: 'Spot', exitCode: null, container: null, reason: 'Spot took it' });
    await world.launch('sums', [{ index: 2, attempt: 2 }]);
    await world.commit('sums', [
      { op: 'lostToSpot', index: 2, notBefore: null },
      { op: 'claim', index: 2, attempt: 2 },
      { op: 'launched', index: 2, attempt: 2 },
    ]);
    const told = shown(
      await watched(world, `resourceVersion=${after}&${selector({ 'involvedObject.kind': 'Pod' }).slice(1)}`),
    );
    expect(told.slice(-2)).toEqual([
      'ADDED Pod ! SpotInterruption Spot took it',
      'ADDED Pod  Scheduled Successfully assigned default/sums-2 to <task>',
    ]);
  });

  test('an Event from long before the watch is not repeated', async () => {
    const world = await aWorld();
    await world.post(JOBS, manifest('sums'));
    await world.launch('sums', [{ index: 0, attempt: 1 }]);
    await world.commit(
      'sums',
      [
        { op: 'claim', index: 0 },
        { op: 'launched', index: 0 },
      ],
      { startTime: START },
    );
    const after = await head(world);
    await world.clock.sleep(60_000);
    await world.commit('sums', [{ op: 'running', index: 0 }]);
    expect(shown(await watched(world, `resourceVersion=${after}`))).toEqual([
      'ADDED Pod  Created Created container: main',
      'ADDED Pod  Started Started container main',
    ]);
  });

  test('that somebody removes a Pod which has ended is none', async () => {
    const world = await aBusyJob();
    const after = await head(world);
    await world.commit('sums', [{ op: 'removed', index: 0 }]);
    expect(shown(await watched(world, `resourceVersion=${after}`))).toEqual([]);
  });

  test('Pods beyond the ninth are one Event that changes', async () => {
    const world = await aWorld();
    await world.post(JOBS, manifest('wide', { completions: 50, parallelism: 50 }));
    const after = await head(world);
    const claim = async (from: number, to: number) =>
      world.commit(
        'wide',
        Array.from({ length: to - from }, (_, i) => ({ op: 'claim' as const, index: from + i })),
      );
    await claim(0, 12);
    await claim(12, 20);
    const told = (await watched(world, `resourceVersion=${after}`)).filter(({ object }) =>
      object.message.startsWith('('),
    );
    expect(told.map(({ type }) => type)).toEqual(['ADDED', 'MODIFIED']);
    expect(new Set(told.map(({ object }) => object.metadata.uid)).size).toBe(1);
    expect(told.at(-1)?.object.count).toBe(11);
  });

  test('for a Job whose board is too large to be counted for each row, once', async () => {
    const world = await aWorld();
    await world.post(JOBS, manifest('wide', { completions: 80_000, parallelism: 50 }));
    const after = await head(world);
    const claim = async (from: number, to: number) =>
      world.commit(
        'wide',
        Array.from({ length: to - from }, (_, i) => ({ op: 'claim' as const, index: from + i })),
      );
    await claim(70_000, 70_030);
    await claim(70_030, 70_040);
    const told = (await watched(world, `resourceVersion=${after}`)).filter(({ object }) =>
      object.message.startsWith('('),
    );
    expect(told.map(({ type, object }) => `${type} ${object.count}`)).toEqual(['ADDED 31']);
  });

  test('all go with their Job', async () => {
    const world = await aBusyJob();
    const before = (await list(world)).items.map(({ metadata }) => metadata.name);
    const after = await head(world);
    await world.app.request(`${JOBS}/sums`, { method: 'DELETE' });
    const told = await watched(world, `resourceVersion=${after}`);
    const deleted = told.filter(({ type }) => type === 'DELETED').map(({ object }) => object.metadata.name);
    expect(before.filter((name) => !deleted.includes(name))).toEqual([]);
    expect(told.filter(({ type }) => type !== 'DELETED')).toEqual([]);
  });

  test.each([
    [{ 'involvedObject.kind': 'Job' }, 8],
    [{ 'involvedObject.kind': 'Pod' }, 12],
    [{ 'involvedObject.name': 'sums' }, 8],
    [{ type: 'Warning' }, 3],
    [{ 'involvedObject.name': 'other' }, 0],
  ])('selected by %j', async (fields, count) => {
    const world = await aBusyJob();
    const query = selector(fields as Record<string, string>).slice(1);
    expect(await watched(world, `resourceVersion=1&${query}`)).toHaveLength(count);
  });
});
