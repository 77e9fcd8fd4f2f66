import { type Chunk, chunkOf, emptyChunk } from '../domain/board.ts';
import type { JobUid, TaskArn } from '../domain/brand.ts';
import type { JobChart, NameSight } from '../domain/diagnose-job.ts';
import type { ActiveAttempt, TaskSight } from '../domain/diagnose-tasks.ts';
import { Draft } from '../domain/draft.ts';
import { hasNames } from '../domain/host-names.ts';
import { isActive } from '../domain/index-record.ts';
import { planningSpec } from '../domain/job.ts';
import { launchRowOf } from '../domain/launch-row.ts';
import type { Status } from '../domain/status.ts';
import type { TaskView } from '../domain/task.ts';
import { inWordsOf } from '../domain/pod-wait.ts';
import { type Wait, chunksForWaits, waitsOf } from '../domain/waits.ts';
import type { StoredSpec } from '../ports/job-store.ts';
import type { LogReader } from '../ports/log-reader.ts';
import type { Deps } from './deps.ts';
import { readLaunchPace } from './launch-pace.ts';
import { chartFailures, chunksWithFailures } from './chart-failures.ts';
import { look } from './look.ts';

/** Attempts and live tasks that are looked up, however many there are: ten DescribeTasks and five ListTasks at most. */
const LOOKED_UP_MAX = 500;
const DESCRIBE_MAX = 100;
const LIST_PAGES_MAX = 5;
/** Rows that do not fit are read again: passes commit a few times a second. */
const LOADS_MAX = 4;
const LOAD_PAUSE_MS = 100;

export type ChartDeps = Pick<
  Deps,
  'jobs' | 'feed' | 'tasks' | 'limits' | 'hosts' | 'hostnames' | 'clock' | 'settings'
> & { readonly logs: LogReader };

/**
 * Everything that an examination of a Job goes by. `glance`: its rows only, ECS is not asked. null: there is no such Job.
 * Throws what the store throws where even STATUS cannot be read.
 */
export async function chartJob(uid: JobUid, depth: 'glance' | 'full', deps: ChartDeps): Promise<JobChart | null> {
  const loaded = await load(uid, depth === 'full' ? chunksForAll : chunksForWaiting, deps);
  if (loaded === null) return null;
  const { spec, status, board, torn } = loaded;
  const [told, pace, tasks, names, failures] = await Promise.all([
    look(async () => (await deps.feed.readMark(uid))?.version ?? null),
    look(() => readLaunchPace(deps)),
    depth === 'full' ? look(() => sightOf(uid, board, deps)) : null,
    depth === 'full' && deps.hostnames !== null && hasNames(spec.manifest)
      ? look(() => sightOfNames(uid, board, deps))
      : null,
    depth === 'full' ? look(() => chartFailures(loaded, deps)) : null,
  ]);
  const now = deps.clock.now();
  const rate = pace.kind === 'seen' ? pace.value : { now, perSec: null, fullPerSec: null, namesPerSec: null };
  const waiting = { spec: planningSpec(spec.manifest), status, board, hasNames: hasNames(spec.manifest) };
  return {
    ...waiting,
    now,
    identity: spec.identity,
    finalizers: spec.manifest.metadata.finalizers ?? [],
    waits: await Promise.all(waitsOf(waiting, rate).map((wait) => explained(wait, uid, board, deps))),
    torn,
    told,
    pace,
    tasks,
    names,
    failures,
  };
}

/** A Job with what has failed of it, and nothing else. null: there is no such Job. */
export async function chartFailuresOf(uid: JobUid, deps: ChartDeps) {
  const loaded = await load(uid, (status) => chunksWithFailures(status), deps);
  if (loaded === null) return null;
  return { ...loaded, ...(await chartFailures(loaded, deps)) };
}

const chunksForWaiting = (status: Status, { manifest }: StoredSpec): readonly number[] =>
  chunksForWaits(status, planningSpec(manifest));

const chunksForAll = (status: Status, spec: StoredSpec): readonly number[] => [
  ...chunksForWaiting(status, spec),
  ...chunksWithTasks(status),
  ...chunksWithFailures(status),
];

/** Where tasks have been tried, what ECS said of one of them is what helps; a count does, if that cannot be read. */
async function explained(wait: Wait, uid: JobUid, board: Draft, { jobs }: ChartDeps): Promise<Wait> {
  const { example } = wait;
  if (example === undefined) return wait;
  const attempts = await look(() => jobs.readAttempts(uid, example, example));
  return attempts.kind === 'seen' ? inWordsOf(wait, board, attempts.value) : wait;
}

type Loaded = {
  readonly spec: StoredSpec;
  readonly status: Status;
  readonly board: Draft;
  readonly torn: string | null;
};

/** Rows that do not fit are torn if nothing has been committed since they were last read, and they still do not. */
async function load(
  uid: JobUid,
  wanted: (status: Status, spec: StoredSpec) => readonly number[],
  { jobs, clock }: ChartDeps,
): Promise<Loaded | null> {
  let before: { readonly version: number; readonly misfit: string } | null = null;
  for (let nth = 1; ; nth++) {
    const status = await jobs.readStatus(uid);
    const spec = await jobs.readSpec(uid);
    if (status === null || spec === null) return null;
    const nos = [...new Set(wanted(status, spec))];
    const read = await jobs.readChunks(uid, nos); // also those that STATUS says are not stored
    const chunks = new Map<number, Chunk>();
    const misfits =
      spec.revision === status.revision ? [] : [`SPEC is at revision ${spec.revision}, STATUS at ${status.revision}`];
    for (const no of nos) {
      const version = status.chunks[no]?.version ?? 0;
      const found = read.get(no);
      if ((found?.version ?? 0) === version) chunks.set(no, found?.chunk ?? emptyChunk());
      else misfits.push(`chunk ${no} is at version ${found?.version ?? 0}, STATUS says ${version}`);
    }
    const [misfit] = misfits;
    const board = new Draft(status, chunks);
    if (misfit === undefined) return { spec, status, board, torn: null };
    const isTorn = before !== null && before.version === status.version && before.misfit === misfit;
    if (isTorn) return { spec, status, board, torn: misfit };
    if (nth === LOADS_MAX) return { spec, status, board, torn: null }; // busy: what does not fit is left out
    before = { version: status.version, misfit };
    await clock.sleep(LOAD_PAUSE_MS);
  }
}

/** The first chunks that have as many active attempts as are looked up. */
function chunksWithTasks({ chunks }: Status): readonly number[] {
  const nos: number[] = [];
  let active = 0;
  for (const [no, { starting, running }] of chunks.entries()) {
    if (active >= LOOKED_UP_MAX) break;
    if (starting + running === 0) continue;
    nos.push(no);
    active += starting + running;
  }
  return nos;
}

async function sightOf(uid: JobUid, board: Draft, deps: ChartDeps): Promise<TaskSight> {
  const attempts = await activeAttempts(uid, board, deps);
  const { live, moreLive } = await liveTasks(uid, deps);
  const known = attempts.flatMap(({ slot }) => (slot?.state === 'launched' ? [slot.taskArn] : []));
  const tasks = new Map<TaskArn, TaskView>();
  const missing = new Set<TaskArn>();
  const asked = [...new Set([...known, ...live])];
  for (let from = 0; from < asked.length; from += DESCRIBE_MAX) {
    const seen = await deps.tasks.describe(asked.slice(from, from + DESCRIBE_MAX));
    if (seen.kind === 'later') throw new Error(seen.reason);
    for (const view of seen.tasks) tasks.set(view.arn, view);
    for (const arn of seen.missing) missing.add(arn);
  }
  return { attempts, tasks, missing, live, moreLive };
}

async function activeAttempts(uid: JobUid, board: Draft, { jobs }: ChartDeps): Promise<readonly ActiveAttempt[]> {
  const indexes = board.scan(0, LOOKED_UP_MAX, ({ state }) => state !== 'waiting', ['starting', 'running']);
  const attempts: ActiveAttempt[] = [];
  for (const some of byChunk(indexes)) {
    const [first, last] = [some[0] ?? 0, some.at(-1) ?? 0];
    const rows = await jobs.readLaunchRange(uid, launchRowOf(first), launchRowOf(last));
    const slots = new Map(rows.flatMap((row) => row.slots).map((slot) => [slot.index, slot]));
    for (const index of some) {
      const record = board.record(index);
      if (record === null) continue;
      const { state, attempt, nonce } = record;
      if (state !== 'claimed' && state !== 'launched' && state !== 'running') continue;
      attempts.push({ id: { index, attempt, nonce }, state, slot: slots.get(index) ?? null });
    }
  }
  return attempts;
}

/** One query reads the launch rows of a chunk. */
function byChunk(indexes: readonly number[]): readonly (readonly number[])[] {
  const groups = new Map<number, number[]>();
  for (const index of indexes) groups.set(chunkOf(index), [...(groups.get(chunkOf(index)) ?? []), index]);
  return [...groups.values()];
}

async function liveTasks(uid: JobUid, { tasks }: ChartDeps): Promise<Pick<TaskSight, 'live' | 'moreLive'>> {
  const live: TaskArn[] = [];
  let after: string | null = null;
  for (let nth = 0; nth < LIST_PAGES_MAX; nth++) {
    const page: Awaited<ReturnType<Deps['tasks']['listLive']>> = await tasks.listLive({ job: uid, after });
    if (page.kind === 'later') throw new Error(page.reason);
    live.push(...page.taskArns);
    after = page.next;
    if (after === null) break;
  }
  return { live, moreLive: after !== null };
}

/** What our rows say of its names, against the board: Cloud Map is not asked. A Job has two thousand names at most. */
async function sightOfNames(uid: JobUid, board: Draft, { hosts }: ChartDeps): Promise<NameSight> {
  const [reservations, rows] = await Promise.all([hosts.reservations(), hosts.listHosts(uid)]);
  const named = rows.flatMap((row) =>
    row.hosts.flatMap(({ index, tasks }) => tasks.map((task) => ({ index, ...task }))),
  );
  const isIts = ({ index, attempt, nonce }: (typeof named)[number]): boolean => {
    const record = board.record(index);
    return record !== null && isActive(record.state) && record.attempt === attempt && record.nonce === nonce;
  };
  const own = new Set(named.filter((task) => task.registered && isIts(task)).map(({ index }) => index));
  const running = board.scan(0, LOOKED_UP_MAX, ({ state }) => state === 'running', ['running']);
  return {
    reserved: reservations.find((each) => each.uid === uid)?.count ?? 0,
    registered: named.length,
    astray: named.filter((task) => !isIts(task)).map(({ index }) => index),
    unnamed: running.filter((index) => !own.has(index)),
  };
}
