import { expect, test } from 'vitest';
import { MANIFEST_BYTES_MAX } from '../../../shared/schema/object/document.ts';
import { JOBS, type World, aWorld, manifest } from '../a-world.ts';
import { NASTY_REQUESTS, PREPARED, bodyOf } from './nasty-requests.ts';
import type { NastyRequest } from './request-forms.ts';

/** A refusal tells a hundred faults, each at most twice. */
const REFUSAL_BYTES_MAX = 128 * 1024;
/** What is stored is shown, with its managers. */
const SHOWN_BYTES_MAX = 2 * MANIFEST_BYTES_MAX;

async function prepared(): Promise<World> {
  const world = await aWorld({}, { submissions: { send: async () => 'm-1' } });
  expect((await world.post(JOBS, manifest('sums'))).status).toBe(201);
  for (const { path, body } of PREPARED) expect((await world.post(path, body)).status).toBe(201);
  return world;
}

const send = (world: World, request: NastyRequest): Promise<Response> => {
  const body = bodyOf(request);
  return Promise.resolve(
    world.app.request(request.path, {
      method: request.method ?? 'POST',
      headers: { 'content-type': request.type ?? 'application/json' },
      ...(body === undefined ? {} : { body }),
    }),
  );
};

test.each(NASTY_REQUESTS.map((request) => [request.what, request] as const))('%s', async (_, request) => {
  // Otherwise it is refused for its size alone.
  expect(bodyOf(request)?.length ?? 0).toBeLessThanOrEqual(MANIFEST_BYTES_MAX);
  const world = await prepared();
  const answer = await send(world, request);
  const text = await answer.text();
  expect([200, 201, 202, 400, 409, 413, 422], text.slice(0, 1_000)).toContain(answer.status);
  expect(text.length).toBeLessThanOrEqual(answer.ok ? SHOWN_BYTES_MAX : REFUSAL_BYTES_MAX);
});

test('an answer names a hundred faults, and how many more there are', async () => {
  const world = await prepared();
  const limits = Array.from({ length: 130 }, () => ({ type: 'x' }));
  const answer = await world.post('/api/v1/namespaces/default/limitranges', {
    metadata: { name: 'many' },
    spec: { limits },
  });
  const { message, details } = (await answer.json()) as { message: string; details: { causes: unknown[] } };
  expect(details.causes).toHaveLength(100);
  const [, more] = /, and (\d+) more\]$/.exec(message) ?? [];
  expect(Number(more)).toBeGreaterThanOrEqual(30);
  const finalizers = Array.from({ length: 130 }, () => 1);
  const wrong = await world.post(JOBS, { ...manifest('wrong'), metadata: { name: 'wrong', finalizers } });
  expect(((await wrong.json()) as { message: string }).message).toMatch(
    /finalizers\[99\] of type string, and 30 more$/,
  );
});
