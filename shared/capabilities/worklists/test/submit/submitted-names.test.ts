import { beforeEach, expect, test } from 'vitest';
import { aSubmitWorld, job } from '../../../../../test/runtime/a-submit-world.ts';

// Messages whose Jobs name a WorkList.

let w: Awaited<ReturnType<typeof aSubmitWorld>>;
beforeEach(async () => {
  w = await aSubmitWorld();
});

test('a WorkList that is missing: refused at once, with its Status, and nothing is stored', async () => {
  const body = { manifest: job('a', {}, { annotations: { 'muster.run/work-list': 'x' } }) };
  expect(await w.submit([body, { manifest: job('bystander') }])).toEqual([]);
  expect((await w.jobs()).map(({ metadata }) => metadata.name)).toEqual(['bystander']);
  const [letter, ...others] = w.letters;
  expect(others).toEqual([]);
  expect(letter?.body).toBe(JSON.stringify(body));
  expect(letter?.reason).toMatch(/work-list\]: Not found: "x"/);
  expect(JSON.parse(letter?.refusal?.status ?? '')).toMatchObject({ kind: 'Status', status: 'Failure', code: 422 });
  expect(letter?.refusal?.namespace).toBe('default');
  const [event] = await w.events();
  expect(event).toMatchObject({
    reason: 'SubmissionRefused',
    type: 'Warning',
    count: 1,
    involvedObject: { kind: 'Namespace', name: 'default', uid: 'ns-uid', apiVersion: 'v1' },
  });
  expect(event?.message).toMatch(/work-list\]: Not found: "x"/);
});

test('items that are a name are those of the WorkList of this name', async () => {
  await w.ask('POST', w.path('jobs'), job('report'));
  await w.submit([{ from: { kind: 'Job', name: 'report' }, items: 'fruits', name: 'mine' }]);
  expect(w.letters.map(({ reason }) => reason)).toEqual([expect.stringMatching(/work-list\]: Not found: "fruits"/)]);
  await w.submit([{ from: { kind: 'Job', name: 'report' }, items: 3 }]);
  expect(w.letters.at(-1)?.reason).toContain('items: must be an array of items, or the name of a WorkList');
});
