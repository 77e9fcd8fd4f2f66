import { subtract, union } from '../../../domain/base/index-set.ts';
import type { JobUid } from '../../../domain/base/ids.ts';
import { allIndexes } from '../../../domain/manifests/selection.ts';
import { hasReadyName } from '../../../domain/task/host-names.ts';
import type { Host, HostRow, HostTask } from '../../../ports/host-store.ts';
import type { Hostnames } from '../ports/hostnames.ts';
import type { StoredSpec } from '../../../ports/job-store.ts';
import type { Fatal, Later } from '../../../ports/tasks.ts';
import { toJob } from '../../../store/to-job.ts';
import type { Deps } from '../../../control/process/deps.ts';
import {
  READY_INDEX,
  READY_ROW,
  callForEach,
  changeHosts,
  ensureServices,
  instanceIdOf,
  isBeingCalled,
  namesOf,
  taskPace,
  withHosts,
} from './host-calls.ts';
import type { RowPlan } from './host-row.ts';
import type { Running } from './hosts-running.ts';

// The name that says that all indexes of a Job run. It has one record, the address of the first of them: DNS answers with eight
// addresses at most, and a program that waits needs to know only that there is one. STATUS says whether all run; and each must have its
// own name by then, so a program that has seen this name finds all the others.

/** The indexes that belong together: all that run in this Job. */
export function membersIn(spec: StoredSpec): readonly number[] {
  const { completions, selection } = toJob(spec).spec;
  const all = allIndexes(completions ?? 0);
  const { edges } = subtract(all, union(selection.inherited, selection.excluded));
  const members: number[] = [];
  for (let i = 0; i < edges.length; i += 2)
    for (let index = edges[i] ?? 0; index < (edges[i + 1] ?? 0); index++) members.push(index);
  return members;
}

/** `indexes`: those that belong together. */
type ReadyView = { readonly known: HostRow; readonly running: Running; readonly indexes: readonly number[] };

/** The differences between the row of that name and the board; the row was read first. */
export async function planReady(
  uid: JobUid,
  { known, running, indexes }: ReadyView,
  deps: Pick<Deps, 'hosts' | 'clock'>,
): Promise<RowPlan> {
  const now = deps.clock.now();
  const all = isReady(running);
  const task = all ? recordOf(indexes, await deps.hosts.listHosts(uid), running) : null;
  const listed = known.hosts.flatMap((host) => host.tasks.map((each) => ({ index: READY_INDEX, host, task: each })));
  const remove = listed.filter((each) => task === null || idOf(each.task) !== idOf(task));
  const own = listed.find((each) => task !== null && idOf(each.task) === idOf(task))?.task;
  // Some of them have no name of their own yet.
  if (task === null) return { register: [], remove, later: all };
  if (own?.registered === true) return { register: [], remove, later: false };
  if (own !== undefined && isBeingCalled(own, now)) return { register: [], remove, later: true };
  return { register: [{ index: READY_INDEX, task: { ...task, calledAt: now } }], remove, later: false };
}

const isReady = ({ status: { phase, gang } }: Running): boolean => phase.kind === 'running' && (gang?.isReady ?? false);

const idOf = (task: HostTask): string => instanceIdOf(READY_INDEX, task);

/**
 * The record for the tasks that run now: the first one's address, and a number for this time that all run. Attempts only go up,
 * and so do nonces while no attempt does, so their sums are never the same again. null: one of them has no name yet.
 */
function recordOf(indexes: readonly number[], rows: readonly HostRow[], running: Running): HostTask | null {
  const hosts = new Map(rows.flatMap((row) => row.hosts.map((host) => [host.index, host])));
  let first: HostTask | null = null;
  let [attempt, nonce] = [0, 0];
  for (const index of indexes) {
    const named = namedTask(hosts.get(index), running, index);
    if (named === null) return null;
    first ??= named;
    attempt += named.attempt;
    nonce += named.nonce;
  }
  return first === null ? null : { ...first, attempt, nonce, calledAt: null, registered: false };
}

/** The index's running task, if its name leads to it. */
function namedTask(host: Host | undefined, running: Running, index: number): HostTask | null {
  const current = running.attemptOf(index);
  const task = host?.tasks.find((each) => each.attempt === current?.attempt && each.nonce === current.nonce);
  return task?.registered === true ? task : null;
}

/** What the rows say about that name differs from the board: it has to be looked at. The rows were read first. */
export function isReadyOff(spec: StoredSpec, rows: readonly HostRow[], running: Running): boolean {
  const tasks = rows.flatMap(({ row, hosts }) => (row === READY_ROW ? hosts.flatMap((host) => host.tasks) : []));
  if (!isReady(running)) return tasks.length > 0;
  const task = recordOf(membersIn(spec), rows, running);
  const [only] = tasks;
  return task === null || tasks.length !== 1 || only?.registered !== true || idOf(only) !== idOf(task);
}

/**
 * Makes sure that the name exists before the first of those tasks does, and that it says nothing: an earlier Job of the same
 * name may have left a record, which would tell these tasks that all of them run.
 *
 * @param indexes about to be launched
 * @returns why they must wait; null: they need not
 */
export async function prepareReady(
  spec: StoredSpec,
  indexes: readonly number[],
  hostnames: Hostnames,
  deps: Deps,
): Promise<Later | Fatal | null> {
  const names = namesOf(spec);
  const [first] = membersIn(spec);
  if (names === null || first === undefined || !indexes.includes(first) || !hasReadyName(spec.manifest)) return null;
  const { uid } = spec.identity;
  const known = await deps.hosts.readHosts(uid, READY_ROW);
  if (known.hosts.length > 0) return null;
  const { made, refused } = await ensureServices(names, [READY_INDEX], hostnames, deps);
  const [host] = made;
  if (host === undefined) return refused.get(READY_INDEX) ?? NOT_YET;
  const left = await hostnames.tasksIn(host.serviceId);
  if (left.kind === 'later') return left;
  const removed = await callForEach(left.taskIds, taskPace(deps), deps, (taskId) =>
    hostnames.deregister(host.serviceId, taskId),
  );
  if (removed.some(({ kind }) => kind !== 'done')) return NOT_YET;
  await changeHosts(uid, known, (hosts) => withHosts(hosts, made), deps);
  return null;
}

const NOT_YET: Later = { kind: 'later', reason: 'the name that says that all indexes run is being created' };
