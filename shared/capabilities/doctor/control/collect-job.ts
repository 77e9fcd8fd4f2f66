import { chunkOf } from '../../../domain/scoreboard/board.ts';
import type { JobUid, TaskArn } from '../../../domain/base/ids.ts';
import type { JobSnapshot, ProbedName } from '../domain/diagnose-job.ts';
import type { RestoredJob } from '../domain/diagnose-restored.ts';
import type { ActiveAttempt, ProbedTask } from '../domain/diagnose-tasks.ts';
import type { WorkingBoard } from '../../../domain/scoreboard/working-board.ts';
import { hasNames } from '../../../domain/task/host-names.ts';
import type { JobManifest } from '../../../domain/manifests/manifest.ts';
import { isActive } from '../../../domain/scoreboard/index-record.ts';
import { launchRowOf } from '../../../domain/scoreboard/launch-row.ts';
import { type Status, isOver } from '../../../domain/scoreboard/status.ts';
import type { TaskView } from '../../../domain/task/task.ts';
import { inWordsOf } from '../../../domain/pending/pod-wait.ts';
import { type Wait, chunksForWaits, waitsOf } from '../../../domain/pending/waits.ts';
import type { StoredSpec } from '../../../ports/job-store.ts';
import type { StartDelays } from '../../../ports/gathered/start-delays.ts';
import type { LogReader } from '../../../ports/log-reader.ts';
import { type ItemSource, readItemValues } from '../../../store/read-items.ts';
import { readWaitedFor } from '../../../store/read-waited-for.ts';
import { toJob } from '../../../store/to-job.ts';
import type { Deps } from '../../../control/process/deps.ts';
import { offersOf } from '../../../control/process/offers.ts';
import { readLaunchPace } from '../../../control/process/launch-pace.ts';
import { collectFailures, chunksWithFailures } from '../../../control/failures/collect-failures.ts';
import { type LoadedRows, loadRows } from '../../../control/failures/load-rows.ts';
import { heldCycle } from './held-cycle.ts';
import { probe } from '../../../control/process/probe.ts';

/** The most attempts and live tasks that are looked up: ten DescribeTasks and five ListTasks calls. */
const LOOKED_UP_MAX = 500;
const DESCRIBE_MAX = 100;
const LIST_PAGES_MAX = 5;

export type CollectDeps = Pick<Deps, 'jobs' | 'feed' | 'tasks' | 'limits' | 'hosts' | 'ports' | 'clock' | 'settings'> &
  ItemSource & { readonly logs: LogReader; readonly startDelays?: StartDelays | undefined };

/** What was read; the items of the indexes that it turns out to name come later. */
export type CollectedJob = Omit<JobSnapshot, 'itemOf'> & { readonly manifest: JobManifest };

/**
 * Everything that the check of a Job is based on. `shallow`: only its rows, without asking ECS. null: the Job does not exist.
 * Throws the store's error if not even STATUS can be read.
 */
export async function collectJob(
  uid: JobUid,
  depth: 'shallow' | 'full',
  deps: CollectDeps,
): Promise<CollectedJob | null> {
  const loaded = await loadRows(uid, depth === 'full' ? chunksForAll : chunksForWaiting, deps);
  if (loaded === null) return null;
  const { spec, status, board, torn } = loaded;
  const [published, pace, tasks, names, failures, others, cycle] = await Promise.all([
    probe(async () => (await deps.feed.readMark(uid))?.version ?? null),
    probe(() => readLaunchPace(deps)),
    depth === 'full' ? probe(() => probedTask(uid, board, deps)) : null,
    depth === 'full' && offersOf(deps).hosts !== null && hasNames(spec.manifest)
      ? probe(() => probedNames(uid, board, deps))
      : null,
    depth === 'full' ? probe(() => collectFailures(loaded, deps)) : null,
    probe(() => readWaitedFor(spec, status, deps.jobs)),
    probe(() => heldCycle(spec, status, deps)),
  ]);
  const now = deps.clock.now();
  const rate =
    pace.kind === 'ok' ? pace.value : { now, perSec: null, fullPerSec: null, namespaces: 1, namesPerSec: null };
  const waitedFor = others.kind === 'ok' ? others.value : [];
  const delays = deps.startDelays?.ofJob(uid) ?? [];
  const waiting = { spec: toJob(spec).spec, status, board, hasNames: hasNames(spec.manifest), waitedFor, delays };
  return {
    ...waiting,
    now,
    identity: spec.identity,
    manifest: spec.manifest,
    finalizers: spec.manifest.metadata.finalizers ?? [],
    waits: await Promise.all(waitsOf(waiting, rate).map((wait) => explained(wait, loaded, deps))),
    cycle: cycle.kind === 'ok' ? cycle.value : null,
    torn,
    published,
    pace,
    tasks,
    names,
    failures,
  };
}

/** Chunks with indexes that have not started, of which at most this many are read: 40,960 indexes. */
const PENDING_CHUNKS_MAX = 10;

/** What {@link diagnoseRestored} asks for; null: the Job does not exist, or is over. */
export async function collectRestored(uid: JobUid, deps: CollectDeps): Promise<CollectedRestored | null> {
  const pendingIn = ({ chunks }: Status) =>
    [...chunks.entries()].filter(([, { pending }]) => pending > 0).map(([no]) => no);
  const wanted = (status: Status) => [...chunksWithTasks(status), ...pendingIn(status).slice(0, PENDING_CHUNKS_MAX)];
  const loaded = await loadRows(uid, wanted, deps);
  if (loaded === null || isOver(loaded.status.phase)) return null;
  const { spec, status, board } = loaded;
  const tasks = await probe(() => probedTask(uid, board, deps));
  const hasMore = pendingIn(status).length > PENDING_CHUNKS_MAX;
  return { identity: spec.identity, manifest: spec.manifest, status, board, tasks, hasMore };
}

export type CollectedRestored = Omit<RestoredJob, 'itemOf'> & { readonly manifest: JobManifest };

const chunksForWaiting = (status: Status, spec: StoredSpec): readonly number[] =>
  chunksForWaits(status, toJob(spec).spec);

const chunksForAll = (status: Status, spec: StoredSpec): readonly number[] => [
  ...chunksForWaiting(status, spec),
  ...chunksWithTasks(status),
  ...chunksWithFailures(status),
];

/** If tasks were tried, ECS's text about one of them helps the most; a count does if that cannot be read. */
async function explained(wait: Wait, { spec, board }: LoadedRows, deps: CollectDeps): Promise<Wait> {
  const { example } = wait;
  if (example === undefined) return wait;
  const attempts = await probe(() => deps.jobs.readAttempts(spec.identity.uid, example, example));
  if (attempts.kind !== 'ok') return wait;
  const items = await probe(() => readItemValues(spec.manifest, [example], deps));
  const item = items.kind === 'ok' ? items.value.get(example)?.line : undefined;
  return inWordsOf(wait, board, attempts.value, item ?? null);
}

/** The first chunks with as many active attempts as are looked up. */
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

async function probedTask(uid: JobUid, board: WorkingBoard, deps: CollectDeps): Promise<ProbedTask> {
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

async function activeAttempts(
  uid: JobUid,
  board: WorkingBoard,
  { jobs }: CollectDeps,
): Promise<readonly ActiveAttempt[]> {
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

async function liveTasks(uid: JobUid, { tasks }: CollectDeps): Promise<Pick<ProbedTask, 'live' | 'moreLive'>> {
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

/** Compares our rows about its names with the board; Cloud Map is not asked. A Job has at most two thousand names. */
async function probedNames(uid: JobUid, board: WorkingBoard, { hosts }: CollectDeps): Promise<ProbedName> {
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
