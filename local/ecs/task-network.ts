import { createHash } from 'node:crypto';
import { type Addresses, SHARED_ADDRESS } from './addresses.ts';
import type { TaskRecord } from './task-record.ts';

/** How processes find one another. */
export type TaskNetwork = {
  /** null: tasks share one address */
  readonly addresses: Addresses | null;
  /** `<address>:<port>` of the DNS server that knows the tasks' names; null: there is none */
  readonly dns: string | null;
};

/**
 * What a task's processes are told of the network: their own address, the DNS server and, where tasks share one
 * address, a port for an index. Ports of one Job follow one another, so peers find them: MUSTER_PORT minus the own index plus theirs.
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

/** Where the ports of Jobs begin, and how many of them there are; indexes are counted from one of them on. */
const FIRST_PORT = 20_000;
const JOB_PORTS = 20_000;

/** The same for every attempt of an index; null: it is not that of an index, or there are too many. */
function portOf(startedBy: string, index: number): number | null {
  if (!Number.isInteger(index)) return null;
  const port = FIRST_PORT + (createHash('sha256').update(startedBy).digest().readUInt32BE(0) % JOB_PORTS) + index;
  return port < 65_536 ? port : null;
}
