import { expect } from 'vitest';
import { MANIFEST_BYTES_MAX } from '../../../shared/schema/text/document.ts';
import { JOBS, type World, aWorld, manifest } from '../a-world.ts';
import { PREPARED, bodyOf } from './nasty-requests.ts';
import type { NastyRequest } from './request-forms.ts';

/** A refusal tells a hundred faults, each at most twice. */
const REFUSAL_BYTES_MAX = 160 * 1024;
/** What is stored is shown, with its managers. */
const SHOWN_BYTES_MAX = 2 * MANIFEST_BYTES_MAX;

export async function prepared(): Promise<World> {
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

const ANSWERS = [200, 201, 202, 400, 409, 413, 422];

/** What is wrong with how a request is answered; nothing: it is answered briefly, whatever the answer is. */
export async function faultsOf(request: NastyRequest): Promise<readonly string[]> {
  const world = await prepared();
  const answer = await send(world, request);
  const text = await answer.text();
  const max = answer.ok ? SHOWN_BYTES_MAX : REFUSAL_BYTES_MAX;
  return [
    ...((bodyOf(request)?.length ?? 0) > MANIFEST_BYTES_MAX ? ['it is refused for its size alone'] : []),
    ...(ANSWERS.includes(answer.status) ? [] : [`${answer.status}: ${text.slice(0, 1_000)}`]),
    ...(text.length > max ? [`an answer of ${text.length} characters`] : []),
  ];
}
