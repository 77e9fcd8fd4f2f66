import { type EpochMs, plusMs } from '../../../domain/base/time.ts';
import type { JobUid } from '../../../domain/base/ids.ts';
import type { AttemptId } from '../../../domain/base/fact.ts';
import { hasReadyName, hostServiceName, readyServiceName } from '../../../domain/task/host-names.ts';
import { launchRowOf } from '../../../domain/scoreboard/launch-row.ts';
import type { HostTask, Reservation } from '../../../ports/host-store.ts';
import type { HostService, Hostnames } from '../ports/hostnames.ts';
import type { DispatchMessage } from '../../../ports/queues.ts';
import type { Deps } from '../../../control/process/deps.ts';
import { READY_ROW, callForEach, isNameless, namesOf, servicePace, taskPace } from './host-calls.ts';
import { TURNS_MAX } from './hosts.ts';
import { isReadyOff } from './hosts-ready.ts';
import { readRunning } from './hosts-running.ts';

/** Jobs that one sweep checks; if there are more, the next one checks others. */
const JOBS_PER_SWEEP = 300;
const MINUTE_MS = 60_000;
/** A creator that has reserved names for a Job that does not exist (yet) is finished or dead after this. */
const UNKNOWN_MS = 5 * MINUTE_MS;
/** The message of a Job's last pass may be in flight for this long. */
const CLOSING_MS = MINUTE_MS;

/**
 * Goes through the reservations, which list all Jobs with names. For an open Job, it checks again those rows that differ from
 * its board; for any other, it removes all names. This finds what a lost message or a dead handler has left. Runs every minute;
 * while there is no reservation, it costs one read of one row.
 *
 * @returns how many rows and Jobs needed work
 */
export async function sweepHosts(deps: Deps): Promise<number> {
  if (deps.ports.hostnames === undefined) return 0;
  const reserved = await deps.hosts.reservations();
  const now = deps.clock.now();
  const messages: DispatchMessage[] = [];
  for (const reservation of turnOf(reserved, now)) {
    try {
      messages.push(...(await needs(reservation, now, deps)));
    } catch (error) {
      // The other Jobs, and the rest of the minute's sweep, must not wait for it.
      deps.telemetry.warn('names of a Job not checked', { job: reservation.uid, error: String(error) });
    }
  }
  if (messages.length > 0) await deps.queues.dispatch(messages, 0);
  return messages.length;
}

/** All, or as many as one sweep handles: different ones each minute. */
function turnOf(reserved: readonly Reservation[], now: EpochMs): readonly Reservation[] {
  if (reserved.length <= JOBS_PER_SWEEP) return reserved;
  const from = (Math.floor(now / MINUTE_MS) * JOBS_PER_SWEEP) % reserved.length;
  return [...reserved.slice(from), ...reserved.slice(0, from)].slice(0, JOBS_PER_SWEEP);
}

async function needs({ uid, at }: Reservation, now: EpochMs, deps: Deps): Promise<readonly DispatchMessage[]> {
  const status = await deps.jobs.readStatus(uid);
  if (status === null) return now < plusMs(at, UNKNOWN_MS) ? [] : [{ kind: 'closeHosts', uid }];
  if (isNameless(status.phase)) return now < plusMs(status.now, CLOSING_MS) ? [] : [{ kind: 'closeHosts', uid }];
  // Rows first, then the board: a task in a row that the board does not know as running has ended.
  const rows = await deps.hosts.listHosts(uid);
  const running = await readRunning(
    uid,
    Array.from({ length: status.size }, (_, index) => index),
    deps,
  );
  if (running === null) return [];
  const tasks = new Map(rows.flatMap(({ hosts }) => hosts.map((host) => [host.index, host.tasks])));
  const off = new Set<number>();
  for (let index = 0; index < running.status.size; index++)
    if (isOff(tasks.get(index) ?? [], running.attemptOf(index))) off.add(launchRowOf(index));
  const spec = running.status.gang === null ? null : await deps.jobs.readSpec(uid);
  if (spec !== null && isReadyOff(spec, rows, running)) off.add(READY_ROW);
  return [...off].map((row) => ({ kind: 'hosts', uid, row, seen: [], turn: TURNS_MAX }));
}

/** A name that differs from the board. */
function isOff(tasks: readonly HostTask[], current: AttemptId | null): boolean {
  const [only] = tasks;
  if (current === null || only === undefined) return (current === null) !== (only === undefined);
  const { attempt, nonce } = current;
  return tasks.length > 1 || !only.registered || only.attempt !== attempt || only.nonce !== nonce;
}

/** The share of its minute that one hourly sweep may use. */
const STRANGE_PER_SWEEP = 100;

/**
 * Empties and deletes services that Muster has created and that no open Job needs: a handler created them and died before it
 * could record them. Hourly.
 *
 * @returns how many services are gone
 */
export async function sweepStrangeNames(deps: Deps): Promise<number> {
  const { hostnames } = deps.ports;
  if (hostnames === undefined) return 0;
  const strange: HostService[] = [];
  let after: string | null = null;
  let known: Needed | null = null;
  do {
    const page = await hostnames.list(after);
    if (page.kind === 'later') return 0; // the next sweep starts over; nothing depends on this one
    if (page.services.length > 0) known ??= await neededNames(deps);
    for (const service of page.services) {
      if (strange.length < STRANGE_PER_SWEEP && known !== null && !(await known.has(service.name)))
        strange.push(service);
    }
    after = page.next;
  } while (after !== null && strange.length < STRANGE_PER_SWEEP);
  return removeAll(strange, hostnames, deps);
}

type Needed = { has(serviceName: string): Promise<boolean> };

/** The names of open Jobs: of those with reservations, and of those that users see under such a name. */
async function neededNames(deps: Deps): Promise<Needed> {
  const { hosts, jobs } = deps;
  /** For each Job, the name of index 0, which stands for those of all indexes, and the one that says that all run. */
  const needed = new Set<string>();
  const unneeded = new Set<string>();
  const addOpen = async (uid: JobUid): Promise<void> => {
    const [spec, status] = [await jobs.readSpec(uid), await jobs.readStatus(uid)];
    const names = spec === null ? null : namesOf(spec);
    if (spec === null || names === null || status === null || isNameless(status.phase)) return;
    needed.add(hostServiceName(names, 0));
    if (hasReadyName(spec.manifest)) needed.add(readyServiceName(names));
  };
  for (const { uid } of await hosts.reservations()) await addOpen(uid);
  return {
    async has(serviceName) {
      const parts = SERVICE_NAME.exec(serviceName)?.groups;
      const [name, subdomain, namespace] = [parts?.['job'], parts?.['subdomain'], parts?.['namespace']];
      if (name === undefined || subdomain === undefined || namespace === undefined) return false;
      const names = { name, subdomain, namespace };
      const first = parts?.['which'] === 'ready' ? readyServiceName(names) : hostServiceName(names, 0);
      if (needed.has(first)) return true;
      if (unneeded.has(first)) return false;
      const uid = await jobs.findJob(namespace, name);
      if (uid !== null) await addOpen(uid);
      if (!needed.has(first)) unneeded.add(first);
      return needed.has(first);
    },
  };
}

const SERVICE_NAME = /^(?<job>[^.]+)-(?<which>\d+|ready)\.(?<subdomain>[^.]+)\.(?<namespace>[^.]+)$/;

async function removeAll(services: readonly HostService[], hostnames: Hostnames, deps: Deps): Promise<number> {
  if (services.length === 0) return 0;
  const found: { service: HostService; taskIds: readonly string[] }[] = [];
  for (const service of services) {
    const listed = await hostnames.tasksIn(service.serviceId);
    if (listed.kind === 'listed') found.push({ service, taskIds: listed.taskIds });
  }
  // A Job with listed tasks existed before the list: names that were taken over since then are seen now and left alone.
  const known = await neededNames(deps);
  const strange: HostService[] = [];
  for (const { service, taskIds } of found) {
    if (await known.has(service.name)) continue;
    strange.push(service);
    await callForEach(taskIds, taskPace(deps), deps, (taskId) => hostnames.deregister(service.serviceId, taskId));
  }
  const deleted = await callForEach(strange, servicePace(deps), deps, ({ serviceId }) =>
    hostnames.deleteService(serviceId),
  );
  const gone = deleted.filter(({ kind }) => kind === 'done').length;
  if (gone > 0) deps.telemetry.info('names that no Job needs are gone', { count: gone });
  return gone;
}
