import { type EpochMs, plusMs } from '../../../domain/base/time.ts';
import { type JobUid, taskIdOf } from '../../../domain/base/ids.ts';
import { type NamedTasks, hasNames, hostServiceName, readyServiceName } from '../../../domain/task/host-names.ts';
import { LAUNCH_ROW_INDEXES } from '../../../domain/scoreboard/launch-row.ts';
import { type Phase, endOf, isOver } from '../../../domain/scoreboard/status.ts';
import type { Host, HostRow, HostTask } from '../../../ports/host-store.ts';
import type { Hostnames } from '../ports/hostnames.ts';
import type { StoredSpec } from '../../../ports/job-store.ts';
import type { Fatal, Later } from '../../../ports/tasks.ts';
import type { Deps } from '../../../control/process/deps.ts';
import { type Paced, callAtPace, slowDown } from '../../../control/process/call-at-pace.ts';
import { retryOnConflict } from '../../../store/retry-on-conflict.ts';

// What everything about task names shares: which Job they belong to, their rows, and the pace of calls.

/** What the names of a Job's tasks are built from; null: they have none. */
export function namesOf({ identity, manifest }: Pick<StoredSpec, 'identity' | 'manifest'>): NamedTasks | null {
  const { subdomain = '' } = manifest.spec.template.spec;
  const { namespace, name } = identity;
  return hasNames(manifest) ? { namespace, name, subdomain } : null;
}

/** The row of the name that says that all indexes run: indexes have at most six digits, so no index has it. */
export const READY_ROW = 100_000;
/** What stands for that name in its row. */
export const READY_INDEX = READY_ROW * LAUNCH_ROW_INDEXES;

/** The name of a Job that `index` stands for, below the zone. */
const serviceNameOf = (names: NamedTasks, index: number): string =>
  index === READY_INDEX ? readyServiceName(names) : hostServiceName(names, index);

/**
 * The id of a task's record. All may run several times while the first of them stays the same: then each time has a record of
 * its own, so the late removal of one never removes the next.
 */
export const instanceIdOf = (index: number, { taskArn, attempt, nonce }: HostTask): string =>
  index === READY_INDEX ? `${taskIdOf(taskArn)}-${attempt}-${nonce}` : taskIdOf(taskArn);

/** Nothing of the Job runs, and nothing will, so its names can be removed. */
export const isNameless = (phase: Phase): boolean => isOver(phase) || endOf(phase) !== null;

/** Cloud Map may take seconds for each call. After this time, a message starts no further step and comes again. */
export const WORK_MAX_MS = 10_000;

/** A started call is over after this long: no handler lives longer. */
const CALL_MAX_MS = 60_000;

/** Another handler may be registering it at this moment. */
export const isBeingCalled = ({ calledAt }: HostTask, now: EpochMs): boolean =>
  calledAt !== null && now < plusMs(calledAt, CALL_MAX_MS);

const TRIES_MAX = 6;

/**
 * Writes the row that `change` makes from the current row, which may have changed since `known`. If `change` returns null,
 * nothing is written.
 *
 * @returns the row as it is stored now
 */
export async function changeHosts(
  uid: JobUid,
  known: HostRow,
  change: (hosts: readonly Host[]) => readonly Host[] | null,
  deps: Pick<Deps, 'hosts' | 'clock' | 'settings'>,
): Promise<HostRow> {
  let row = known;
  return retryOnConflict(`host row ${known.row} of Job ${uid}`, TRIES_MAX, async () => {
    const hosts = change(row.hosts);
    if (hosts === null) return row;
    const written = await deps.hosts.writeHosts(uid, { ...row, hosts }, keepUntil(deps));
    if (written.kind === 'written') return written.row;
    row = written.row;
    return 'conflict';
  });
}

/** Rows of names are kept as long as launch rows. */
export const keepUntil = ({ clock, settings }: Pick<Deps, 'clock' | 'settings'>): EpochMs =>
  plusMs(clock.now(), settings.historyMs);

export const servicePace = ({ settings }: Pick<Deps, 'settings'>): Paced => ({
  name: 'nameService',
  ratePerSec: settings.hosts.servicesPerSec,
});

export const taskPace = ({ settings }: Pick<Deps, 'settings'>): Paced => ({
  name: 'name',
  ratePerSec: settings.hosts.tasksPerSec,
});

type Answer = { readonly kind: string; readonly reason?: string };

/** The outcome of one call: Cloud Map's answer; `unknown`: it threw; `uncalled`: the rate had no room for it. */
export type CallOutcome<A> = A | { readonly kind: 'unknown' | 'uncalled' };

/**
 * Calls `call` for each item at the allowed rate; the outcomes are in the order of the items. Never throws for a call's error.
 */
export async function callForEach<T, A extends Answer>(
  items: readonly T[],
  pace: Paced,
  deps: Pick<Deps, 'pacer' | 'clock' | 'telemetry'>,
  call: (item: T) => Promise<A>,
): Promise<readonly CallOutcome<A>[]> {
  const outcomes: CallOutcome<A>[] = items.map(() => ({ kind: 'uncalled' }));
  await callAtPace([...items.entries()], pace, deps, async ([i, item]) => {
    const outcome = await answerOf(() => call(item), deps);
    outcomes[i] = outcome;
    if (outcome.kind !== 'later') return;
    await slowDown(pace, deps);
  });
  return outcomes;
}

async function answerOf<A extends Answer>(
  call: () => Promise<A>,
  { telemetry }: Pick<Deps, 'telemetry'>,
): Promise<CallOutcome<A>> {
  try {
    const answer = await call();
    if (answer.reason !== undefined) telemetry.warn('name of a task not changed', { reason: answer.reason });
    return answer;
  } catch (error) {
    telemetry.warn('change of a name has no answer', { error: String(error) });
    return { kind: 'unknown' };
  }
}

/** Which of the requested services exist. */
export type Ensured = {
  readonly made: readonly Host[];
  /**
   * By index, why it has none: `fatal`, and it will never have one, or for now. Names that the rate had no room for are in
   * neither list.
   */
  readonly refused: ReadonlyMap<number, Later | Fatal>;
};

/** Creates the services of these names, or finds them. */
export async function ensureServices(
  names: NamedTasks,
  indexes: readonly number[],
  hostnames: Hostnames,
  deps: Pick<Deps, 'pacer' | 'clock' | 'telemetry' | 'settings'>,
): Promise<Ensured> {
  const pace = { ...servicePace(deps), namespace: names.namespace };
  const outcomes = await callForEach(indexes, pace, deps, (index) =>
    hostnames.ensureService(serviceNameOf(names, index)),
  );
  const made: Host[] = [];
  const refused = new Map<number, Later | Fatal>();
  for (const [i, index] of indexes.entries()) {
    const outcome = outcomes[i];
    if (outcome?.kind === 'ready') made.push({ index, serviceId: outcome.serviceId, tasks: [] });
    if (outcome?.kind === 'fatal' || outcome?.kind === 'later') refused.set(index, outcome);
  }
  return { made, refused };
}

/** The hosts, with new ones added; an existing index does not change. */
export function withHosts(hosts: readonly Host[], made: readonly Host[]): readonly Host[] | null {
  const added = made.filter(({ index }) => !hosts.some((host) => host.index === index));
  return added.length === 0 ? null : [...hosts, ...added].sort((a, b) => a.index - b.index);
}
