import { plusMs } from '../../../domain/base/time.ts';
import type { JobUid } from '../../../domain/base/ids.ts';
import type { Host, HostRow } from '../../../ports/host-store.ts';
import type { Hostnames } from '../ports/hostnames.ts';
import type { Deps } from '../../../control/process/deps.ts';
import {
  WORK_MAX_MS,
  callForEach,
  changeHosts,
  instanceIdOf,
  isBeingCalled,
  isNameless,
  namesOf,
  servicePace,
  taskPace,
} from './host-calls.ts';

/** Rows of ten names that one message closes; then it continues as a new message. */
const ROWS_PER_MESSAGE = 5;

/**
 * Removes the names of a Job that is over or does not exist, row by row, and releases its reservation once nothing is left. A
 * name's service is deleted only when nothing is registered in it, and removed from the row only when it is deleted, so nothing
 * can be left behind. If nothing could be done, the sweep starts over.
 */
export async function closeHosts(uid: JobUid, deps: Deps): Promise<void> {
  const { hosts, jobs, ports, queues } = deps;
  const { hostnames } = ports;
  if (hostnames === undefined) return;
  const status = await jobs.readStatus(uid);
  if (status !== null && !isNameless(status.phase)) return;
  const rows = await hosts.listHosts(uid);
  let closed = 0;
  let left = rows.length;
  const until = plusMs(deps.clock.now(), WORK_MAX_MS);
  for (const row of rows.slice(0, ROWS_PER_MESSAGE)) {
    if (deps.clock.now() >= until) break;
    const after = await closeRow(uid, row, hostnames, deps);
    closed += row.hosts.length - after.hosts.length;
    if (after.hosts.length === 0) left--;
  }
  if (left === 0) return hosts.release(uid);
  if (closed > 0) await queues.dispatch([{ kind: 'closeHosts', uid }], 1);
}

/** Carries out the order to do so. */
export const closeHostsOf = async ({ uid }: { readonly uid: JobUid }, deps: Deps): Promise<void> =>
  closeHosts(uid, deps);

/** The row without the names that are gone. */
async function closeRow(uid: JobUid, row: HostRow, hostnames: Hostnames, deps: Deps): Promise<HostRow> {
  const tasks = row.hosts.flatMap((host) => host.tasks.map((task) => ({ host, task })));
  const removed = await callForEach(tasks, taskPace(deps), deps, ({ host, task }) =>
    hostnames.deregister(host.serviceId, instanceIdOf(host.index, task)),
  );
  const empty = row.hosts.filter((host) => tasks.every((each, i) => each.host !== host || removed[i]?.kind === 'done'));
  const gone = (await isTakenOver(uid, deps))
    ? empty.filter(isQuiet(deps))
    : await deleteServices(empty, hostnames, deps);
  if (gone.length === 0) return row;
  return changeHosts(
    uid,
    row,
    (hosts) => {
      const left = hosts.filter((host) => !gone.some(({ serviceId }) => serviceId === host.serviceId));
      return left.length === hosts.length ? null : left;
    },
    deps,
  );
}

/** No handler is registering a task in it. */
const isQuiet =
  ({ clock }: Deps) =>
  ({ tasks }: Host): boolean =>
    !tasks.some((task) => isBeingCalled(task, clock.now()));

/**
 * The indexes whose services are gone. A service with a registered task stays: every handler writes to the row before it
 * registers.
 */
async function deleteServices(all: readonly Host[], hostnames: Hostnames, deps: Deps): Promise<readonly Host[]> {
  const deleted = await callForEach(all, servicePace(deps), deps, ({ serviceId }) =>
    hostnames.deleteService(serviceId),
  );
  return all.filter((_, i) => deleted[i]?.kind === 'done');
}

/** Another Job of the same name has the same names and services: only that Job may delete them. */
async function isTakenOver(uid: JobUid, { jobs }: Deps): Promise<boolean> {
  const spec = await jobs.readSpec(uid);
  const names = spec === null ? null : namesOf(spec);
  if (names === null) return false;
  const other = await jobs.findJob(names.namespace, names.name);
  if (other === null || other === uid) return false;
  const [its, status] = await Promise.all([jobs.readSpec(other), jobs.readStatus(other)]);
  return its !== null && status !== null && !isNameless(status.phase) && namesOf(its)?.subdomain === names.subdomain;
}
