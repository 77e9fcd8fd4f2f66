import { describe, expect, test } from 'vitest';
import type { JobUid } from '../../../shared/domain/base/ids.ts';
import type { AttemptId } from '../../../shared/domain/base/fact.ts';
import type { WakeUp } from '../../../shared/ports/queues.ts';
import { BAD, Stage } from '../../support/a-stage.ts';

const wordsOf = (ids: readonly AttemptId[]): readonly string[] =>
  ids.map(({ index, attempt }) => `${index}#${attempt}`);

/** Facts and wake-ups are handled, and what is to be done about tasks is returned instead. */
async function asked(stage: Stage) {
  await stage.handler().pass(...stage.takeRequests());
  return stage.takeDispatches().map((message) => {
    if (message.kind !== 'pack') return message;
    const { launch, stop, traits, ahead, podDeleted } = message;
    const counts = traits === undefined ? {} : { traits: [...traits] };
    return { launch: wordsOf(launch), stop: wordsOf(stop), ...counts, ahead, podDeleted };
  });
}

describe('a launch', () => {
  test('names the claims of its Job that are still unanswered before it, so that they go first', async () => {
    const stage = new Stage();
    const uid = await stage.job({ completions: 4, parallelism: 1 });
    const found: unknown[] = [];
    for (const parallelism of [1, 2, 4]) {
      await stage.change(uid, { parallelism });
      found.push(...(await asked(stage)));
    }
    expect(found).toEqual([
      { launch: ['0#1'], stop: [] },
      { launch: ['1#1'], stop: [], ahead: 1 },
      { launch: ['2#1', '3#1'], stop: [], ahead: 2 },
    ]);
  });

  test('carries what its Pod says of earlier failures, though it is one index alone', async () => {
    const stage = new Stage();
    stage.fate = { ...stage.fate, runMs: 1_000, ending: BAD };
    const uid = await stage.job({ completions: 1, parallelism: 1 });
    await stage.change(uid, { backoffLimitPerIndex: 3 });
    await stage.settle();
    stage.advance(5_000);
    expect(await asked(stage)).toEqual([]); // in back-off
    stage.advance(60_000);
    expect(await asked(stage)).toEqual([
      { launch: ['0#2'], stop: [], traits: [[0, { onDemand: false, failures: 1, ignored: 0 }]] },
    ]);
  });
});

test('a stop says whether a user has deleted the Pod', async () => {
  const stage = new Stage();
  const uid = await stage.job({ completions: 3, parallelism: 3 });
  await stage.settle();
  stage.advance(2_000);
  await stage.settle();
  const { arn } = stage.live(uid, 0)[0]!;
  await stage.handler().pass({
    uid,
    facts: [{ index: 0, attempt: 1, nonce: 0, kind: 'deleted', taskArn: arn, at: stage.time }],
  });
  expect(await asked(stage)).toEqual([{ launch: [], stop: ['0#1'], podDeleted: true }]);
  await stage.change(uid, { parallelism: 2 });
  await stage.change(uid, { parallelism: 1 });
  expect(await asked(stage)).toEqual([{ launch: [], stop: ['2#1'] }]);
});

describe('a wake-up', () => {
  /** The delays with which a Job that starts nothing is woken after its first pass, `lateMs` after it was created. */
  async function delays(activeDeadlineSeconds: number, lateMs: number): Promise<readonly number[]> {
    const stage = new Stage();
    const uid: JobUid = await stage.job({ completions: 1, parallelism: 0 });
    await stage.change(uid, { activeDeadlineSeconds });
    stage.take('wake');
    const handler = stage.handler();
    const sent: number[] = [];
    handler.arrange('queues.wake', async (_, [wakeUps]) => {
      sent.push(...(wakeUps as readonly WakeUp[]).map(({ delaySec }) => delaySec));
    });
    stage.advance(lateMs);
    await handler.pass({ uid, facts: [] });
    return sent;
  }

  test.each([
    [600, 10_000, 600],
    [900, 10_000, 900],
    [901, 10_000, 900], // SQS takes no longer delay; the sweep sees to the rest
    [5_000, 10_000, 900],
    [600, 0, 1], // a second after the last publication
    [600, 250, 1], // not before it is due
  ])(
    'with a deadline of %i s, %i ms after it was published, comes after %i s',
    async (deadlineSec, lateMs, expected) => {
      expect(await delays(deadlineSec, lateMs)).toEqual([expected]);
    },
  );
});
