import { readFileSync } from 'node:fs';
import type { TaskView } from '../../shared/domain/task/task.ts';

/** An event of test/fixtures/ecs-events as EventBridge delivers it, told of a task of ours. `change`: of its detail. */
export function anEvent(
  file: string,
  { arn, job, id }: Pick<TaskView, 'arn' | 'job' | 'id'>,
  change: Readonly<Record<string, unknown>> = {},
): string {
  const event = JSON.parse(readFileSync(new URL(`../fixtures/ecs-events/${file}`, import.meta.url), 'utf8')) as {
    detail: Record<string, unknown>;
  };
  const group = `muster:${id.index}:${id.attempt}:${id.nonce}`;
  return JSON.stringify({ ...event, detail: { ...event.detail, ...change, taskArn: arn, startedBy: job, group } });
}
