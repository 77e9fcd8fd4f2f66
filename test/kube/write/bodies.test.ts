import { expect, test } from 'vitest';
import { aWorld } from '../a-world.ts';
import { JOBS, job, send } from './a-client.ts';

test.each([
  ['status', { status: { active: 'x' } }, 'field status.active'],
  ['status', { status: [] }, 'field status of type object'],
  ['managedFields', { metadata: { name: 'sums', managedFields: 'x' } }, 'field metadata.managedFields'],
  ['creationTimestamp', { metadata: { name: 'sums', creationTimestamp: 'x' } }, 'field metadata.creationTimestamp'],
  ['uid', { metadata: { name: 'sums', uid: 7 } }, 'number 7 into field metadata.uid of type string'],
])('a wrongly typed %s cannot be read: %j', async (_, more, message) => {
  const world = await aWorld();
  const { code, body } = await send(world, 'POST', JOBS, { ...job('sums'), ...more });
  expect([code, body.message]).toEqual([400, expect.stringContaining(message)]);
});

test('a byte order mark is no JSON; YAML may begin with one', async () => {
  const world = await aWorld();
  const text = JSON.stringify(job('sums'));
  expect((await send(world, 'POST', JOBS, `\uFEFF${text}`)).code).toBe(400);
  expect((await send(world, 'POST', JOBS, `\uFEFF${text}`, 'application/yaml')).code).toBe(201);
});

test('an int64 is taken up to its end, and shown as one', async () => {
  const world = await aWorld();
  const text = JSON.stringify(job('sums', { activeDeadlineSeconds: 7 })).replace(
    '"activeDeadlineSeconds":7',
    '"activeDeadlineSeconds":9223372036854775807',
  );
  const { code, body } = await send(world, 'POST', JOBS, text);
  expect(code).toBe(201);
  const shown = JSON.stringify(body.spec['activeDeadlineSeconds']);
  expect(BigInt(shown)).toBeLessThanOrEqual(9_223_372_036_854_775_807n);
  expect(BigInt(shown)).toBeGreaterThan(9_223_372_036_854_000_000n);
  expect((await send(world, 'PUT', `${JOBS}/sums`, body)).body.metadata.generation).toBe(1);
  const wrong = job('more', { activeDeadlineSeconds: 1e30 });
  expect((await send(world, 'POST', JOBS, wrong)).code).toBe(400);
});

test.each(['invalid', '5', 'h'])('a timeout that is no duration is refused: %s', async (timeout) => {
  const world = await aWorld();
  expect(await send(world, 'GET', `${JOBS}?timeout=${timeout}`)).toMatchObject({
    code: 400,
    body: { message: expect.stringContaining('invalid timeout specified in the request URL - ') as string },
  });
  for (const good of ['32s', '1h30m', '0', ''])
    expect((await send(world, 'GET', `${JOBS}?timeout=${good}`)).code).toBe(200);
});

test('an answer to a question is no table', async () => {
  const world = await aWorld();
  const path = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews';
  const ask = (accept: string) =>
    world.post(path, { spec: { resourceAttributes: { verb: 'get', resource: 'pods' } } }, { accept });
  const table = 'application/json;as=Table;v=v1;g=meta.k8s.io';
  expect((await ask(table)).status).toBe(406);
  expect((await ask(`${table},application/json`)).status).toBe(201);
});

test('what stands twice and what there is not are told at once', async () => {
  const world = await aWorld();
  const text = JSON.stringify(job('sums', { parallelism: 1, paralelism: 2 })).replace(
    '"parallelism":1',
    '"parallelism":1,"parallelism":1',
  );
  const { code, body } = await send(world, 'POST', JOBS, text);
  expect([code, body.message]).toEqual([
    400,
    'Job in version "v1" cannot be handled as a Job: strict decoding error: duplicate field "spec.parallelism", unknown field "spec.paralelism"',
  ]);
});
