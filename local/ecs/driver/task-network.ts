import { createHash } from 'node:crypto';
import { ADDRESS_VARIABLES } from '../../../shared/domain/task/container-env.ts';
import { type Addresses, SHARED_ADDRESS } from './addresses.ts';
import type { TaskRecord } from '../task-record.ts';

/** How processes find each other. */
export type TaskNetwork = {
  /** null: tasks share one address */
  readonly addresses: Addresses | null;
  /** `<address>:<port>` of the DNS server for the tasks' names; null without one */
  readonly dns: string | null;
};

/**
 * The network variables of a task's processes: their own address, the DNS server, and, where tasks share one address, a
 * port per index. Ports of one Job are consecutive, so peers can compute them: MUSTER_PORT minus the own index plus the
 * peer's.
 */
export function networkVariables(
  task: Pick<TaskRecord, 'privateIp' | 'startedBy'>,
  completionIndex: string | undefined,
  { dns }: TaskNetwork,
): readonly (readonly [string, string])[] {
  const port = task.privateIp === SHARED_ADDRESS ? portOf(task.startedBy ?? '', Number(completionIndex)) : null;
  return [
    ['MUSTER_ADDRESS', task.privateIp],
    ...(dns === null ? [] : [['MUSTER_DNS', dns] as const]),
    ...(port === null ? [] : [['MUSTER_PORT', String(port)] as const]),
  ];
}

/**
 * The variables of a container that hold the task's address, as the downward API has it.
 *
 * @param given the container's own variables, one of which names these
 */
export const addressVariables = (
  { privateIp }: Pick<TaskRecord, 'privateIp'>,
  given: ReadonlyMap<string, string>,
): readonly (readonly [string, string])[] =>
  (given.get(ADDRESS_VARIABLES) ?? '')
    .split('\n')
    .filter((name) => name !== '')
    .map((name) => [name, privateIp]);

/** The first port for Jobs, and their number; a Job's indexes count up from one of them. */
const FIRST_PORT = 20_000;
const JOB_PORTS = 20_000;

/** The same for every attempt of an index; null if the task has no index, or there are too many. */
function portOf(startedBy: string, index: number): number | null {
  if (!Number.isInteger(index)) return null;
  const port = FIRST_PORT + (createHash('sha256').update(startedBy).digest().readUInt32BE(0) % JOB_PORTS) + index;
  return port < 65_536 ? port : null;
}
