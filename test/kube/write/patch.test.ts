import { expect, test } from 'vitest';
import { aWorld } from '../a-world.ts';
import { APPLY, JOBS, JSON_PATCH, MERGE, STRATEGIC, type World, job, send } from './a-client.ts';

const URL = `${JOBS}/sums`;

async function withJob(spec: object = {}, metadata: object = {}): Promise<World> {
  const world = await aWorld();
  expect((await send(world, 'POST', JOBS, job('sums', { suspend: true, ...spec }, metadata))).code).toBe(201);
  return world;
}

test.each([
  ['merge', MERGE, { spec: { suspend: false }, metadata: { labels: { team: 'a' } } }],
  ['strategic', STRATEGIC, { spec: { suspend: false }, metadata: { labels: { team: 'a' } } }],
  [
    'json',
    JSON_PATCH,
    [
      { op: 'replace', path: '/spec/suspend', value: false },
      { op: 'add', path: '/metadata/labels/team', value: 'a' },
    ],
  ],
])('a %s patch changes the spec and the labels, and its field manager owns them', async (_, type, patch) => {
  const world = await withJob();
  const { body: before } = await send(world, 'GET', URL);
  const { code, body } = await send(world, 'PATCH', `${URL}?fieldManager=me`, patch, type);
  expect(code).toBe(200);
  expect(body.spec['suspend']).toBe(false);
  expect(body.metadata).toMatchObject({ generation: 2, labels: { team: 'a', 'job-name': 'sums' } });
  expect(Number(body.metadata.resourceVersion)).toBeGreaterThan(Number(before.metadata.resourceVersion));
  expect(body.metadata.managedFields?.find(({ manager }) => manager === 'me')).toMatchObject({
    operation: 'Update',
    fieldsV1: { 'f:metadata': { 'f:labels': { 'f:team': {} } }, 'f:spec': { 'f:suspend': {} } },
  });
  expect(await send(world, 'GET', URL)).toMatchObject({ body });
});

test('labels alone are no new generation', async () => {
  const world = await withJob();
  const { body } = await send(world, 'PATCH', URL, { metadata: { labels: { team: 'a' } } }, MERGE);
  expect(body.metadata.generation).toBe(1);
});

test('a patch that changes nothing leaves version and times', async () => {
  const world = await withJob();
  const { body: before } = await send(world, 'GET', URL);
  await world.clock.sleep(60_000);
  const { code, body } = await send(
    world,
    'PATCH',
    `${URL}?fieldManager=other`,
    { spec: { suspend: true } },
    STRATEGIC,
  );
  expect(code).toBe(200);
  expect(body).toEqual(before);
});

test('strategic merge finds containers by name', async () => {
  const world = await withJob();
  const patch = {
    spec: { template: { metadata: { labels: { x: 'y' } }, spec: { nodeSelector: { 'kubernetes.io/arch': 'arm64' } } } },
  };
  const { code, body } = await send(world, 'PATCH', URL, patch, STRATEGIC);
  expect(code).toBe(200);
  expect(body.spec['template']).toMatchObject({
    metadata: { labels: { x: 'y', 'job-name': 'sums' } },
    spec: { containers: [{ name: 'main', image: 'busybox' }], nodeSelector: { 'kubernetes.io/arch': 'arm64' } },
  });
});

test('a patch to an invalid Job is 422 with the path, and nothing is stored', async () => {
  const world = await withJob();
  const { body: before } = await send(world, 'GET', URL);
  const { code, body } = await send(world, 'PATCH', URL, { spec: { parallelism: -1 } }, MERGE);
  expect(code).toBe(422);
  expect(body).toMatchObject({
    reason: 'Invalid',
    message: 'Job.batch "sums" is invalid: spec.parallelism: Invalid value: -1: must be greater than or equal to 0',
    details: { causes: [{ field: 'spec.parallelism' }] },
  });
  expect((await send(world, 'GET', URL)).body).toEqual(before);
});

test('a change that is not allowed is reported', async () => {
  const world = await withJob();
  const { body } = await send(world, 'PATCH', URL, { spec: { completions: 9 } }, MERGE);
  expect(body.message).toBe('Job.batch "sums" is invalid: spec.completions: Invalid value: 9: field is immutable');
});

test('an unknown field: Strict refuses, Warn warns, Ignore drops it', async () => {
  const world = await withJob();
  const patch = { spec: { parallelism: 2, parallelisms: 3 } };
  const strict = await send(world, 'PATCH', `${URL}?fieldValidation=Strict`, patch, MERGE);
  expect(strict.code).toBe(422);
  expect(strict.body.message).toContain('strict decoding error: unknown field "spec.parallelisms"');
  const warn = await send(world, 'PATCH', `${URL}?fieldValidation=Warn`, patch, MERGE);
  expect(warn).toMatchObject({ code: 200, warnings: ['299 - "unknown field \\"spec.parallelisms\\""'] });
  expect(warn.body.spec).toMatchObject({ parallelism: 2 });
  expect(warn.body.spec).not.toHaveProperty('parallelisms');
  const ignore = await send(
    world,
    'PATCH',
    `${URL}?fieldValidation=Ignore`,
    { spec: { parallelism: 3, nope: 1 } },
    MERGE,
  );
  expect(ignore).toMatchObject({ code: 200, warnings: [] });
});

test('dryRun=All shows what would be and stores nothing', async () => {
  const world = await withJob();
  const { body: before } = await send(world, 'GET', URL);
  const { code, body } = await send(world, 'PATCH', `${URL}?dryRun=All`, { spec: { parallelism: 4 } }, MERGE);
  expect(code).toBe(200);
  expect(body).toMatchObject({ spec: { parallelism: 4 }, metadata: { generation: 2, uid: before.metadata.uid } });
  expect((await send(world, 'GET', URL)).body).toEqual(before);
});

test('a version that is not the newest is a conflict', async () => {
  const world = await withJob();
  const { body: before } = await send(world, 'GET', URL);
  await send(world, 'PATCH', URL, { metadata: { labels: { team: 'a' } } }, MERGE);
  const { resourceVersion } = before.metadata;
  const stale = await send(world, 'PATCH', URL, { metadata: { resourceVersion }, spec: { parallelism: 2 } }, MERGE);
  expect(stale).toMatchObject({
    code: 409,
    body: {
      reason: 'Conflict',
      message:
        'Operation cannot be fulfilled on jobs.batch "sums": the object has been modified; please apply your changes to the latest version and try again',
    },
  });
});

test('what was just committed counts, even before the feed has published it', async () => {
  const world = await withJob();
  const { resourceVersion } = (await send(world, 'GET', URL)).body.metadata;
  await world.commit('sums', [], { silent: true });
  const stale = await send(world, 'PATCH', URL, { metadata: { resourceVersion }, spec: { parallelism: 2 } }, MERGE);
  expect(stale.code).toBe(409);
});

test('of two patches at once both are there', async () => {
  const world = await withJob();
  const labels = Array.from({ length: 8 }, (_, i) => `l${i}`);
  const answers = await Promise.all(
    labels.map(async (label) => send(world, 'PATCH', URL, { metadata: { labels: { [label]: 'x' } } }, MERGE)),
  );
  expect(answers.map(({ code }) => code)).toEqual(labels.map(() => 200));
  expect((await send(world, 'GET', URL)).body.metadata.labels).toMatchObject(
    Object.fromEntries(labels.map((label) => [label, 'x'])),
  );
});

test('404, 415, and a body that is none', async () => {
  const world = await withJob();
  expect(await send(world, 'PATCH', `${JOBS}/none`, { spec: {} }, MERGE)).toMatchObject({
    code: 404,
    body: { message: 'jobs.batch "none" not found' },
  });
  expect(await send(world, 'PATCH', URL, {}, 'application/json')).toMatchObject({
    code: 415,
    body: {
      message:
        'the body of the request was in an unknown format - accepted media types include: application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml, application/strategic-merge-patch+json',
    },
  });
  expect((await send(world, 'PATCH', URL, '{', MERGE)).code).toBe(400);
  expect((await send(world, 'PATCH', URL, '', MERGE)).code).toBe(400);
  expect((await send(world, 'PATCH', URL, '[]', MERGE)).code).toBe(400);
  expect((await send(world, 'PATCH', URL, [{ op: 'test', path: '/spec/suspend', value: 7 }], JSON_PATCH)).code).toBe(
    422,
  );
});

test("options that mean nothing are refused in Kubernetes' words", async () => {
  const world = await withJob();
  const told = async (query: string, type = MERGE) => (await send(world, 'PATCH', `${URL}?${query}`, {}, type)).body;
  expect(await told('force=true')).toMatchObject({
    reason: 'Invalid',
    message: 'PatchOptions.meta.k8s.io "" is invalid: force: Forbidden: may not be specified for non-apply patch',
  });
  expect((await told('', APPLY)).message).toBe(
    'PatchOptions.meta.k8s.io "" is invalid: fieldManager: Required value: is required for apply patch',
  );
  expect((await told(`fieldManager=${'x'.repeat(129)}`)).message).toContain('may not be more than 128 bytes');
  expect((await told('dryRun=Some')).message).toContain('dryRun: Unsupported value: ["Some"]: supported values: "All"');
  expect((await told('fieldValidation=Some')).message).toContain(
    'fieldValidation: Unsupported value: "Some": supported values: "Ignore", "Strict", "Warn"',
  );
});

test('another image is refused by its path, and the answer says how to run it', async () => {
  const world = await aWorld();
  await send(world, 'POST', JOBS, job('sums'));
  const { body: stored } = await send(world, 'GET', `${JOBS}/sums`);
  const text = JSON.stringify(stored).replace('"image":"busybox"', '"image":"busybox:2"');
  const { code, body } = await send(world, 'PUT', `${JOBS}/sums`, text);
  expect([code, body.message]).toEqual([
    422,
    expect.stringMatching(
      /: spec\.template\.spec\.containers\[0\]\.image differs; to run it, delete the Job first, as muster run -f FILE --replace does: field is immutable$/,
    ),
  ]);
  expect(body.details?.causes?.map(({ field }) => field)).toEqual(['spec.template']);
});
