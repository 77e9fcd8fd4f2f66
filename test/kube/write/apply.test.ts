import { expect, test } from 'vitest';
import { aWorld } from '../a-world.ts';
import { APPLY, JOBS, MERGE, type World, job, send } from './a-client.ts';

const URL = `${JOBS}/sums`;
const apply = async (world: World, manager: string, config: object | string, query = '') =>
  send(world, 'PATCH', `${URL}?fieldManager=${manager}&force=false${query}`, config, APPLY);

test('applied where nothing is, a Job is made; applied again, nothing changes', async () => {
  const world = await aWorld();
  const first = await apply(world, 'kubectl', job('sums', { parallelism: 2, suspend: true }));
  expect(first.code).toBe(201);
  expect(first.body.metadata.managedFields).toMatchObject([{ manager: 'kubectl', operation: 'Apply' }]);
  expect(first.body.metadata.managedFields?.[0]?.fieldsV1).toEqual({
    'f:spec': {
      'f:parallelism': {},
      'f:suspend': {},
      'f:template': {
        'f:spec': {
          'f:restartPolicy': {},
          'f:containers': { 'k:{"name":"main"}': { '.': {}, 'f:name': {}, 'f:image': {} } },
        },
      },
    },
  });
  await world.clock.sleep(60_000);
  const again = await apply(world, 'kubectl', job('sums', { parallelism: 2, suspend: true }));
  expect(again.code).toBe(200);
  expect(again.body).toEqual(first.body);
});

test('what is applied again without the defaults that were filled in changes nothing, times included', async () => {
  const world = await aWorld();
  const env = [{ name: 'POD', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } }];
  const ports = [{ containerPort: 80 }];
  const main = { name: 'main', image: 'busybox', imagePullPolicy: 'IfNotPresent', tty: false, env, ports };
  const template = { spec: { restartPolicy: 'Never', volumes: [{ name: 'v' }], containers: [main] } };
  const config = { ...job('sums'), spec: { suspend: true, template } };
  const first = await apply(world, 'kubectl', config);
  expect(first.body.spec).toMatchObject({
    template: {
      spec: {
        dnsPolicy: 'ClusterFirst',
        volumes: [{ name: 'v', emptyDir: {} }],
        containers: [
          {
            ...main,
            env: [{ name: 'POD', valueFrom: { fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.name' } } }],
            ports: [{ containerPort: 80, protocol: 'TCP' }],
          },
        ],
      },
    },
  });
  await world.clock.sleep(60_000);
  const again = await apply(world, 'kubectl', config);
  expect(again.body).toEqual(first.body);
  const put = await send(world, 'PUT', `${URL}?fieldManager=other`, first.body);
  expect(put.body).toEqual(first.body);
});

test('YAML is read', async () => {
  const world = await aWorld();
  const yaml = `apiVersion: batch/v1
kind: Job
metadata: {name: sums}
spec:
  template:
    spec:
      restartPolicy: Never
      containers: [{name: main, image: busybox}]
`;
  expect((await apply(world, 'me', yaml)).code).toBe(201);
});

test('what another manages is a conflict that names field and manager, unless it is forced', async () => {
  const world = await aWorld();
  await apply(world, 'one', job('sums', { parallelism: 2, suspend: true }));
  const refused = await apply(world, 'two', job('sums', { parallelism: 3, suspend: true }));
  expect(refused).toMatchObject({
    code: 409,
    body: {
      reason: 'Conflict',
      message: 'Apply failed with 1 conflict: conflict with "one": .spec.parallelism',
      details: {
        causes: [{ reason: 'FieldManagerConflict', field: '.spec.parallelism', message: 'conflict with "one"' }],
      },
    },
  });
  expect((await send(world, 'GET', URL)).body.spec['parallelism']).toBe(2);
  const forced = await send(
    world,
    'PATCH',
    `${URL}?fieldManager=two&force=true`,
    job('sums', { parallelism: 3, suspend: true }),
    APPLY,
  );
  expect(forced.body.spec['parallelism']).toBe(3);
  // Taken from the first manager, which may continue with the rest.
  const one = forced.body.metadata.managedFields?.find(({ manager }) => manager === 'one');
  expect(one?.fieldsV1).toMatchObject({ 'f:spec': { 'f:suspend': {} } });
  expect(one?.fieldsV1).not.toMatchObject({ 'f:spec': { 'f:parallelism': {} } });
});

test('a label that is no longer applied is removed', async () => {
  const world = await aWorld();
  await apply(world, 'one', job('sums', {}, { labels: { a: '1', b: '2' } }));
  await send(world, 'PATCH', `${URL}?fieldManager=edit`, { metadata: { labels: { c: '3' } } }, MERGE);
  const { body } = await apply(world, 'one', job('sums', {}, { labels: { b: '2' } }));
  expect(body.metadata.labels).toEqual({ b: '2', c: '3' });
});

test('a configuration is about the Job at its address', async () => {
  const world = await aWorld();
  expect(await apply(world, 'me', job('other'))).toMatchObject({
    code: 400,
    body: { message: 'the name of the object (other) does not match the name on the URL (sums)' },
  });
  expect((await apply(world, 'me', { ...job('sums'), kind: 'CronJob' })).code).toBe(400);
  expect((await apply(world, 'me', job('sums', {}, { namespace: 'else' }))).code).toBe(400);
  expect((await apply(world, 'me', '- 1')).code).toBe(400);
  expect(await apply(world, 'me', { ...job('sums'), metadata: { name: 'sums', managedFields: [{}] } })).toMatchObject({
    code: 400,
    body: { message: expect.stringContaining('metadata.managedFields must be nil') as unknown },
  });
  expect((await send(world, 'GET', URL)).code).toBe(404);
});

test('an invalid one is 422 and makes nothing; a dry run neither', async () => {
  const world = await aWorld();
  expect((await apply(world, 'me', job('sums', { parallelism: -1 }))).code).toBe(422);
  const dry = await apply(world, 'me', job('sums'), '&dryRun=All');
  expect(dry).toMatchObject({ code: 201, body: { spec: { parallelism: 1 } } });
  expect((await send(world, 'GET', URL)).code).toBe(404);
});

test('in a namespace that is not there', async () => {
  const world = await aWorld();
  const path = '/apis/batch/v1/namespaces/none/jobs/sums?fieldManager=me';
  expect(await send(world, 'PATCH', path, job('sums'), APPLY)).toMatchObject({
    code: 404,
    body: { message: 'namespaces "none" not found' },
  });
});

test('no manager owns what the server has generated, so a Job that was created can be applied to without it', async () => {
  const world = await aWorld();
  await send(world, 'POST', `${JOBS}?fieldManager=kubectl-create`, job('sums', { parallelism: 2 }));
  const { body } = await send(world, 'GET', URL);
  const [entry] = body.metadata.managedFields ?? [];
  expect(entry).toMatchObject({ manager: 'kubectl-create', operation: 'Update' });
  expect(JSON.stringify(entry?.fieldsV1)).not.toMatch(/selector|labels|controller-uid/);
  expect(entry?.fieldsV1).toMatchObject({
    'f:spec': { 'f:parallelism': {}, 'f:backoffLimit': {}, 'f:completionMode': {} },
  });
  // As kubectl does it: the creator's entry becomes an apply entry.
  const managedFields = [{ ...entry, operation: 'Apply', manager: 'kubectl' }];
  const migrated = await send(
    world,
    'PATCH',
    URL,
    [{ op: 'replace', path: '/metadata/managedFields', value: managedFields }],
    'application/json-patch+json',
  );
  expect(migrated.code).toBe(200);
  expect(migrated.body.metadata.managedFields).toMatchObject(managedFields);
  expect((await apply(world, 'kubectl', job('sums', { parallelism: 1 }))).body.spec['parallelism']).toBe(1);
});

test('a writer may reset the managers', async () => {
  const world = await aWorld();
  await apply(world, 'one', job('sums', { parallelism: 2 }));
  const { body } = await send(world, 'GET', URL);
  const reset = { ...body, metadata: { ...body.metadata, managedFields: [{}] } };
  expect((await send(world, 'PUT', URL, reset)).body.metadata.managedFields ?? []).toEqual([]);
});
