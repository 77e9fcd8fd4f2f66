import { describe, expect, test } from 'vitest';
import { type EpochMs, plusMs } from '../../../../domain/base/time.ts';
import type { CronState } from '../../domain/cron-state.ts';
import { withCronEvent } from '../../../../domain/schedulers/scheduler-event.ts';
import { freshRow } from '../../../../control/lifecycle/arm-cron.ts';
import { JOBS, START, type World, aWorld, linesOf, manifest } from '../../../../../test/kube/a-world.ts';

type Event = {
  readonly metadata: { readonly name: string; readonly resourceVersion: string };
  readonly involvedObject: { readonly kind: string; readonly name: string };
  readonly source: { readonly component: string };
  readonly reason: string;
  readonly message: string;
  readonly count: number;
};
type EventList = {
  readonly metadata: { readonly continue?: string; readonly resourceVersion: string };
  readonly items: readonly Event[];
};
const EVENTS = '/api/v1/namespaces/default/events';
const CRONS = '/apis/batch/v1/namespaces/default/cronjobs';

const cronJob = (name: string) => ({
  apiVersion: 'batch/v1',
  kind: 'CronJob',
  metadata: { name },
  spec: {
    schedule: '*/5 * * * *',
    jobTemplate: {
      spec: { template: { spec: { containers: [{ name: 'main', image: 'busybox' }], restartPolicy: 'Never' } } },
    },
  },
});

async function aCron(world: World, name: string): Promise<string> {
  const answer = await world.post(CRONS, cronJob(name));
  expect(answer.status).toBe(201);
  return ((await answer.json()) as { metadata: { uid: string } }).metadata.uid;
}

type Told = { readonly reason: string; readonly message: string; readonly type?: 'Normal' | 'Warning' };

/** As a scheduler does: first the row, then the status, if there is news in it. */
async function tell(
  world: World,
  name: string,
  { reason, message, type = 'Normal' }: Told,
  { at = START, isInStatus = true }: { readonly at?: EpochMs; readonly isInStatus?: boolean } = {},
): Promise<void> {
  const key = { namespace: 'default', name };
  const object = await world.objects.read('CronJob', key);
  if (object === null) throw new Error(`no CronJob ${name}`);
  const { uid } = object.document.metadata;
  const row = (await world.crons.read(uid)) ?? freshRow('CronJob', uid, key);
  const state = withCronEvent(row.state as CronState, { type, reason, message }, at);
  expect(await world.crons.write({ ...row, kind: 'CronJob', state })).toEqual({ kind: 'written' });
  if (!isInStatus) return;
  const status = { lastScheduleTime: new Date(at + object.version * 1000).toISOString() };
  const document = { ...object.document, status };
  expect(await world.objects.commit('CronJob', { key, was: object.version, document })).toMatchObject({
    kind: 'committed',
  });
}

const CREATED = { reason: 'SuccessfulCreate', message: 'Created job x-1' };
const ENDED = { reason: 'SawCompletedJob', message: 'Saw completed job: x-1, condition: Complete' };
const ACTIVE = { reason: 'JobAlreadyActive', message: 'Not starting job' };

const list = async (world: World, query = '', path = EVENTS): Promise<EventList> => {
  const answer = await world.get(path + query);
  expect(answer.status).toBe(200);
  return (await answer.json()) as EventList;
};
const selecting = (fields: Record<string, string>): string =>
  `fieldSelector=${encodeURIComponent(
    Object.entries(fields)
      .map(([key, value]) => `${key}=${value}`)
      .join(','),
  )}`;
const brief = ({ involvedObject: { kind, name }, reason, count }: Event): string =>
  `${kind}/${name} ${reason} ${count}`;

describe('listed', () => {
  test('an Event of a CronJob as Kubernetes’ controller writes it', async () => {
    const world = await aWorld();
    const uid = await aCron(world, 'x');
    await tell(world, 'x', { ...CREATED, type: 'Normal' });
    await tell(world, 'x', { ...CREATED, type: 'Normal' }, { at: plusMs(START, 60_000) });
    const [event] = (await list(world)).items;
    expect(event).toMatchObject({
      involvedObject: { kind: 'CronJob', namespace: 'default', name: 'x', uid, apiVersion: 'batch/v1' },
      ...CREATED,
      source: { component: 'cronjob-controller' },
      reportingComponent: 'cronjob-controller',
      type: 'Normal',
      count: 2,
      firstTimestamp: '2023-11-14T22:13:20Z',
      lastTimestamp: '2023-11-14T22:14:20Z',
    });
    const shown = await world.get(`${EVENTS}/${event?.metadata.name}`);
    expect([shown.status, await shown.json()]).toEqual([200, event]);
  });

  test('what kubectl describe and kubectl events ask for', async () => {
    const world = await aWorld();
    const uid = await aCron(world, 'x');
    await aCron(world, 'y');
    await world.post(JOBS, manifest('x'));
    await world.commit('x', [{ op: 'claim', index: 0 }], { startTime: START });
    await tell(world, 'x', CREATED);
    await tell(world, 'x', ENDED);
    await tell(world, 'y', CREATED);
    const of = async (fields: Record<string, string>) => (await list(world, `?${selecting(fields)}`)).items.map(brief);
    const both = ['CronJob/x SuccessfulCreate 1', 'CronJob/x SawCompletedJob 1'];
    const named = { 'involvedObject.name': 'x', 'involvedObject.namespace': 'default' };
    expect(await of({ ...named, 'involvedObject.kind': 'CronJob', 'involvedObject.uid': uid })).toEqual(both);
    expect(await of({ 'involvedObject.kind': 'CronJob', 'involvedObject.apiVersion': 'batch/v1', ...named })).toEqual(
      both,
    );
    expect(await of({ 'involvedObject.kind': 'CronJob' })).toEqual([...both, 'CronJob/y SuccessfulCreate 1']);
    expect(await of({ ...named, 'involvedObject.uid': 'of-another' })).toEqual([]);
    expect(await of({ 'involvedObject.kind': 'Job', ...named })).toEqual(['Job/x SuccessfulCreate 1']);
    expect((await of(named)).length).toBeGreaterThan(2);
  });

  test('page by page, CronJobs first, nothing twice and nothing left out', async () => {
    const world = await aWorld();
    for (const name of ['a', 'b', 'c']) {
      await aCron(world, name);
      await tell(world, name, CREATED);
      await tell(world, name, ENDED);
    }
    await world.post(JOBS, manifest('a'));
    await world.commit('a', [{ op: 'claim', index: 0 }], { startTime: START });
    const named = selecting({ 'involvedObject.name': 'a' });
    for (const query of ['', `&${named}`]) {
      const whole = (await list(world, `?${query.slice(1)}`)).items;
      expect(whole.length).toBeGreaterThan(2);
      for (const limit of [1, 2, 3]) {
        const paged: Event[] = [];
        let next: string | undefined = '';
        do {
          const page: EventList = await list(world, `?limit=${limit}&continue=${next}${query}`);
          paged.push(...page.items);
          next = page.metadata.continue;
        } while (next !== undefined);
        expect(paged.map(brief)).toEqual(whole.map(brief));
      }
    }
    expect((await list(world)).items.map(({ involvedObject: { kind } }) => kind)[6]).not.toBe('CronJob');
  });

  test('a page goes on after a CronJob that is gone, and reads no Job twice', async () => {
    const world = await aWorld();
    for (const name of ['a', 'b', 'c']) {
      await aCron(world, name);
      await tell(world, name, CREATED);
    }
    const first = await list(world, '?limit=1');
    await world.app.request(`${CRONS}/b`, { method: 'DELETE' });
    const rest = await list(world, `?limit=5&continue=${first.metadata.continue}`);
    expect([...first.items, ...rest.items].map(brief)).toEqual([
      'CronJob/a SuccessfulCreate 1',
      'CronJob/c SuccessfulCreate 1',
    ]);
  });
});

describe('watched', () => {
  type Change = { readonly type: string; readonly object: Event };
  const watched = async (world: World, query: string): Promise<readonly string[]> =>
    ((await linesOf(await world.get(`${EVENTS}?watch=true&timeoutSeconds=4&${query}`))) as unknown as Change[]).map(
      ({ type, object }) => `${type} ${brief(object)}`,
    );

  /** A world whose steps are taken one after the other, while a watch waits. */
  async function aWatchedWorld(steps: ((world: World) => Promise<void>)[]): Promise<World> {
    let turn = Promise.resolve();
    const world: World = await aWorld(
      {},
      {
        onSleep: async () => {
          turn = turn.then(async () => steps.shift()?.(world));
          await turn;
        },
      },
    );
    await world.post(JOBS, manifest('other')); // a list has a number that is not 0
    await aCron(world, 'x');
    await aCron(world, 'y');
    await tell(world, 'x', CREATED, { at: plusMs(START, -3_600_000) });
    return world;
  }

  test('each is sent once, when the status of its CronJob changes', async () => {
    const world = await aWatchedWorld([
      (at) => tell(at, 'x', ENDED, { at: at.clock.now() }),
      (at) => tell(at, 'x', ACTIVE, { at: at.clock.now(), isInStatus: false }),
      (at) => tell(at, 'x', { ...CREATED, message: 'Created job x-2' }, { at: at.clock.now() }),
      (at) => tell(at, 'x', ENDED, { at: at.clock.now() }),
    ]);
    const { resourceVersion } = (await list(world)).metadata;
    const told = [
      'ADDED CronJob/x SawCompletedJob 1',
      'ADDED CronJob/x JobAlreadyActive 1',
      'ADDED CronJob/x SuccessfulCreate 1',
      'MODIFIED CronJob/x SawCompletedJob 2',
    ];
    // Of one kind: with another feed beside it, the world would take its steps faster than the watch reads.
    const ofCronJobs = selecting({ 'involvedObject.kind': 'CronJob' });
    expect(await watched(world, `resourceVersion=${resourceVersion}&${ofCronJobs}`)).toEqual(told);
  });

  test('existing Events come first, and are not repeated', async () => {
    const world = await aWatchedWorld([(at) => tell(at, 'x', ENDED, { at: at.clock.now() })]);
    expect(await watched(world, '')).toEqual([
      'ADDED CronJob/x SuccessfulCreate 1',
      'ADDED CronJob/x SawCompletedJob 1',
    ]);
  });

  test('only those that the selector asks for, with the number of the feed of Jobs', async () => {
    const world = await aWatchedWorld([
      (at) => tell(at, 'y', ENDED, { at: at.clock.now() }),
      (at) => tell(at, 'x', ENDED, { at: at.clock.now() }),
    ]);
    const { resourceVersion } = (await list(world)).metadata;
    const query = `resourceVersion=${resourceVersion}&${selecting({ 'involvedObject.name': 'y' })}`;
    const answer = await world.get(`${EVENTS}?watch=true&timeoutSeconds=3&${query}`);
    const changes = (await linesOf(answer)) as unknown as Change[];
    expect(changes.map(({ object }) => brief(object))).toEqual(['CronJob/y SawCompletedJob 1']);
    expect(changes[0]?.object.metadata.resourceVersion).toBe(resourceVersion);
  });

  test('a watch that goes on from a number gets what happened a moment before', async () => {
    const world = await aWatchedWorld([]);
    const { resourceVersion } = (await list(world)).metadata;
    await tell(world, 'x', ENDED, { at: plusMs(world.clock.now(), -2_000) });
    expect(await watched(world, `resourceVersion=${resourceVersion}`)).toEqual(['ADDED CronJob/x SawCompletedJob 1']);
  });

  test('Events of Jobs come beside them', async () => {
    const world = await aWatchedWorld([
      async (at) => {
        await at.post(JOBS, manifest('x'));
      },
      (at) => tell(at, 'x', ENDED, { at: at.clock.now() }),
      (at) => at.commit('x', [{ op: 'claim', index: 0 }], { startTime: START }),
    ]);
    const { resourceVersion } = (await list(world)).metadata;
    expect((await watched(world, `resourceVersion=${resourceVersion}`)).toSorted()).toEqual([
      'ADDED CronJob/x SawCompletedJob 1',
      'ADDED Job/x SuccessfulCreate 1',
    ]);
  });
});
