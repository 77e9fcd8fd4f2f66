import { expect, test } from 'vitest';
import { withWarnings } from '../../../shared/kube/http/warnings.ts';
import { aWorld } from '../a-world.ts';
import { APPLY, JOBS, JSON_PATCH, MERGE, STRATEGIC, job, send } from './a-client.ts';

async function warningsOf(unknown: readonly string[]): Promise<string> {
  const { app } = await aWorld();
  const { metadata, ...rest } = job('sums', { suspend: true });
  const body = JSON.stringify({ ...rest, metadata, ...Object.fromEntries(unknown.map((name) => [name, 1])) });
  const headers = { 'content-type': 'application/json' };
  const answer = await app.request(`${JOBS}?fieldValidation=Warn`, { method: 'POST', body, headers });
  expect(answer.status).toBe(201);
  return answer.headers.get('warning') ?? '';
}

const names = (count: number, chars: number): readonly string[] =>
  Array.from({ length: count }, (_, n) => String(n).padStart(chars, 'x'));

test.each([
  // fields  characters  of the first it says  warnings
  ['few are sent whole', 10, 350, 350, 10],
  ['of many there are the first', 5_000, 10, 10, 113],
  ['of many long ones there are the beginnings of the first', 40, 5_000, 241, 15],
])('%s', async (_, count, chars, shown, told) => {
  const warning = await warningsOf(names(count, chars));
  const texts = warning.split(/, (?=299 - )/);
  expect(texts).toHaveLength(told);
  expect(texts[0]?.match(/[x0]+(?=[\\"]*$)/)?.[0]).toHaveLength(shown);
  expect(warning.length).toBeLessThan(5_000);
});

test('they are in printable ASCII', async () => {
  expect(await warningsOf(['ä\n"'])).toBe('299 - "unknown field \\"?\\\\n\\\\\\"\\""');
});

test('without fieldValidation an unknown field is dropped with a warning, by whatever verb it comes', async () => {
  const world = await aWorld();
  const typo = { ...job('sums', { suspend: true }), extra: 1 };
  const warning = ['299 - "unknown field \\"extra\\""'];
  const posted = await send(world, 'POST', JOBS, typo);
  expect([posted.code, posted.warnings, posted.body]).toEqual([
    201,
    warning,
    expect.not.objectContaining({ extra: 1 }),
  ]);
  const url = `${JOBS}/sums`;
  const { body: stored } = await send(world, 'GET', url);
  const put = await send(world, 'PUT', url, { ...stored, extra: 1 });
  expect([put.code, put.warnings]).toEqual([200, warning]);
  for (const [type, patch] of [
    [MERGE, { extra: 1 }],
    [STRATEGIC, { extra: 1 }],
    [JSON_PATCH, [{ op: 'add', path: '/extra', value: 1 }]],
  ] as const) {
    const patched = await send(world, 'PATCH', url, patch, type);
    expect([type, patched.code, patched.warnings]).toEqual([type, 200, warning]);
  }
  // Server-side apply must know the owner of every field, so there, as in Kubernetes, it is an error.
  expect((await send(world, 'PATCH', `${url}?fieldManager=me`, typo, APPLY)).body.message).toContain('not declared');
});

test('every verb warns of a field that is written twice', async () => {
  const world = await aWorld();
  const twice = (document: object): string => `${JSON.stringify(document).slice(0, -1)},"kind":"Job"}`;
  const sent = async (method: string, path: string, document: object, type = 'application/json') => {
    const answer = await world.app.request(`${path}?fieldValidation=Warn`, {
      method,
      body: twice(document),
      headers: { 'content-type': type },
    });
    return [answer.status, answer.headers.get('warning')];
  };
  const warning = '299 - "duplicate field \\"kind\\""';
  expect(await sent('POST', JOBS, job('sums', { suspend: true }))).toEqual([201, warning]);
  const url = `${JOBS}/sums`;
  const { body: stored } = await send(world, 'GET', url);
  expect(await sent('PUT', url, stored)).toEqual([200, warning]);
  expect(await sent('PATCH', url, { kind: 'Job' }, MERGE)).toEqual([200, warning]);
});

test('a warning that comes twice is sent once', () => {
  expect(withWarnings(new Response(), ['a', 'b', 'a']).headers.get('warning')).toBe('299 - "a", 299 - "b"');
});
