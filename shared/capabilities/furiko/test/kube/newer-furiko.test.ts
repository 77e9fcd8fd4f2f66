import { expect, test } from 'vitest';
import { linesOf } from '../../../../../test/kube/a-world.ts';
import { aWorldWithNewer, aWorldWithNewerRows, namesIn, warningOf } from '../../../../../test/kube/list/newer-rows.ts';
import { CONFIGS, FURIKO_JOBS } from './a-furiko-world.ts';

test('a list of Furiko’s Jobs says that it leaves out a Job that a later release has stored', async () => {
  const answer = await (await aWorldWithNewer()).get(FURIKO_JOBS);
  expect([answer.status, answer.headers.get('warning')]).toEqual([200, warningOf('Job default/newer')]);
  expect(await namesIn(answer)).toEqual([]);
});

test('JobConfigs whose rows have a later layout are left out', async () => {
  const world = await aWorldWithNewerRows();
  const answer = await world.get(CONFIGS);
  expect([answer.status, answer.headers.get('warning')]).toEqual([200, warningOf('JobConfig default/newer')]);
  expect(await linesOf(await world.get(`${CONFIGS}?watch=1&timeoutSeconds=1`))).toEqual([]);
});
