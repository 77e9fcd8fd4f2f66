import { expect, test } from 'vitest';
import { AWS_TIMING } from '../../../shared/domain/base/timing.ts';
import { Stage } from '../../support/a-stage.ts';

test('an attempt that is replaced right after its launch is not lost, although ECS does not know its task yet', async () => {
  const stage = new Stage();
  const uid = await stage.job({ completions: 1, parallelism: 1 });
  await stage.change(uid, { podReplacementPolicy: 'TerminatingOrFailed' });
  await stage.settle();
  const [task] = stage.live(uid, 0);
  if (task === undefined) throw new Error('no task');
  const deleted = { index: 0, attempt: 1, nonce: 0, kind: 'deleted', taskArn: task.arn, at: stage.time } as const;
  await stage.handler().pass({ uid, facts: [deleted] });
  expect((await stage.status(uid)).replacedTasks).toMatchObject([{ attempt: 1, since: stage.time }]);

  const lookUp = async (): Promise<number> => {
    const handler = stage.handler();
    handler.arrange('tasks.describe', async (_, [arns]) => ({ kind: 'described', tasks: [], missing: arns }));
    await handler.dispatch([{ kind: 'inspect', uid, from: 0 }]);
    await handler.pass(...stage.takeRequests());
    return (await stage.status(uid)).replacedTasks.length;
  };
  expect(await lookUp()).toBe(1);
  stage.advance(AWS_TIMING.missingGraceMs);
  expect(await lookUp()).toBe(0);
});
