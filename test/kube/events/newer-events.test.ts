import { expect, test } from 'vitest';
import { linesOf } from '../a-world.ts';
import { EVENTS, type Event, aBusyJob, list, selector } from './some-events.ts';

// The Events of core/v1 in the shape of events.k8s.io/v1.

const NEWER = '/apis/events.k8s.io/v1/namespaces/default/events';

type Newer = { readonly metadata: object; readonly reason: string; readonly note: string; readonly regarding: object };

const newer = async (world: Awaited<ReturnType<typeof aBusyJob>>, query = '') => {
  const answer = await world.get(NEWER + query);
  return { status: answer.status, body: (await answer.json()) as { kind: string; apiVersion: string; items: Newer[] } };
};

test('are the same, one by one', async () => {
  const world = await aBusyJob();
  const { items } = await list(world);
  const { body } = await newer(world);
  expect(body).toMatchObject({ kind: 'EventList', apiVersion: 'events.k8s.io/v1' });
  const shown = ({ metadata, reason, message, involvedObject }: Event) => ({
    metadata,
    reason,
    note: message,
    regarding: involvedObject,
  });
  expect(body.items.length).toBeGreaterThan(3);
  expect(body.items).toMatchObject(items.map(shown));
});

test('have the fields of that version, and no others', async () => {
  const world = await aBusyJob();
  const { body } = await newer(world, selector({ reason: 'Failed' }));
  const { metadata, regarding, ...rest } = body.items[0]!;
  expect(metadata).toMatchObject({ namespace: 'default', resourceVersion: '3' });
  expect(regarding).toMatchObject({ kind: 'Pod', fieldPath: 'spec.containers{main}' });
  expect(rest).toEqual({
    apiVersion: 'events.k8s.io/v1',
    kind: 'Event',
    eventTime: null,
    reportingController: 'muster',
    reportingInstance: '',
    reason: 'Failed',
    note: 'Container main exited with code 3',
    type: 'Warning',
    deprecatedSource: { component: 'muster' },
    deprecatedFirstTimestamp: '2023-11-14T22:13:23Z',
    deprecatedLastTimestamp: '2023-11-14T22:13:23Z',
    deprecatedCount: 1,
  });
});

test.each([
  ['regarding.kind', 'involvedObject.kind', 'Job'],
  ['regarding.name', 'involvedObject.name', 'sums'],
  ['reportingController', 'reportingComponent', 'muster'],
  ['type', 'type', 'Warning'],
])('a selector by %s shows what core/v1 shows by %s', async (field, older, value) => {
  const world = await aBusyJob();
  const wanted = await list(world, selector({ [older]: value }));
  const { body } = await newer(world, selector({ [field]: value }));
  expect(body.items.length).toBeGreaterThan(0);
  expect(body.items.map(({ note }) => note)).toEqual(wanted.items.map(({ message }) => message));
});

test('a selector by a field of core/v1 is refused', async () => {
  const world = await aBusyJob();
  const refused = await newer(world, selector({ 'involvedObject.kind': 'Job' }));
  expect(refused).toMatchObject({
    status: 400,
    body: { message: 'field label not supported: involvedObject.kind' },
  });
});

test('are watched as those of core/v1 are', async () => {
  const world = await aBusyJob();
  const query = '?watch=true&timeoutSeconds=1&resourceVersion=1';
  const older = (await linesOf(await world.get(EVENTS + query))) as { type: string; object: Event }[];
  const told = (await linesOf(await world.get(NEWER + query))) as { type: string; object: Newer }[];
  expect(told.length).toBeGreaterThan(3);
  expect(told).toMatchObject(
    older.map(({ type, object: { metadata, message } }) => ({
      type,
      object: { apiVersion: 'events.k8s.io/v1', kind: 'Event', metadata, note: message },
    })),
  );
});

test('one is found by its name, a table has the same cells, and nobody writes them', async () => {
  const world = await aBusyJob();
  const { items } = await list(world);
  const name = items[0]?.metadata.name ?? '';
  const one = (await (await world.get(`${NEWER}/${name}`)).json()) as Newer;
  expect(one).toMatchObject({ apiVersion: 'events.k8s.io/v1', kind: 'Event', note: items[0]?.message });
  const accept = { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' };
  const cells = async (path: string) => {
    const table = (await (await world.get(path, accept)).json()) as { rows: { cells: unknown[] }[] };
    return table.rows.map((row) => row.cells);
  };
  expect(await cells(NEWER)).toEqual(await cells(EVENTS));
  expect((await world.post(NEWER, one)).status).toBe(405);
});
