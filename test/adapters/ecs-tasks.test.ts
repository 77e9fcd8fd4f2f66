import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { asTaskArn } from '../../shared/domain/base/ids.ts';
import { refusal } from './scripted-aws.ts';
import { ARN, ok, tasksThatMeet, uid } from './ecs-under-test.ts';

test('a task that is gone counts as asked to stop', async () => {
  const { tasks, calls } = await tasksThatMeet((_, nth) =>
    nth === 1
      ? ok({ task: {} })
      : nth === 2
        ? refusal('InvalidParameterException', 'The referenced task was not found.')
        : refusal('InvalidParameterException', 'Rate exceeded'),
  );
  expect(await tasks.stop(ARN, 'x'.repeat(999))).toEqual({ kind: 'asked' });
  expect(await tasks.stop(ARN, 'why')).toEqual({ kind: 'asked' });
  expect(await tasks.stop(ARN, 'why')).toMatchObject({ kind: 'later' });
  expect(calls[0]?.input).toEqual({ cluster: 'jobs', task: ARN, reason: 'x'.repeat(255) });
});

test('describe gives our tasks, names what is missing, and passes over the tasks of others', async () => {
  const detail = (name: string): Record<string, unknown> => {
    const event = JSON.parse(readFileSync(new URL(`../fixtures/ecs-events/${name}.json`, import.meta.url), 'utf8')) as {
      detail: Record<string, unknown>;
    };
    return Object.fromEntries(
      Object.entries(event.detail).map(([k, v]) => [k, k.endsWith('At') ? Date.parse(v as string) / 1000 : v]),
    );
  };
  const { tasks } = await tasksThatMeet(() =>
    ok({ tasks: [detail('completed'), detail('of-somebody-else')], failures: [{ arn: ARN, reason: 'MISSING' }] }),
  );
  expect(await tasks.describe([ARN])).toMatchObject({
    kind: 'described',
    tasks: [
      {
        id: { index: 7, attempt: 2, nonce: 0 },
        stage: 'stopped',
        ending: { cause: 'Completed' },
        times: { stoppedAt: Date.parse('2026-11-20T11:13:02.1Z') }, // its containers
      },
    ],
    missing: [ARN],
  });
});

test('a task is missing where ECS says MISSING, and for no other failure: it may well run', async () => {
  const other = asTaskArn('arn:aws:ecs:eu-central-1:123456789012:task/jobs/1f1f');
  const { tasks } = await tasksThatMeet(() =>
    ok({
      tasks: [],
      failures: [
        { arn: ARN, reason: 'ACCESS_DENIED' },
        { arn: ARN },
        { arn: other, reason: 'MISSING' },
        { reason: 'MISSING' },
        { arn: ARN, reason: 'INTERNAL', detail: 'was MISSING' },
      ],
    }),
  );
  expect(await tasks.describe([ARN, other])).toEqual({ kind: 'described', tasks: [], missing: [other] });
});

test('live tasks are listed by Job alone, or all that are wanted running', async () => {
  const { tasks, calls } = await tasksThatMeet((_, nth) =>
    ok({ taskArns: [ARN], ...(nth === 1 ? { nextToken: 'more' } : {}) }),
  );
  expect(await tasks.listLive({ job: uid, after: null })).toEqual({ kind: 'listed', taskArns: [ARN], next: 'more' });
  expect(await tasks.listLive({ job: null, after: 'more' })).toEqual({ kind: 'listed', taskArns: [ARN], next: null });
  expect(calls.map(({ input }) => input)).toEqual([
    { cluster: 'jobs', startedBy: uid },
    { cluster: 'jobs', desiredStatus: 'RUNNING', nextToken: 'more' },
  ]);
});

test('stopped tasks are listed by family, for ECS takes a Job only alone', async () => {
  const { tasks, calls } = await tasksThatMeet((_, nth) =>
    ok({ taskArns: [ARN], ...(nth === 1 ? { nextToken: 'more' } : {}) }),
  );
  const family = 'muster-0a1b';
  expect(await tasks.listStopped({ family, after: null })).toEqual({ kind: 'listed', taskArns: [ARN], next: 'more' });
  expect(await tasks.listStopped({ family, after: 'more' })).toEqual({ kind: 'listed', taskArns: [ARN], next: null });
  expect(calls.map(({ input }) => input)).toEqual([
    { cluster: 'jobs', family, desiredStatus: 'STOPPED' },
    { cluster: 'jobs', family, desiredStatus: 'STOPPED', nextToken: 'more' },
  ]);
});
