import { randomUUID } from 'node:crypto';
import type { Definition } from './definition.ts';
import { renderTask, type TaskPlace, type RenderedTask } from './render-task.ts';
import type { TaskRecord } from './task-record.ts';

/** An "ECS Task State Change" as EventBridge delivers it (reference/aws.md 1.10). */
export type EcsTaskEvent = {
  readonly version: '0';
  readonly id: string;
  readonly 'detail-type': 'ECS Task State Change';
  readonly source: 'aws.ecs';
  readonly account: string;
  /** ISO 8601, whole seconds */
  readonly time: string;
  readonly region: string;
  readonly resources: readonly string[];
  readonly detail: RenderedTask<string>;
};

/** The event that reports this state of a task. Events have no tags and no health, but they have the override's environment. */
export function taskEvent(task: TaskRecord, definition: Definition, place: TaskPlace, nowMs: number): EcsTaskEvent {
  const detail = renderTask(task, definition, place, { stamp: toIso, attachmentType: 'eni', updatedAtMs: nowMs });
  return {
    version: '0',
    id: randomUUID(),
    'detail-type': 'ECS Task State Change',
    source: 'aws.ecs',
    account: place.account,
    time: `${toIso(nowMs).slice(0, 19)}Z`,
    region: place.region,
    resources: [detail.taskArn],
    detail,
  };
}

/** A cache, because an event and its neighbors repeat a few times. */
let last = { ms: 0, text: '1970-01-01T00:00:00.000Z' };

function toIso(ms: number): string {
  if (ms !== last.ms) last = { ms, text: new Date(ms).toISOString() };
  return last.text;
}
