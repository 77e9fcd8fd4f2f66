import { AwsError } from '../wire/aws-error.ts';
import type { ListTasksRequest } from './requests.ts';
import type { TaskRecord } from './task-record.ts';

export type TaskPage = { readonly tasks: readonly TaskRecord[]; readonly nextToken: string | null };

/**
 * One page of ListTasks over `tasks` (visible ones of one cluster), oldest first. Without a status it lists tasks that
 * should run; `startedBy` must be the only filter and also lists tasks that should run (ECS API reference, ListTasks).
 * Throws InvalidParameterException.
 */
export function listTasks(request: ListTasksRequest, tasks: Iterable<TaskRecord>): TaskPage {
  const { family, startedBy, desiredStatus = 'RUNNING', maxResults = 100 } = request;
  if (startedBy !== undefined && FILTERS.some((filter) => request[filter] !== undefined)) {
    throw new AwsError('InvalidParameterException', 'startedBy cannot be combined with other filters.');
  }
  const wanted = (task: TaskRecord): boolean =>
    (task.lastStatus !== 'STOPPED' && task.stop === null ? 'RUNNING' : 'STOPPED') === desiredStatus &&
    (family === undefined || task.definition.family === family) &&
    (startedBy === undefined || task.startedBy === startedBy) &&
    NEVER_MATCH.every((filter) => request[filter] === undefined) &&
    (request.launchType ?? 'FARGATE') === 'FARGATE';

  const after = request.nextToken === undefined ? null : decodeToken(request.nextToken);
  const left: TaskRecord[] = [];
  for (const task of tasks) if (wanted(task) && (after === null || inOrder(after, task) < 0)) left.push(task);
  const page = left.sort(inOrder).slice(0, maxResults);
  const last = page.at(-1);
  return { tasks: page, nextToken: last !== undefined && left.length > page.length ? encodeToken(last) : null };
}

/** Fargate tasks that only RunTask starts belong to none of these. */
const NEVER_MATCH = ['serviceName', 'containerInstance', 'daemonName'] as const;
const FILTERS = ['family', 'desiredStatus', 'launchType', ...NEVER_MATCH] as const;

/** A page continues after a task's position in creation order, even if that task is gone. */
type Place = { readonly createdAtMs: number; readonly id: string };

const inOrder = (a: Place, b: Place): number =>
  a.createdAtMs - b.createdAtMs || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0);

const encodeToken = ({ createdAtMs, id }: Place): string => Buffer.from(`${createdAtMs}/${id}`).toString('base64url');

function decodeToken(token: string): Place {
  const [, createdAtMs, id] = /^(\d+)\/([0-9a-f]{32})$/.exec(Buffer.from(token, 'base64url').toString()) ?? [];
  if (createdAtMs === undefined || id === undefined) throw new AwsError('InvalidParameterException', 'Invalid token.');
  return { createdAtMs: Number(createdAtMs), id };
}
