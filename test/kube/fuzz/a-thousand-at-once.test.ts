import { expect, test } from 'vitest';
import { aWorld, manifest } from '../a-world.ts';
import { JOBS, MERGE, send } from '../write/a-client.ts';

test('1,000 requests at once: each is answered, each Job is made once, no patch is lost', async () => {
  const world = await aWorld();
  await send(world, 'POST', JOBS, manifest('shared'));
  const answers = await Promise.all(
    Array.from({ length: 1000 }, async (_, i) => {
      const nth = i % 5;
      if (nth === 0) return send(world, 'POST', JOBS, manifest(`job-${i % 100}`));
      if (nth === 1)
        return send(world, 'PATCH', `${JOBS}/shared`, { metadata: { labels: { [`l${i % 40}`]: 'x' } } }, MERGE);
      if (nth === 2) return send(world, 'GET', `${JOBS}/shared`);
      if (nth === 3) return send(world, 'GET', `${JOBS}?limit=2`);
      return send(world, 'DELETE', `${JOBS}/gone-${i}`);
    }),
  );
  const codes = (nth: number): readonly number[] => answers.filter((_, i) => i % 5 === nth).map(({ code }) => code);
  // Twenty names, ten requests each.
  expect(codes(0).filter((code) => code === 201)).toHaveLength(20);
  expect(codes(0).filter((code) => code === 409)).toHaveLength(180);
  expect(new Set([...codes(2), ...codes(3)])).toEqual(new Set([200]));
  expect(new Set(codes(4))).toEqual(new Set([404]));
  const patched = new Set(codes(1));
  expect([...patched].filter((code) => code !== 200 && code !== 409)).toEqual([]);
  // A patch that was answered with 200 is stored.
  const { body } = await send(world, 'GET', `${JOBS}/shared`);
  const stored = answers.flatMap(({ code }, i) => (i % 5 === 1 && code === 200 ? [`l${i % 40}`] : []));
  expect(Object.keys(body.metadata.labels ?? {})).toEqual(expect.arrayContaining(stored));
});
