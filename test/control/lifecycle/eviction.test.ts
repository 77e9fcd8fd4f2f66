import { expect, test } from 'vitest';
import { deletePod } from '../../../shared/control/lifecycle/job-changes.ts';
import type { PodFailureRule } from '../../../shared/domain/manifests/manifest.ts';
import { Stage } from '../../support/a-stage.ts';

const FIRST = { index: 0, attempt: 1, nonce: 0 };

async function afterwards(action: PodFailureRule['action'], how: 'deleted' | 'evicted', running: boolean) {
  const stage = new Stage();
  const rule = { action, onPodConditions: [{ type: 'DisruptionTarget', status: 'True' as const }] };
  const uid = await stage.job({ completions: 1, parallelism: 1, backoffLimit: 0 });
  await stage.change(uid, { podFailurePolicy: { rules: [rule] } });
  if (running) await stage.settle();
  else await stage.handler().pass({ uid, facts: [] });
  await deletePod(uid, FIRST, stage.handler().deps, how);
  await stage.settle();
  stage.advance(60_000);
  await stage.settle();
  const { failed, phase } = await stage.status(uid);
  return [failed, 'verdict' in phase ? phase.verdict.reason : phase.kind];
}

test.each([
  ['Ignore', 'evicted', 0, 'running'],
  ['FailJob', 'evicted', 1, 'PodFailurePolicy'],
  ['Ignore', 'deleted', 1, 'BackoffLimitExceeded'],
] as const)('podFailurePolicy %s on DisruptionTarget, where a Pod is %s', async (action, how, failed, became) => {
  expect(await afterwards(action, how, true)).toEqual([failed, became]);
});

test('so where it has no task yet', async () => {
  expect(await afterwards('Ignore', 'evicted', false)).toEqual([0, 'running']);
});
