import { expect, test } from 'vitest';
import { JOBS, manifest } from '../a-world.ts';
import { type ApiKind, apiVersionOf } from '../../../shared/domain/kinds/api-kind.ts';
import { ALL_KINDS } from '../../../shared/domain/kinds/api-kinds.ts';
import { faultsOf, prepared } from './brief-answers.ts';
import { NASTY_REQUESTS } from './nasty-requests.ts';

const groupPathOf = (kind: ApiKind): string => `/apis/${apiVersionOf(kind)}/`;

/** Of kinds that are served, and of what has no kind. */
const SERVED = NASTY_REQUESTS.filter(
  ({ path }) =>
    !path.startsWith('/apis/') ||
    ALL_KINDS.some((kind) => path.startsWith(groupPathOf(kind)) && path.includes(kind.plural)),
);

test.each(SERVED.map((request) => [request.what, request] as const))('%s', async (_, request) => {
  expect(await faultsOf(request)).toEqual([]);
});

test('an answer names a hundred faults, and how many more there are', async () => {
  const world = await prepared();
  const env = Array.from({ length: 130 }, () => ({ name: '' }));
  const containers = [{ name: 'main', image: 'busybox', command: ['true'], env }];
  const template = { spec: { restartPolicy: 'Never', containers } };
  const answer = await world.post(JOBS, { metadata: { name: 'many' }, spec: { template } });
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
