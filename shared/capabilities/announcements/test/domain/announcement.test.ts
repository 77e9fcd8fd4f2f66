import { expect, test } from 'vitest';
import { announcementOf, failuresToName } from '../../domain/announcement.ts';
import { indexSetOf } from '../../../../domain/base/index-set.ts';
import { asEpochMs } from '../../../../domain/base/time.ts';
import { STATES } from '../../../../domain/scoreboard/board.ts';
import type { Phase } from '../../../../domain/scoreboard/status.ts';
import { WorkingBoard } from '../../../../domain/scoreboard/working-board.ts';
import { ANNOTATIONS } from '../../../../domain/manifests/annotations.ts';
import type { StoredSpec } from '../../../../ports/job-store.ts';
import { aBoard } from '../../../../../test/support/a-board.ts';
import { aJob } from '../../../../../test/support/a-job.ts';

const AT = asEpochMs(1_800_000_000_000);
const failedPhase = (decidedBy: number | null): Phase => ({
  kind: 'finished',
  verdict: { kind: 'failed', reason: 'FailedIndexes', message: 'Job has failed indexes', decidedBy },
  since: AT,
  at: AT,
});

function announced(spec: StoredSpec, board: ReturnType<typeof wideBoard>, labels = {}) {
  const { manifest, identity } = spec;
  const change = { version: 9, state: 'Failed', at: AT } as const;
  const metadata = { ...manifest.metadata, labels };
  return announcementOf(change, {
    identity,
    manifest: { ...manifest, metadata },
    status: board.status,
    board: new WorkingBoard(board.status, board.stored),
    failures: [
      {
        index: 1,
        item: 'x'.repeat(500),
        exitCode: 3,
        judgement: { as: 'failed', why: { kind: 'exited', exitCode: 3 } },
      },
    ],
  });
}

/** Every second index has failed. */
function wideBoard(completions: number) {
  const board = aBoard('. '.repeat(completions).trim());
  const chunk = board.stored.get(0);
  const states = Uint8Array.from(chunk?.states ?? [], (state, index) =>
    index < completions ? STATES.indexOf(index % 2 === 0 ? 'succeeded' : 'failed') : state,
  );
  const [summary] = board.status.chunks;
  if (chunk === undefined || summary === undefined) throw new Error('a board of one chunk');
  const half = completions / 2;
  return {
    stored: new Map([[0, { ...chunk, states }]]),
    status: {
      ...board.status,
      chunks: [{ ...summary, pending: 0, succeeded: half, failed: half }],
      phase: failedPhase(1),
    },
  };
}

test('an announcement has a Job’s status, and no token in what everybody hears', () => {
  const token = 'AQCEAAAAKgAAAAMAAAAA-token';
  const spec = aJob({ completions: 4, annotations: { [ANNOTATIONS.taskToken]: token } });
  const made = announced(spec, wideBoard(4), { team: 'a' });
  expect(made.taskToken).toBe(token);
  expect(JSON.stringify(made.detail)).not.toContain(token);
  expect(made.detail).toMatchObject({
    id: 'uid-1/9',
    state: 'Failed',
    time: '2027-01-15T08:00:00Z',
    labels: { team: 'a' },
    reason: 'FailedIndexes',
    status: { completedIndexes: '0,2' },
    failures: [{ index: 1, item: `${'x'.repeat(50)}…${'x'.repeat(49)}`, exitCode: 3, message: 'exit code 3' }],
  });
  expect(made.detail).not.toHaveProperty('indexesCut');
  expect(made.detail).not.toHaveProperty('labelsCut');
});

test('long lists are cut between two indexes, and it says so', () => {
  const labels = Object.fromEntries(Array.from({ length: 400 }, (_, n) => [`label-${n}`, 'v'.repeat(60)]));
  const { detail } = announced(aJob({ completions: 4_000 }), wideBoard(4_000), labels);
  const { completedIndexes = '' } = detail.status;
  expect(completedIndexes.length).toBeLessThanOrEqual(4_096);
  expect(completedIndexes).toMatch(/^0,2,.*\d$/);
  expect(completedIndexes.split(',').every((part, nth) => Number(part) === 2 * nth)).toBe(true);
  expect([detail.indexesCut, detail.labelsCut]).toEqual([true, true]);
  expect(JSON.stringify(detail).length).toBeLessThan(32_000);
});

test('the first indexes that failed are named; else the one that decided', () => {
  const { status } = wideBoard(40);
  expect(failuresToName(indexSetOf([1, 3, 4, 5, 6, 9]), status)).toEqual([1, 3, 4, 5, 6]);
  expect(failuresToName(indexSetOf([]), status)).toEqual([1]);
  expect(failuresToName(indexSetOf([]), { ...status, phase: { kind: 'running' } })).toEqual([]);
});
