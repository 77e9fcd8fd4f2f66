import { describe, expect, test } from 'vitest';
import { createMemoryHostnames } from '../memory-hostnames.ts';
import { aWorld } from '../../../../../test/kube/a-world.ts';
import { JOBS, MERGE, type World, job, send } from '../../../../../test/kube/write/a-client.ts';

const named = (name: string, completions: number) => {
  const document = job(name, { completions, parallelism: completions, completionMode: 'Indexed' });
  const { template } = document.spec;
  return { ...document, spec: { ...document.spec, template: { spec: { ...template.spec, subdomain: 'workers' } } } };
};
const resize = async (world: World, completions: number) =>
  send(world, 'PATCH', `${JOBS}/train`, { spec: { completions, parallelism: completions } }, MERGE);
const counts = async ({ hosts }: World): Promise<readonly number[]> =>
  (await hosts.reservations()).map(({ count }) => count).sort((a, b) => a - b);
const aNamedWorld = () => aWorld({}, { ports: { hostnames: createMemoryHostnames({ zone: 'muster.internal' }) } });

describe('a Job whose tasks have names', () => {
  test('reserves one for each index', async () => {
    const world = await aNamedWorld();
    expect((await send(world, 'POST', JOBS, named('train', 1_500))).code).toBe(201);
    expect(await world.hosts.reservations()).toMatchObject([{ uid: await world.uidOf('train'), count: 1_500 }]);
  });

  test('is refused with the numbers where others have reserved too many', async () => {
    const world = await aNamedWorld();
    await send(world, 'POST', JOBS, named('train', 1_500));
    const answer = await send(world, 'POST', JOBS, named('other', 501));
    expect([answer.code, answer.body.reason]).toEqual([422, 'Invalid']);
    expect(answer.body.details?.causes).toEqual([
      {
        reason: 'FieldValueInvalid',
        field: 'spec.template.spec.subdomain',
        message:
          'Invalid value: "workers": the Job needs 501 names, and 500 are left: other Jobs that are there have reserved 1500 of 2000',
      },
    ]);
    // A dry run says the same.
    const dry = await send(world, 'POST', `${JOBS}?dryRun=All`, named('other', 501));
    expect([dry.code, dry.body.details?.causes]).toEqual([422, answer.body.details?.causes]);
    expect((await send(world, 'POST', `${JOBS}?dryRun=All`, named('other', 500))).code).toBe(201);
    expect(await counts(world)).toEqual([1_500]);
    expect((await world.get(`${JOBS}/other`)).status).toBe(404);
    expect((await send(world, 'POST', JOBS, named('other', 500))).code).toBe(201);
  });

  test('that is not created has reserved nothing', async () => {
    const world = await aNamedWorld();
    await send(world, 'POST', JOBS, named('train', 10));
    expect((await send(world, 'POST', JOBS, named('train', 10))).code).toBe(409);
    expect(await world.hosts.reservations()).toMatchObject([{ count: 10 }]);
    expect((await send(world, 'POST', JOBS.replace('default', 'nowhere'), named('train', 10))).code).toBe(404);
    expect(await world.hosts.reservations()).toHaveLength(1);
  });

  test('that already exists is reported as such, however often it is created, even if names run out', async () => {
    const world = await aNamedWorld();
    await send(world, 'POST', JOBS, named('train', 1_500));
    const again = await send(world, 'POST', JOBS, named('train', 1_500));
    expect([again.code, again.body.reason]).toEqual([409, 'AlreadyExists']);
    const nowhere = await send(world, 'POST', JOBS.replace('default', 'nowhere'), named('train', 1_500));
    expect([nowhere.code, nowhere.body.reason]).toEqual([404, 'NotFound']);
    expect(await counts(world)).toEqual([1_500]);
  });

  test('reserves more before it grows, and does not grow if there are none', async () => {
    const world = await aNamedWorld();
    await send(world, 'POST', JOBS, named('train', 1_000));
    await send(world, 'POST', JOBS, named('other', 900));
    expect((await resize(world, 1_100)).code).toBe(200);
    expect(await counts(world)).toEqual([900, 1_100]);
    const answer = await resize(world, 1_101);
    expect([answer.code, answer.body.details?.causes?.[0]?.field]).toEqual([422, 'spec.completions']);
    expect(answer.body.message).toContain('needs 1101 names, and 1100 are left');
    // A smaller one keeps what it has: indexes that still run have names.
    expect((await resize(world, 10)).code).toBe(200);
    expect(await counts(world)).toEqual([900, 1_100]);
  });

  test('reserves nothing where tasks have no names', async () => {
    const world = await aNamedWorld();
    await send(world, 'POST', JOBS, job('plain', { completions: 10, completionMode: 'Indexed' }));
    expect(await world.hosts.reservations()).toEqual([]);
  });
});
