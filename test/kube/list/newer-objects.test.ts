import { expect, test } from 'vitest';
import { isThere } from '../../support/kinds-there.ts';
import { JOBS, PODS, linesOf } from '../a-world.ts';
import { aWorldWithNewer, aWorldWithNewerRows, makeNewer, namesIn, warningOf } from './newer-rows.ts';

const CRONS = '/apis/batch/v1/namespaces/default/cronjobs';
const WORK_LISTS = '/apis/muster.run/v1/namespaces/default/worklists';
const EVENTS = '/api/v1/namespaces/default/events';

test.each([
  [JOBS, 'Job default/newer', ['a', 'z']],
  ['/apis/batch/v1/jobs', 'Job default/newer', ['a', 'z']],
  [PODS, 'the Pods of Job default/newer', ['a', 'z']],
])('a list leaves out what a later release has stored, and says so: %s', async (path, what, names) => {
  const world = await aWorldWithNewer();
  const answer = await world.get(path);
  expect([answer.status, answer.headers.get('warning')]).toEqual([200, warningOf(what)]);
  expect(await namesIn(answer)).toEqual(names);
});

test('Events are those of the other Jobs', async () => {
  const world = await aWorldWithNewer();
  const answer = await world.get(EVENTS);
  expect([answer.status, answer.headers.get('warning')]).toEqual([200, warningOf('Events of default/newer')]);
  const { items } = (await answer.json()) as { items: { involvedObject: { name: string } }[] };
  const about = new Set(items.map(({ involvedObject }) => involvedObject.name.replace(/-0-[a-z0-9]{5}$/, '')));
  expect([...about].sort()).toEqual(['a', 'z']);
});

test('several are one warning, with their number; pages of a list have it where they leave one out', async () => {
  const world = await aWorldWithNewer();
  makeNewer(world, [await world.uidOf('z')]);
  expect((await world.get(JOBS)).headers.get('warning')).toBe(warningOf('Job default/newer and 1 more'));
  const first = await world.get(`${JOBS}?limit=1`);
  expect(await namesIn(first.clone())).toEqual(['a']);
  const { metadata } = (await first.json()) as { metadata: { continue?: string } };
  expect(metadata.continue).toBeDefined();
  const rest = await world.get(`${JOBS}?limit=1&continue=${metadata.continue ?? ''}`);
  expect([await namesIn(rest.clone()), rest.headers.get('warning')]).toEqual([
    [],
    warningOf('Job default/newer and 1 more'),
  ]);
});

test.each([`${JOBS}/newer`, `${JOBS}?fieldSelector=metadata.name=newer`, `${PODS}?labelSelector=job-name=newer`])(
  'a request for that one alone is answered with why: %s',
  async (path) => {
    const answer = await (await aWorldWithNewer()).get(path);
    const { reason, message } = (await answer.json()) as { reason: string; message: string };
    expect([answer.status, reason]).toEqual([503, 'ServiceUnavailable']);
    expect(message).toContain('was stored by a later release of Muster');
  },
);

test.each([JOBS, PODS])('a watch shows the others, and goes on: %s', async (path) => {
  const world = await aWorldWithNewer();
  const lines = await linesOf(await world.get(`${path}?watch=1&timeoutSeconds=1`));
  expect(lines.map(({ type }) => type)).toEqual(['ADDED', 'ADDED']);
  const since = (await world.feed.head()) - 3;
  const resumed = await linesOf(await world.get(`${path}?watch=1&timeoutSeconds=1&resourceVersion=${since}`));
  expect(resumed.map(({ type }) => type)).not.toContain('ERROR');
  expect(resumed.length).toBeGreaterThan(0);
});

test('a watch of that one alone ends with why', async () => {
  const world = await aWorldWithNewer();
  const path = `${JOBS}?watch=1&timeoutSeconds=1&fieldSelector=metadata.name=newer`;
  const last = (await linesOf(await world.get(path))).at(-1) as { type: string; object: { reason: string } };
  expect([last.type, last.object.reason]).toEqual(['ERROR', 'ServiceUnavailable']);
});

test.each(
  [
    [CRONS, 'CronJob'],
    [WORK_LISTS, 'WorkList'],
  ].filter(([, kind]) => isThere(kind ?? '')),
)('rows that have a later layout: %s', async (path, kind) => {
  const world = await aWorldWithNewerRows();
  const answer = await world.get(path);
  expect([answer.status, answer.headers.get('warning')]).toEqual([200, warningOf(`${kind} default/newer`)]);
  expect(await linesOf(await world.get(`${path}?watch=1&timeoutSeconds=1`))).toEqual([]);
  expect((await world.get(EVENTS)).status).toBe(200);
});
