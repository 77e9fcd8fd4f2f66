import { plusMs } from '../../../domain/base/time.ts';
import type { TaskArn } from '../../../domain/base/ids.ts';
import type { AttemptId } from '../../../domain/base/fact.ts';
import type { NamedTasks } from '../../../domain/task/host-names.ts';
import { indexesOfRow } from '../../../domain/scoreboard/launch-row.ts';
import type { HostRow, HostTask } from '../../../ports/host-store.ts';
import type { Hostnames } from '../ports/hostnames.ts';
import type { HostsMessage, SeenTask } from '../ports/host-orders.ts';
import type { Deps } from '../../../control/process/deps.ts';
import {
  READY_ROW,
  WORK_MAX_MS,
  callForEach,
  changeHosts,
  ensureServices,
  instanceIdOf,
  isBeingCalled,
  isNameless,
  keepUntil,
  namesOf,
  taskPace,
  withHosts,
} from './host-calls.ts';
import { membersIn, planReady } from './hosts-ready.ts';
import { type Running, readRunning } from './hosts-running.ts';
import { type Listed, type RowPlan, afterCalls, withTasks } from './host-row.ts';

/** One round does everything, unless another handler writes the same row or the board has changed since. */
const ROUNDS_MAX = 8;
/** A message comes again after 1, 2, 4 .. 32 seconds; then the sweep takes over. */
export const TURNS_MAX = 6;

/**
 * Brings the names of ten indexes in line with the board: the task of each current running attempt is registered under its
 * index's name, and no other task is. Level-triggered: only the current state matters. The row is read before the board, so a
 * task in the row that the board does not know as running has ended. The row records each call before it is made; after tasks
 * were registered, the board is read once more, because they may have ended.
 */
export async function syncHosts(message: HostsMessage, deps: Deps): Promise<void> {
  const { uid, row, seen, turn = 0 } = message;
  const { cache, jobs, ports, queues } = deps;
  const { hostnames } = ports;
  if (hostnames === undefined) return;
  const spec = cache.specs.get(uid) ?? (await jobs.readSpec(uid));
  const names = spec === null ? null : namesOf(spec);
  if (spec === null || names === null) return;
  const indexes = row === READY_ROW ? membersIn(spec) : indexesOfRow(row);
  const until = plusMs(deps.clock.now(), WORK_MAX_MS);
  for (let round = 0; round < ROUNDS_MAX && deps.clock.now() < until; round++) {
    const known = await deps.hosts.readHosts(uid, row);
    const running = await readRunning(uid, indexes, deps);
    if (running === null || isNameless(running.status.phase)) return; // closeHosts removes the rest of the names
    const plan =
      row === READY_ROW
        ? await planReady(uid, { known, running, indexes }, deps)
        : await planRow({ known, running, indexes, seen }, message, deps);
    const done = await carryOut(plan, known, names, message, hostnames, deps);
    if (done === 'again') continue;
    if (done === 'later' && turn < TURNS_MAX) await queues.dispatch([{ ...message, turn: turn + 1 }], 2 ** turn);
    return;
  }
  if (turn < TURNS_MAX) await queues.dispatch([{ ...message, turn: turn + 1 }], 1);
}

type RowView = {
  readonly known: HostRow;
  readonly running: Running;
  readonly indexes: readonly number[];
  readonly seen: readonly SeenTask[];
};

/** The differences between the row and the board. */
async function planRow(
  { known, running, indexes, seen }: RowView,
  { uid, row }: HostsMessage,
  deps: Deps,
): Promise<RowPlan> {
  const now = deps.clock.now();
  const register: { index: number; task: HostTask }[] = [];
  const remove: Listed[] = [];
  const unknown: AttemptId[] = [];
  let later = false;
  for (const index of indexes) {
    const host = known.hosts.find((each) => each.index === index);
    const current = running.attemptOf(index);
    for (const task of host?.tasks ?? []) {
      if (host !== undefined && (current === null || !isOf(current, task))) remove.push({ index, host, task });
    }
    if (current === null) continue;
    const own = host?.tasks.find((task) => isOf(current, task));
    if (own === undefined) unknown.push(current);
    else if (!own.registered) {
      if (!isBeingCalled(own, now)) register.push({ index, task: { ...own, calledAt: now } });
      else if (seen.some(({ taskArn }) => taskArn === own.taskArn)) later = true;
    }
  }
  if (unknown.length === 0) return { register, remove, later };
  const found = await findAddresses(uid, row, unknown, seen, deps);
  for (const { id, taskArn, ip } of found.tasks) {
    const { index, attempt, nonce } = id;
    register.push({ index, task: { attempt, nonce, taskArn, ip, calledAt: now, registered: false } });
  }
  return { register, remove, later: later || found.later };
}

const isOf = (id: AttemptId, task: Pick<HostTask, 'attempt' | 'nonce'>): boolean =>
  id.attempt === task.attempt && id.nonce === task.nonce;

type Addresses = {
  readonly tasks: readonly { readonly id: AttemptId; readonly taskArn: TaskArn; readonly ip: string }[];
  readonly later: boolean;
};

/** Each attempt's task, from its launch, and its address, from the message or from ECS. The sweep handles what is not found. */
async function findAddresses(
  uid: HostsMessage['uid'],
  row: number,
  ids: readonly AttemptId[],
  seen: readonly SeenTask[],
  { jobs, tasks }: Deps,
): Promise<Addresses> {
  const { slots } = await jobs.readLaunches(uid, row);
  const found: { id: AttemptId; taskArn: TaskArn; ip: string }[] = [];
  const nameless = new Map<TaskArn, AttemptId>();
  for (const id of ids) {
    const slot = slots.find((each) => each.index === id.index && isOf(id, each));
    const own = seen.find(
      (task) =>
        task.index === id.index && isOf(id, task) && (slot?.state !== 'launched' || slot.taskArn === task.taskArn),
    );
    if (own !== undefined) found.push({ id, taskArn: own.taskArn, ip: own.ip });
    else if (slot?.state === 'launched') nameless.set(slot.taskArn, id);
  }
  if (nameless.size === 0) return { tasks: found, later: false };
  const described = await tasks.describe([...nameless.keys()]);
  if (described.kind === 'later') return { tasks: found, later: true };
  for (const { arn, stage, privateIp } of described.tasks) {
    const id = nameless.get(arn);
    if (id !== undefined && stage !== 'stopped' && privateIp !== null) found.push({ id, taskArn: arn, ip: privateIp });
  }
  return { tasks: found, later: false };
}

/** `again`: check once more, now; `later`: something remains to be done. */
async function carryOut(
  { register, remove, later }: RowPlan,
  known: HostRow,
  names: NamedTasks,
  { uid }: HostsMessage,
  hostnames: Hostnames,
  deps: Deps,
): Promise<'done' | 'again' | 'later'> {
  if (register.length + remove.length === 0) return later ? 'later' : 'done';
  const homeless = register.filter(({ index }) => !known.hosts.some((host) => host.index === index));
  const { made } = await ensureServices(
    names,
    homeless.map(({ index }) => index),
    hostnames,
    deps,
  );
  const homes = withHosts(known.hosts, made) ?? known.hosts;
  const calls = register.flatMap(({ index, task }) => {
    const host = homes.find((each) => each.index === index);
    return host === undefined ? [] : [{ index, task, serviceId: host.serviceId }];
  });
  let row = known;
  if (calls.length > 0) {
    const hosts = homes.map((host) => withTasks(host, calls));
    const written = await deps.hosts.writeHosts(uid, { ...known, hosts }, keepUntil(deps));
    if (written.kind === 'lost') return 'again';
    row = written.row;
  }

  const [added, removed] = await Promise.all([
    callForEach(calls, { ...taskPace(deps), namespace: names.namespace }, deps, ({ index, serviceId, task }) =>
      hostnames.register(serviceId, instanceIdOf(index, task), task.ip),
    ),
    callForEach(remove, taskPace(deps), deps, ({ host, task }) =>
      hostnames.deregister(host.serviceId, instanceIdOf(host.index, task)),
    ),
  ]);
  const now = deps.clock.now();
  // Another handler may be registering it at this moment: it stays listed until that is over, and is removed again then.
  const gone = remove.filter(({ task }, i) => removed[i]?.kind === 'done' && !isBeingCalled(task, now));
  const results = calls.map((call, i) => ({ ...call, outcome: added[i] ?? ({ kind: 'uncalled' } as const) }));
  await changeHosts(uid, row, (hosts) => afterCalls(hosts, results, gone), deps);
  const ended = results.some(({ outcome }) => outcome.kind === 'done' || outcome.kind === 'gone');
  if (ended) return 'again';
  const isLeft =
    later ||
    calls.length < register.length ||
    gone.length < remove.length ||
    results.some(({ outcome }) => outcome.kind !== 'done' && outcome.kind !== 'fatal');
  return isLeft ? 'later' : 'done';
}
