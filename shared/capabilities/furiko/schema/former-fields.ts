import { type FieldError, forbidden } from '../../../schema/object/field-error.ts';
import type { FurikoTemplateShape } from './furiko-job-shape.ts';

/** Where fields of Furiko's first versions, and fields in the wrong place, went. */
const OF_TEMPLATE = {
  maxRetryAttempts: 'it is called maxAttempts now, and counts the first attempt, too',
  pendingTimeoutSeconds: 'it is called taskPendingTimeoutSeconds now',
  forbidForceDeletion: 'it is called forbidTaskForceDeletion now',
  metadata: "there is none here: write the Job's own labels and annotations",
  spec: 'there is none here: leave it out, and put its fields where it is',
} as const;

const OF_TASK: ReadonlyMap<string, string> = new Map([
  ['template', 'it is called taskTemplate now, outside of task: put a Pod template into taskTemplate.pod'],
  ['pendingTimeoutSeconds', 'it is called taskPendingTimeoutSeconds now, outside of task'],
  ['forbidForceDeletion', 'it is called forbidTaskForceDeletion now, outside of task'],
]);

const OF_TASK_TEMPLATE = {
  argoWorkflow: 'Muster runs Pods: write pod',
  metadata: 'it belongs to the Pod: put it into taskTemplate.pod',
  spec: 'it belongs to the Pod: put it into taskTemplate.pod',
} as const;

/** Faults for the fields of a Job's template that are not what they were. @param path of the template */
export function formerFieldErrors(path: string, template: FurikoTemplateShape): readonly FieldError[] {
  return [
    ...taskErrors(`${path}.task`, template.task),
    ...present(path, template, OF_TEMPLATE),
    ...present(`${path}.taskTemplate`, template.taskTemplate, OF_TASK_TEMPLATE),
  ];
}

function taskErrors(path: string, task: unknown): readonly FieldError[] {
  if (task === undefined || task === null) return [];
  const fields = typeof task === 'object' ? Object.keys(task) : [];
  const known = fields.flatMap((field) => {
    const now = OF_TASK.get(field);
    return now === undefined ? [] : [forbidden(`${path}.${field}`, now)];
  });
  return known.length > 0 ? known : [forbidden(path, 'say taskTemplate.pod and taskPendingTimeoutSeconds')];
}

const present = (
  path: string,
  object: Readonly<Record<string, unknown>> | undefined,
  now: Readonly<Record<string, string>>,
): readonly FieldError[] =>
  Object.entries(now).flatMap(([field, instead]) => {
    const value = object?.[field];
    return value === undefined || value === null ? [] : [forbidden(`${path}.${field}`, instead)];
  });
