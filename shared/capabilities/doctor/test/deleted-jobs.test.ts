import { expect, test } from 'vitest';
import type { Phase } from '../../../domain/scoreboard/status.ts';
import { MINUTE_MS, aJobAtWork, tamper } from './examined-job.ts';

// Which Jobs count as deleted and not stopped yet: those that users no longer see, and whose tasks have not all stopped.

const verdict = { kind: 'failed', reason: 'BackoffLimitExceeded', message: '', decidedBy: null } as const;

test.each<readonly [string, (since: Extract<Phase, { since: unknown }>['since']) => Phase, readonly string[]]>([
  [
    'that users no longer see hangs',
    (since) => ({ kind: 'purging', since }),
    ['job/default/work: deleted, and not stopped yet: 2 attempts'],
  ],
  ['that fails slowly is not deleted', (since) => ({ kind: 'draining', verdict, since }), []],
  ['that a finalizer holds is seen by its users', (since) => ({ kind: 'terminating', since, ended: null }), []],
  ['that runs is not deleted', () => ({ kind: 'running' }), []],
])('a Job %s', async (_, phaseSince, expected) => {
  const { stage, uid, doctor } = await aJobAtWork();
  const since = stage.time;
  await tamper(stage, uid, () => ({ phase: phaseSince(since) }));
  stage.advance(11 * MINUTE_MS);
  const { findings } = (await doctor.installation())!;
  const deletions = findings.filter(({ kind }) => kind === 'DeletedJob');
  expect(deletions.map(({ subject, what }) => `${subject}: ${what}`)).toEqual(expected);
});

test('a Job that is gone when it is read is left out, and nothing else is', async () => {
  const { stage, uid, doctor, handler } = await aJobAtWork();
  const since = stage.time;
  await tamper(stage, uid, () => ({ phase: { kind: 'purging', since } }));
  stage.advance(11 * MINUTE_MS);
  handler.arrange('jobs.dueJobs', async (perform) => perform());
  handler.arrange('jobs.dueJobs', async () => ({ uids: ['gone', uid], next: null }));
  const { findings } = (await doctor.installation())!;
  expect(findings.map(({ kind }) => kind)).toEqual(['AlarmOverdue', 'DeletedJob']);
});
