import { describe, expect, test } from 'vitest';
import { isThere } from '../../support/kinds-there.ts';
import { aWorld } from '../a-world.ts';
import { APPLY, JOBS, MERGE, job, send } from './a-client.ts';

/** Smaller than what a request may send, until the managers of each field are known. */
const annotations = Object.fromEntries(Array.from({ length: 3_400 }, (_, n) => [String(n).padStart(60, 'a'), '']));

const cronJob = (metadata: object) => ({
  apiVersion: 'batch/v1',
  kind: 'CronJob',
  metadata,
  spec: { schedule: '0 5 * * *', jobTemplate: { spec: job('').spec } },
});

const ALL = [
  ['Jobs', JOBS, (metadata: object) => job('sums', { suspend: true }, metadata)],
  ['CronJobs', '/apis/batch/v1/namespaces/default/cronjobs', cronJob],
  ['Namespaces', '/api/v1/namespaces', (metadata: object) => ({ apiVersion: 'v1', kind: 'Namespace', metadata })],
] as const;

describe.each(ALL.filter(([plural]) => isThere(plural.slice(0, -1))))(
  '%s that are too large for a row',
  (_, path, document) => {
    const small = document({ name: 'sums' });
    const large = document({ name: 'sums', annotations });
    const refused = { code: 413, body: { kind: 'Status', reason: 'RequestEntityTooLarge', code: 413 } };

    test.each([
      ['created', 'POST', path, undefined],
      ['tried', 'POST', `${path}?dryRun=All`, undefined],
      ['applied', 'PATCH', `${path}/sums?fieldManager=me`, APPLY],
    ])('are not %s', async (_how, method, url, type) => {
      const world = await aWorld();
      expect(await send(world, method, url, large, type)).toMatchObject(refused);
      expect(await send(world, 'GET', `${path}/sums`)).toMatchObject({ code: 404 });
    });

    test.each([
      ['put', 'PUT', '', undefined, null],
      ['patched', 'PATCH', '', MERGE, { metadata: { annotations } }],
      ['tried', 'PATCH', '?dryRun=All', MERGE, { metadata: { annotations } }],
    ])('are not %s in the place of others', async (_how, method, query, type, body) => {
      const world = await aWorld();
      expect(await send(world, 'POST', path, small)).toMatchObject({ code: 201 });
      const before = await send(world, 'GET', `${path}/sums`);
      const { metadata, ...rest } = before.body;
      const sent = body ?? { ...rest, metadata: { ...metadata, annotations } };
      expect(await send(world, method, `${path}/sums${query}`, sent, type)).toMatchObject(refused);
      expect(await send(world, 'GET', `${path}/sums`)).toEqual(before);
    });

    test('but such as nearly fill it can be deleted', async () => {
      const world = await aWorld();
      const most = Object.entries(annotations).slice(0, 2_500);
      const held = { name: 'sums', annotations: Object.fromEntries(most), finalizers: ['example.com/held'] };
      expect(await send(world, 'POST', path, document(held))).toMatchObject({ code: 201 });
      expect(await send(world, 'DELETE', `${path}/sums`)).toMatchObject({ code: 200 });
      expect((await send(world, 'GET', `${path}/sums`)).body.metadata.deletionTimestamp).toBeDefined();
    });
  },
);
