import type { ReconcileRequest } from '../../../shared/control/reconcile/reconcile.ts';
import { type EpochMs, plusMs } from '../../../shared/domain/base/time.ts';
import { type JobUid, asJobUid } from '../../../shared/domain/base/ids.ts';
import type { AttemptId } from '../../../shared/domain/base/fact.ts';
import { isActive } from '../../../shared/domain/scoreboard/index-record.ts';
import { InvariantError } from '../../../shared/domain/base/invariant.ts';
import { planningSpec } from '../../../shared/domain/manifests/job.ts';
import {
  DELETED_VERSION,
  type Phase,
  type Status,
  freshStatus,
  isEnding,
} from '../../../shared/domain/scoreboard/status.ts';
import { TASK_ENV } from '../../../shared/domain/task/task-environment.ts';
import type { TaskDefinition, TaskView } from '../../../shared/domain/task/task.ts';
import type { Transition } from '../../../shared/domain/scoreboard/transition.ts';
import type { Feed, FeedEntry } from '../../../shared/ports/feed.ts';
import type { JobStore, StoredSpec } from '../../../shared/ports/job-store.ts';
import type { Launch } from '../../../shared/ports/tasks.ts';
import { type Watched, checkCommit, checkPhases, watch } from './commits.ts';
import type { Forbid, Law } from './law.ts';
import { attemptText, inWords } from '../in-words.ts';
import { LaunchWatch } from '../recalls/launch-watch.ts';
import type { About } from '../story.ts';
import { LIST_VARIABLE, type SeedList, trueImage, trueSize, trueValue } from '../world/lists.ts';
import { checkFirstPods } from './shown-steps.ts';
import { lies } from './truth.ts';
import { toJob } from '../../../shared/store/to-job.ts';

/** Gets everything that is watched: what one reads when a seed has turned red. */
export type Tell = (what: string, about: About) => void;

/** Tasks that Muster has not started carry nonces from here on: they must be stopped, and count for nothing. */
export const ORPHAN_NONCE = 1_000;
const isOrphan = ({ id }: Pick<TaskView, 'id'>): boolean => id.nonce >= ORPHAN_NONCE;

/** Looks at every commit, every task and every publication, and says so the moment a guarantee is broken. */
export class Watchdog {
  readonly jobs = new Map<JobUid, Watched>();
  readonly #now: () => EpochMs;
  readonly #law: Law;
  readonly #tell: Tell;
  /** tasks by uid/index/attempt/nonce: at most one each */
  readonly #started = new Map<string, number>();
  /** tasks of ours that have not stopped, by uid and index: `index/attempt/nonce` */
  readonly #live = new Map<JobUid, Map<number, Set<string>>>();
  readonly #tasks = new Map<string, TaskView>();
  readonly #counts = new Map<JobUid, number>();
  /** started although RunTask said no, by uid/index/attempt/nonce: whatever they do, unless the board takes one for its own */
  readonly #phantoms = new Set<string>();
  /** RunTask has refused them for what an operator has to mend, which it does not remember, before it started them. */
  readonly #refusedFirst = new Set<string>();
  readonly #unheard = new Set<string>();
  readonly #lists = new Map<string, SeedList>();
  readonly #launches: LaunchWatch | null;
  /** The image of the first container of each task definition. */
  readonly #images = new Map<string, string>();

  /** `isCalm`: there is no weather that could keep a message from its work. */
  constructor(now: () => EpochMs, law: Law, tell: Tell, isCalm: boolean) {
    this.#now = now;
    this.#launches = isCalm ? new LaunchWatch(now) : null;
    this.#law = law;
    this.#tell = tell;
  }

  /** Errors that the queue retries are weather; our own bugs are not. */
  threw(error: unknown): void {
    const bug = error instanceof InvariantError || error instanceof TypeError || error instanceof RangeError;
    this.#law.forbid(bug, 'bug', () => (error instanceof Error ? String(error.stack) : ''));
  }

  /** From now on each task of the list's Job must have the item of its index. */
  expectItems(list: SeedList): void {
    this.#lists.set(list.uid, list);
  }

  registered(taskDefinition: string, { containers }: TaskDefinition): void {
    this.#images.set(taskDefinition, containers.find(({ essential }) => essential)?.image ?? '');
  }

  #checkItem({ job, id, template, overrides = [], size }: Launch): void {
    const list = this.#lists.get(job.uid);
    if (list === undefined) return;
    const value = overrides[0]?.env.find(({ name }) => name === LIST_VARIABLE)?.value;
    const right = trueValue(list, id.index);
    const what = (): string =>
      `index ${id.index} got the item ${JSON.stringify(value)} in place of ${JSON.stringify(right)}`;
    this.#law.of(job.uid)(value !== right, 'G16', what, id.index);
    const [own, rightSize] = [size === undefined ? null : `${size.cpu}/${size.memoryMib}`, trueSize(list, id.index)];
    const whatSize = (): string =>
      `attempt ${keyOf(id)} got the size ${own ?? 'of its template'} in place of ${rightSize ?? 'its template’s'}`;
    this.#law.of(job.uid)(own !== rightSize, 'G16', whatSize, id.index);
    const [image, rightImage] = [this.#images.get(template.taskDefinition), trueImage(list, id.index)];
    const whatImage = (): string => `attempt ${keyOf(id)} got the image ${image} in place of ${rightImage}`;
    this.#law.of(job.uid)(rightImage !== null && image !== rightImage, 'G16', whatImage, id.index);
  }

  /** `refused`: RunTask says no, and starts it all the same. */
  taskStarts(launch: Launch, refused: boolean): void {
    const { job, id, env } = launch;
    if (isOrphan(launch)) return;
    const watched = this.jobs.get(job.uid);
    this.#law.forbid(watched === undefined, 'G7', () => `a task of unknown Job ${job.uid} starts`);
    if (watched === undefined) return;
    const { board, status } = watched;
    const key = keyOf(id);
    const forbid: Forbid = (isBroken, guarantee, what) => this.#law.of(job.uid)(isBroken, guarantee, what, id.index);
    const times = (this.#started.get(`${job.uid}/${key}`) ?? 0) + 1;
    this.#started.set(`${job.uid}/${key}`, times);
    forbid(times > 1, 'G4', () => `attempt ${key} was started ${times} times`);
    forbid(board.succeeded.has(id.index), 'G1', () => `index ${id.index} is launched again after it has succeeded`);
    forbid(board.unrun.excluded.has(id.index), 'G1', () => `index ${id.index} is launched, which is excluded`);
    const { attempt, nonce, state, allRestarts } = board.at(id.index);
    forbid(!refused && state === 'excluded', 'G24', () => `attempt ${key} starts, and its index was given up`);
    const tries = Number(env.find(({ name }) => name === TASK_ENV.attempt)?.value);
    forbid(
      attempt === id.attempt && nonce === id.nonce && tries !== attempt + allRestarts,
      'G5',
      () => `attempt ${key} got MUSTER_ATTEMPT ${tries} after ${allRestarts} restarts`,
    );
    this.#checkItem(launch);
    this.#launches?.taskStarts(job.uid, id, this.#law.of(job.uid));
    const early = attempt === id.attempt && (id.nonce > nonce || (id.nonce === nonce && state === 'waiting'));
    const unclaimed = early || !watched.claimed.has(`${id.index}/${id.attempt}`);
    forbid(unclaimed, 'G14', () => `attempt ${key} starts before its claim was committed`);
    const { kind } = status.phase;
    forbid(kind === 'finished' || kind === 'deleted', 'G6', () => `a task starts after the Job is ${kind}`);
    if (refused) {
      this.#phantoms.add(`${job.uid}/${key}`);
      return;
    }
    const live = this.#liveOf(job.uid);
    const replacedTasks = status.replacedTasks
      .filter((other) => live.get(other.index)?.has(keyOf(other)) === true)
      .map(keyOf);
    for (const other of live.get(id.index) ?? [])
      forbid(!replacedTasks.includes(other), 'G4', () => `attempt ${key} starts beside ${other}`);
    this.#goesLive(job.uid, id);
    const count = this.#counts.get(job.uid) ?? 0;
    forbid(
      count - replacedTasks.length > watched.parallelismMax,
      'G3',
      () => `${count} tasks live, ${replacedTasks.length} replaced, parallelism ${watched.parallelismMax}`,
    );
  }

  /** RunTask does not even look at the launch's token. */
  turnedAway({ job, id }: Launch): void {
    const key = `${job.uid}/${keyOf(id)}`;
    if (!this.#started.has(key)) this.#refusedFirst.add(key);
  }

  taskChanged(view: TaskView): void {
    const { job, id, stage, ending } = view;
    const how = ending === null ? '' : ` (${ending.cause}, exit code ${ending.exitCode ?? 'none'})`;
    this.#tell(`task of ${attemptText(id)} is ${stage}${how}`, { uids: [job], indexes: [id.index] });
    const hadEnded = this.#tasks.get(view.arn)?.stage === 'stopped';
    this.#tasks.set(view.arn, view);
    if (stage !== 'stopped' || isOrphan(view)) return;
    if (hadEnded) return this.#stopsAfterEnd(view);
    this.jobs.get(job)?.repairs.ended(id, this.#now());
    const live = this.#liveOf(job);
    const beside = live.get(id.index);
    if (beside?.delete(keyOf(id)) === true) this.#counts.set(job, (this.#counts.get(job) ?? 1) - 1);
    if (beside?.size === 0) live.delete(id.index);
  }

  /** ECS has told of its end before. */
  #stopsAfterEnd({ job, id }: TaskView): void {
    const watched = this.jobs.get(job);
    if (watched === undefined) return;
    const { attempt, nonce, state } = watched.board.at(id.index);
    const isCounted = !isActive(state) || attempt !== id.attempt || nonce !== id.nonce;
    if (isCounted) watched.sights.see('counted early');
  }

  /** Every task there was of a Job. */
  tasksOf(uid: JobUid): readonly TaskView[] {
    return [...this.#tasks.values()].filter(({ job }) => job === uid);
  }

  /** How many tasks of ours of a Job have not stopped. */
  runningOf(uid: JobUid): number {
    return this.#counts.get(uid) ?? 0;
  }

  /** What the board says of an index. */
  shadowOf(uid: JobUid, index: number): (AttemptId & { readonly active: boolean; readonly goesOn: boolean }) | null {
    const watched = this.jobs.get(uid);
    if (watched === undefined) return null;
    const { attempt, nonce, state } = watched.board.at(index);
    return { index, attempt, nonce, active: isActive(state), goesOn: watched.status.phase.kind === 'running' };
  }

  /** The times that all indexes of a gang ran, as the board has it; null: the Job has none. */
  gangOf(uid: JobUid): { readonly whole: ReadonlySet<string>; readonly now: string | null } | null {
    const watched = this.jobs.get(uid);
    if (watched === undefined || watched.spec.gang === null) return null;
    const { whole, now } = watched.gang;
    return { whole, now: watched.status.phase.kind === 'running' ? now : null };
  }

  /** Attempts with a Pod, for users who delete one. */
  podsOf(uid: string): ReturnType<Watched['board']['pods']> {
    return this.jobs.get(asJobUid(uid))?.board.pods() ?? [];
  }

  /** The last index that is done while one before it is still at work; null: there is none now. */
  doneEarly(uid: string): number | null {
    const board = this.jobs.get(asJobUid(uid))?.board;
    if (board === undefined) return null;
    const first = Math.min(...board.pods().map(({ index }) => index));
    const last = Math.max(...board.succeeded);
    return last > first ? last : null;
  }

  /** Attempts whose task has been there since before `moment`, and whose Pod nobody has deleted. */
  hangingSince(uid: string, moment: EpochMs): readonly AttemptId[] {
    return [...this.#tasks.values()]
      .filter((view) => view.job === uid && view.stage !== 'stopped' && !isOrphan(view))
      .filter(({ times }) => times.createdAt !== null && times.createdAt < moment)
      .map(({ id }) => id)
      .filter(({ index, attempt }) => {
        const shadow = this.jobs.get(asJobUid(uid))?.board.at(index);
        return shadow?.attempt === attempt && !shadow.podDeleted;
      });
  }

  /** Tasks that no board knows: nobody of ours has started them, or RunTask said that it had not. */
  liveOrphans(): number {
    let live = 0;
    for (const view of this.#tasks.values())
      if (view.stage !== 'stopped' && (isOrphan(view) || this.#isPhantom(view))) live++;
    return live;
  }

  #isPhantom({ job, id }: Pick<TaskView, 'job' | 'id'>): boolean {
    return this.#phantoms.has(`${job}/${keyOf(id)}`);
  }

  /** What ECS told of its end has gone to the dead letters. */
  isUnheard(uid: JobUid, id: AttemptId): boolean {
    return this.#unheard.has(`${uid}/${keyOf(id)}`);
  }

  /** Nobody could work on these facts, however often they came. */
  unheard({ uid, facts }: ReconcileRequest): void {
    for (const fact of facts) if (fact.kind === 'stopped') this.#unheard.add(`${uid}/${keyOf(fact)}`);
  }

  #goesLive(uid: JobUid, id: AttemptId): void {
    const live = this.#liveOf(uid);
    live.set(id.index, (live.get(id.index) ?? new Set()).add(keyOf(id)));
    this.#counts.set(uid, (this.#counts.get(uid) ?? 0) + 1);
  }

  /** The board counts on a task that RunTask has denied: it is one like any other from now on. */
  #adopt(uid: JobUid, { index, attempt }: Transition): void {
    const id = { index, attempt, nonce: this.jobs.get(uid)?.board.at(index).nonce ?? 0 };
    if (!this.#phantoms.delete(`${uid}/${keyOf(id)}`)) return;
    this.jobs.get(uid)?.sights.see('adopted');
    const lives = [...this.#tasks.values()].some(
      (view) => view.job === uid && keyOf(view.id) === keyOf(id) && view.stage !== 'stopped',
    );
    if (lives) this.#goesLive(uid, id);
  }

  /** `byUser`: a user's handler, not a pass. */
  watchJobs(jobs: JobStore, byUser: boolean): JobStore {
    return {
      ...jobs,
      createJob: async (spec, status) => {
        const created = await jobs.createJob(spec, status);
        if (created.kind === 'created') this.#created(spec, status);
        return created;
      },
      commitPass: async (uid, status, chunks) => {
        const committed = await jobs.commitPass(uid, status, chunks);
        if (committed.kind === 'committed') this.#committed(uid, status, true);
        return committed;
      },
      commitSpec: async (spec, status) => {
        const committed = await jobs.commitSpec(spec, status);
        const watched = this.jobs.get(spec.identity.uid);
        if (committed.kind === 'committed' && watched !== undefined) {
          watched.stored = spec;
          watched.spec = planningSpec(spec);
          watched.parallelismMax = Math.max(watched.parallelismMax, spec.manifest.spec.parallelism);
          this.#committed(spec.identity.uid, status);
        }
        return committed;
      },
      commitDeletion: async (identity, status) => {
        const committed = await jobs.commitDeletion(identity, status);
        if (committed.kind === 'committed') {
          if (!byUser) this.#outlived(identity.uid, status);
          this.#committed(identity.uid, status);
        }
        return committed;
      },
      writeAttempts: async (uid, attempts, expireAt) => {
        await jobs.writeAttempts(uid, attempts, expireAt);
        const recorded = this.jobs.get(uid)?.recorded;
        // Two passes may write one, of which only one commits: who has seen the task stop knows more.
        for (const attempt of attempts) {
          if ((recorded?.get(keyOf(attempt))?.times.stoppedAt ?? null) === null) recorded?.set(keyOf(attempt), attempt);
        }
      },
    };
  }

  watchFeed(feed: Feed): Feed {
    return {
      ...feed,
      append: async (entries, at) => {
        for (const { uid, version } of entries) {
          const committed = this.jobs.get(uid)?.status;
          const deleted = committed?.phase.kind === 'purging' || committed?.phase.kind === 'deleted';
          const early =
            committed === undefined || (version === DELETED_VERSION ? !deleted : version > committed.version);
          this.#law.of(uid)(early, 'G14', () => `version ${version} of Job ${uid} is shown before it is committed`);
        }
        const appended = await feed.append(entries, at);
        if (appended.kind === 'appended') for (const entry of entries) this.#published(entry);
        return appended;
      },
    };
  }

  /** In calm weather, now and then: what was lost is mended in time. */
  checkRepairs(clearSince: EpochMs): void {
    for (const [uid, watched] of this.jobs)
      watched.repairs.check(watched, this.#liveOf(uid), this.#now(), clearSince, this.#law.of(uid));
  }

  /** At the end: what the board says is what has happened. */
  checkTruth(uid: JobUid): void {
    const forbid = this.#law.of(uid);
    const watched = this.jobs.get(uid);
    if (watched === undefined) return forbid(true, 'G8', () => `Job ${uid} was never created`);
    const tasks = this.tasksOf(uid);
    const live = tasks.filter(({ stage }) => stage !== 'stopped');
    const alive = live.map(({ id }) => id.index);
    forbid(live.length > 0, 'G7', () => `${live.length} tasks run on after the Job is over`, ...alive);
    const own = tasks.filter((view) => !isOrphan(view) && !(this.#isPhantom(view) && !isCounted(view, watched)));
    for (const { guarantee, what, index } of lies(
      own,
      watched.outcomes,
      ({ job, id }) => this.isUnheard(job, id),
      ({ job, id }) => this.#refusedFirst.has(`${job}/${keyOf(id)}`),
    ))
      forbid(true, guarantee, () => what, index);
    const done = new Set(own.filter(({ ending }) => ending?.cause === 'Completed').map(({ id }) => id.index));
    for (const index of watched.board.succeeded)
      forbid(
        !done.has(index) && !watched.board.unrun.inherited.has(index),
        'G2',
        () => `index ${index} is counted, but no task of it ended with 0`,
        index,
      );
    const { phase, version, published } = watched.status;
    // A commit that changes nothing that is shown publishes itself in the status, not in the feed.
    const shown = Math.max(watched.publishedVersion, published.version);
    forbid(
      phase.kind === 'finished' && shown < version,
      'G14',
      () => `version ${version} was never published (${watched.publishedVersion})`,
    );
    forbid(
      phase.kind === 'deleted' && watched.publishedVersion !== DELETED_VERSION,
      'G14',
      () => 'the deletion was never published',
    );
  }

  /** A deleted Job's rows have had their time: nothing of it is left. */
  async checkForgotten(uid: JobUid, { jobs, feed }: { readonly jobs: JobStore; readonly feed: Feed }): Promise<void> {
    const size = this.jobs.get(uid)?.status.size ?? 0;
    const { namespace = '', name = '' } = this.jobs.get(uid)?.stored.identity ?? {};
    const left = {
      name: (await jobs.findJob(namespace, name)) === uid ? name : null,
      spec: await jobs.readSpec(uid),
      status: await jobs.readStatus(uid),
      template: (await jobs.readTemplates(uid))[0] ?? null,
      mark: await feed.readMark(uid),
      chunk: (await jobs.readChunks(uid, [0])).get(0) ?? null,
      launches: (await jobs.readLaunchRange(uid, 0, Math.min(400, Math.ceil(size / 10))))[0] ?? null,
      attempts: (await jobs.readAttempts(uid, 0, Math.max(0, Math.min(size, 4_096) - 1)))[0] ?? null,
    };
    const rows = Object.entries(left).flatMap(([name, row]) => (row === null ? [] : [name]));
    this.#law.of(uid)(rows.length > 0, 'G7', () => `a deleted Job leaves for ever: ${rows.join(', ')}`);
  }

  #created(spec: StoredSpec, status: Status): void {
    const { uid } = spec.identity;
    if (this.jobs.has(uid)) return; // the same call once more
    this.#tell(`creates Job ${uid}: ${JSON.stringify(withoutTemplate(spec))}`, { uids: [uid], indexes: null });
    const first = { ...freshStatus(toJob(spec), status.now), version: 0 };
    checkFirstPods(spec, status, this.#law.of(uid));
    const hasPods = status.journal.entries.length > 0;
    this.jobs.set(uid, watch(spec, hasPods ? first : status, this.#now()));
    // Its first Pods are a pass's decision like any other.
    if (hasPods) this.#committed(uid, status, true);
  }

  #published({ uid, type, after, version, pods }: FeedEntry): void {
    this.#tell(`publishes versions ${after} to ${version} (${type})`, { uids: [uid], indexes: null, isMinor: true });
    const watched = this.jobs.get(uid);
    if (watched === undefined) return;
    const { publishedVersion } = watched;
    this.#law.of(uid)(
      after !== publishedVersion,
      'G14',
      () => `the feed goes from version ${publishedVersion} to one after ${after}`,
    );
    watched.publishedVersion = version;
    // With a deleted Job go the Pods that watchers have; what changed since they do not hear of.
    if (type === 'DELETED') return;
    for (const { index, attempt, state, isNew } of pods) {
      const key = `${index}/${attempt}`;
      this.#law.of(uid)(
        (isNew === true) === watched.toldPods.has(key),
        'G14',
        () => `Pod ${key} is reported as ${isNew === true ? 'new again' : `${state}, and never as new`}`,
        index,
      );
      if (state === 'gone') watched.toldPods.delete(key);
      else watched.toldPods.add(key);
    }
  }

  #committed(uid: JobUid, status: Status, isPass = false): void {
    const forbid = this.#law.of(uid);
    const watched = this.jobs.get(uid);
    forbid(watched === undefined, 'G2', () => `a commit for unknown Job ${uid}`);
    if (watched === undefined) return;
    const before = watched.status;
    watched.status = status;
    const isNote = status.isAwaited && !before.isAwaited; // users see nothing of it
    if (!isNote) watched.repairs.committed(status, this.#now());
    const fresh = status.journal.entries.filter(({ seq }) => seq >= before.journal.nextSeq).map((e) => e.transition);
    this.#tell(
      `commits version ${status.version}, ${nameOf(status.phase)}${inWords(watched.board.launchesOf(fresh))}`,
      {
        uids: [uid],
        indexes: nameOf(before.phase) === nameOf(status.phase) ? fresh.map(({ index }) => index) : null,
      },
    );
    this.#launches?.committed(uid, status.phase, fresh);
    forbid(status.version !== before.version + 1, 'G10', () => `version ${status.version} follows ${before.version}`);
    forbid(
      status.revision !== watched.stored.revision,
      'G10',
      () => `decided by revision ${status.revision} of ${watched.stored.revision}`,
    );
    forbid(status.now < before.now, 'G10', () => `time runs backwards by ${before.now - status.now} ms`);
    checkPhases(before.phase, status.phase, forbid);
    const { kind } = status.phase;
    const live = this.#counts.get(uid) ?? 0;
    const isEnd = (kind === 'finished' && before.phase.kind !== 'finished') || kind === 'deleted';
    forbid(isEnd && live > 0, 'G6', () => `${kind} while ${live} tasks may still run`, ...this.#liveOf(uid).keys());
    forbid(
      before.phase.kind === 'terminating' && kind === 'deleted' && watched.spec.held,
      'G7',
      () => 'a Job is gone that a finalizer holds',
    );
    if (isPass) checkCommit(watched, before, fresh, (arn) => this.#tasks.get(arn), this.#now(), forbid);
    if (this.#phantoms.size > 0)
      for (const step of fresh) if (step.op === 'launched' || step.op === 'running') this.#adopt(uid, step);
    if (!isEnding(status.phase) || isEnding(before.phase)) return;
    for (const { index, attempt } of watched.board.pods()) watched.wished.add(`${index}/${attempt}`);
  }

  /** A Job is deleted, and no user has asked: its time to live must be over. */
  #outlived(uid: JobUid, { now }: Status): void {
    const watched = this.jobs.get(uid);
    // Its CronJob replaces it, or keeps fewer that have ended.
    if ((watched?.stored.manifest.metadata.ownerReferences ?? []).length > 0) return;
    const ttlSec = watched?.spec.ttlSecAfterFinished ?? null;
    const phase = watched?.status.phase;
    watched?.sights.see('outlived');
    this.#law.of(uid)(
      phase?.kind !== 'finished' || ttlSec === null || now < plusMs(phase.at, ttlSec * 1000),
      'G7',
      () => `a Job is deleted that is ${phase?.kind}, with ${ttlSec} s to live after its end`,
    );
  }

  #liveOf(uid: JobUid): Map<number, Set<string>> {
    const known = this.#live.get(uid);
    if (known !== undefined) return known;
    const fresh = new Map<number, Set<string>>();
    this.#live.set(uid, fresh);
    return fresh;
  }
}

/** What the board has said of a launch that RunTask had denied. */
const isCounted = ({ id }: TaskView, { outcomes }: Watched): boolean =>
  (outcomes.get(keyOf(id))?.op ?? 'renonce') !== 'renonce';

const keyOf = ({ index, attempt, nonce }: AttemptId): string => `${index}/${attempt}/${nonce}`;

const nameOf = (phase: Phase): string =>
  phase.kind === 'draining' || phase.kind === 'finished' ? `${phase.kind} (${phase.verdict.reason})` : phase.kind;

const withoutTemplate = ({ manifest }: StoredSpec): unknown => ({
  ...manifest.spec,
  template: undefined,
  selector: undefined,
});
