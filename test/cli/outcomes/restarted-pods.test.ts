import { expect, test } from 'vitest';
import { START, manifest } from '../../kube/a-world.ts';
import { aServer } from '../a-server.ts';

test.each([
  ['OnFailure', '1 Pod failed'],
  ['Never', '1 attempt failed'],
])('%s: the verdict says %s', async (restartPolicy, words) => {
  const { run, world, file } = await aServer();
  const job = manifest('again', { completions: 1, backoffLimit: 0 });
  const spec = { ...job.spec.template.spec, restartPolicy };
  file('job.json', { ...job, spec: { ...job.spec, template: { spec } } });
  await run('run -f job.json');
  await world.commit(
    'again',
    [
      { op: 'claim', index: 0 },
      { op: 'failed', index: 0, notBefore: null },
    ],
    {
      failed: 1,
      phase: {
        kind: 'finished',
        verdict: { kind: 'failed', reason: 'BackoffLimitExceeded', message: 'Job has reached the limit', decidedBy: 0 },
        since: START,
        at: START,
      },
    },
  );
  const { out, err } = await run('watch again');
  expect(out + err).toMatch(new RegExp(`again failed: .*, ${words}`));
});
