import { expect, test } from 'vitest';
import { aWorld } from '../a-world.ts';
import { APPLY, JOBS, JSON_PATCH, MERGE, STRATEGIC, job, send } from './a-client.ts';

test.each([
  ['status', { status: { active: 'x' } }, 'field status.active'],
  ['status', { status: [] }, 'field status of type object'],
  ['managedFields', { metadata: { name: 'sums', managedFields: 'x' } }, 'field metadata.managedFields'],
  ['creationTimestamp', { metadata: { name: 'sums', creationTimestamp: 'x' } }, 'field metadata.creationTimestamp'],
  ['uid', { metadata: { name: 'sums', uid: 7 } }, 'number into field metadata.uid of type string'],
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

test('duplicate and unknown fields are reported together', async () => {
  const world = await aWorld();
  const text = JSON.stringify(job('sums', { parallelism: 1, paralelism: 2 })).replace(
    '"parallelism":1',
    '"parallelism":1,"parallelism":1',
  );
  const { code, body } = await send(world, 'POST', `${JOBS}?fieldValidation=Strict`, text);
  expect([code, body.message]).toEqual([
    400,
    'Job in version "v1" cannot be handled as a Job: strict decoding error: duplicate field "spec.parallelism", unknown field "spec.paralelism"',
  ]);
});

const wrong = (text: string, path: string) =>
  `json: cannot unmarshal number ${text} into field ${path} of type integer`;
const LINE = 'Job in version "v1" cannot be handled as a Job: ';

test.each(['2.0', '2e0', '1E1', '-0.0', '20e-1'])('an integer field does not take %s', async (number) => {
  const world = await aWorld();
  const written = (object: unknown) => JSON.stringify(object).replace('"NUMBER"', number);
  const created = await send(world, 'POST', JOBS, written(job('sums', { parallelism: 'NUMBER' })));
  expect([created.code, created.body.message]).toEqual([400, LINE + wrong(number, 'spec.parallelism')]);
  expect(created.body.details?.causes?.[0]?.field).toBe('spec.parallelism');
  expect((await send(world, 'POST', JOBS, job('sums', { parallelism: 2 }))).code).toBe(201);
  const put = await send(world, 'PUT', `${JOBS}/sums`, written(job('sums', { parallelism: 'NUMBER' })));
  expect([put.code, put.body.message]).toEqual([400, LINE + wrong(number, 'spec.parallelism')]);
  const merged = await send(world, 'PATCH', `${JOBS}/sums`, written({ spec: { parallelism: 'NUMBER' } }), MERGE);
  expect([merged.code, merged.body.message]).toEqual([
    422,
    expect.stringContaining(wrong(number, 'spec.parallelism')) as string,
  ]);
  const steps = [
    { op: 'add', path: '/metadata/labels', value: {} },
    { op: 'replace', path: '/spec/parallelism', value: 'NUMBER' },
  ];
  const patched = await send(world, 'PATCH', `${JOBS}/sums`, written(steps), JSON_PATCH);
  expect([patched.code, patched.body.message]).toEqual([
    422,
    expect.stringContaining(wrong(number, 'spec.parallelism')) as string,
  ]);
  expect((await send(world, 'GET', `${JOBS}/sums`)).body.spec['parallelism']).toBe(2);
});

test('a float deep within an object is found, in lists and in what a patch puts whole', async () => {
  const world = await aWorld();
  const text = JSON.stringify(job('sums')).replace('"image"', '"ports":[{"containerPort":8e1}],"image"');
  const path = 'spec.template.spec.containers[0].ports[0].containerPort';
  expect((await send(world, 'POST', JOBS, text)).body.message).toBe(LINE + wrong('8e1', path));
  await send(world, 'POST', JOBS, job('sums'));
  const step = '[{"op":"add","path":"/spec/podFailurePolicy","value":{"rules":[{"onExitCodes":{"values":[1.0]}}]}}]';
  expect((await send(world, 'PATCH', `${JOBS}/sums`, step, JSON_PATCH)).body.message).toContain(
    wrong('1.0', 'spec.podFailurePolicy.rules[0].onExitCodes.values[0]'),
  );
});

test('a float is allowed where no integer is required, and where values are merged, not texts', async () => {
  const world = await aWorld();
  const annotated = JSON.stringify(job('sums', {}, { annotations: { json: '{"parallelism":2.0}' } }));
  const limited = annotated.replace('"image"', '"resources":{"limits":{"cpu":1.0,"memory":2e9}},"image"');
  expect((await send(world, 'POST', JOBS, limited)).code).toBe(201);
  const spec = '{"spec":{"parallelism":2.0}}';
  expect((await send(world, 'PATCH', `${JOBS}/sums`, spec, STRATEGIC)).body.spec['parallelism']).toBe(2);
  const config = JSON.stringify({ ...job('more'), spec: {} }).replace('"spec":{}', '"spec":{"parallelism":2.0}');
  const applied = await send(
    world,
    'PATCH',
    `${JOBS}/sums?fieldManager=me&force=true`,
    config.replace('more', 'sums'),
    APPLY,
  );
  expect([applied.code, applied.body.spec['parallelism']]).toEqual([200, 2]);
  const yaml = 'apiVersion: batch/v1\nkind: Job\nmetadata: { name: yaml }\nspec: { parallelism: 2.0, ';
  const template = 'template: { spec: { restartPolicy: Never, containers: [{ name: main, image: busybox }] } } }';
  expect((await send(world, 'POST', JOBS, yaml + template, 'application/yaml')).code).toBe(201);
});

test.each<[string, string, string, string, string?]>([
  ['merge', MERGE, '{"spec":{"parallelism":1,"paralelism":2,"parallelism":1}}', 'spec.parallelism'],
  ['strategic merge', STRATEGIC, '{"spec":{"parallelism":1,"paralelism":2,"parallelism":1}}', 'spec.parallelism'],
  ['JSON', JSON_PATCH, '[{"op":"add","op":"add","path":"/spec/paralelism","value":2}]', '[0].op', 'json patch '],
])('a %s patch reports duplicate and unknown fields together', async (_, type, text, twice, prefix = '') => {
  const world = await aWorld();
  await send(world, 'POST', JOBS, job('sums'));
  const { code, body } = await send(world, 'PATCH', `${JOBS}/sums?fieldValidation=Strict`, text, type);
  expect([code, body.message]).toEqual([
    422,
    expect.stringContaining(
      `: strict decoding error: ${prefix}duplicate field "${twice}", unknown field "spec.paralelism"`,
    ),
  ]);
  const warned = await send(world, 'PATCH', `${JOBS}/sums?fieldValidation=Warn`, text, type);
  expect([warned.code, warned.warnings.join()]).toEqual([200, expect.stringMatching(/duplicate field.*unknown field/)]);
});
