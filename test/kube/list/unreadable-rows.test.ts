import { expect, test } from 'vitest';
import { asJobUid } from '../../../shared/domain/base/ids.ts';
import { UnreadableRow } from '../../../shared/domain/base/unreadable-row.ts';
import { openNamespace } from '../../support/a-namespace.ts';
import { JOBS, aWorld, manifest } from '../a-world.ts';

type Failure = { code: number; reason: string; message: string; details: { causes: { field: string }[] } };

/** Jobs `a`, `b`, `c` in `default` and `d` in `team`; the rows of `b` and `c` are damaged. */
async function aWorldWithDamage() {
  const world = await aWorld();
  await openNamespace(world.objects, 'team');
  for (const name of ['a', 'b', 'c']) await world.post(JOBS, manifest(name));
  await world.post(JOBS.replace('default', 'team'), manifest('d'));
  const uids = await Promise.all(['b', 'c'].map(async (name) => world.jobs.findJob('default', name)));
  const readSpec = world.jobs.readSpec.bind(world.jobs);
  world.jobs.readSpec = async (uid) => {
    if (!uids.includes(uid)) return readSpec(uid);
    throw new UnreadableRow(`JOB#${uid}#SPEC`, '/data/jobs.lmdb', 'do this', new SyntaxError('Unexpected token'));
  };
  return { world, keys: uids.map((uid) => `JOB#${uid ?? asJobUid('')}#SPEC`) };
}

test('a list names every row that cannot be decoded, as Kubernetes does, and what to do', async () => {
  const { world, keys } = await aWorldWithDamage();
  const answer = await world.get(JOBS);
  const { code, reason, message, details } = (await answer.json()) as Failure;
  expect([answer.status, code, reason]).toEqual([500, 500, 'StorageReadError']);
  const why = `row ${keys[0]} of /data/jobs.lmdb cannot be decoded (Unexpected token): do this`;
  expect(message).toBe(`failed to read from the storage: ${why} (and 1 more)`);
  expect(details.causes.map(({ field }) => field)).toEqual(keys);
  expect(details.causes[0]).toEqual({ reason: 'UnexpectedServerResponse', message: why, field: keys[0] });
});

test('a page that ends before it is whole, and one that holds it is not', async () => {
  const { world } = await aWorldWithDamage();
  const first = await world.get(`${JOBS}?limit=1`);
  const { metadata } = (await first.json()) as { metadata: { continue: string } };
  expect(first.status).toBe(200);
  expect((await world.get(`${JOBS}?limit=1&continue=${metadata.continue}`)).status).toBe(500);
});

test('other Jobs, and other namespaces, are shown as ever', async () => {
  const { world, keys } = await aWorldWithDamage();
  const statuses = await Promise.all(
    [`${JOBS}/a`, `${JOBS}/b`, JOBS.replace('default', 'team'), '/apis/batch/v1/jobs'].map(
      async (path) => (await world.get(path)).status,
    ),
  );
  expect(statuses).toEqual([200, 500, 200, 500]);
  const { message } = (await (await world.get(`${JOBS}/b`)).json()) as Failure;
  expect(message).toContain(keys[0]);
});

test('a watch ends with what is wrong', async () => {
  const { world } = await aWorldWithDamage();
  const text = await (await world.get(`${JOBS}?watch=1&timeoutSeconds=1`)).text();
  const last = JSON.parse(text.trim().split('\n').at(-1) ?? '') as { type: string; object: Failure };
  expect([last.type, last.object.reason]).toEqual(['ERROR', 'StorageReadError']);
});

test('any other failure of a list is one that may pass', async () => {
  const { world } = await aWorldWithDamage();
  world.jobs.readSpec = async () => Promise.reject(new Error('throttled'));
  const { reason, message } = (await (await world.get(JOBS)).json()) as Failure;
  expect([reason, message]).toEqual(['InternalError', expect.stringContaining('it may be repeated')]);
});
