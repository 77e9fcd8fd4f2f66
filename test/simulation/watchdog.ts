import { type EpochMs, type JobUid, plusMs } from '../../shared/domain/brand.ts';
import type { AttemptId } from '../../shared/domain/fact.ts';
import { InvariantError } from '../../shared/domain/invariant.ts';
import { planningSpec } from '../../shared/domain/job.ts';
import { DELETED_VERSION, type Phase, type Status, isEnding } from '../../shared/domain/status.ts';
import type { TaskView } from '../../shared/domain/task.ts';
import type { Feed, FeedEntry } from '../../shared/ports/feed.ts';
import type { JobStore, StoredSpec } from '../../shared/ports/job-store.ts';
import type { Launch } from '../../shared/ports/tasks.ts';
import { type Watched, checkCommit, checkPhases, watch } from './commits.ts';
import { lies } from './truth.ts';

/** A guarantee of the design that did not hold. */
export class Violation extends Error {
  readonly guarantee: string;
  constructor(guarantee: string, what: string) {
    super(`${guarantee}: ${what}`);
    this.guarantee = guarantee;
  }
}

/** Is told of everything that is watched, a line each: what one reads when a seed has turned red. */
export type Trace = (line: string) => void;

/** Tasks that Muster has not started carry nonces from here on: they must be stopped, and count for nothing. */
export const STRANGER_NONCE = 1_000;
const isStranger = ({ id }: Pick<TaskView, 'id'>): boolean => id.nonce >= STRANGER_NONCE;

/** Looks at every commit, every task and every publication, and says so the moment a guarantee is broken. */
export class Watchdog {
  readonly jobs = new Map<JobUid, Watched>();
  readonly violations: Violation[] = [];
  readonly #now: () => EpochMs;
  readonly #trace: Trace;
  /** tasks by uid/index/attempt/nonce: at most one each */
  readonly #started = new Map<string, number>();
  /** tasks of ours that have not stopped, by uid and index: `index/attempt/nonce` */
  readonly #live = new Map<JobUid, Map<number, Set<string>>>();
  readonly #tasks = new Map<string, TaskView>();
  readonly #counts = new Map<JobUid, number>();

  constructor(now: () => EpochMs, trace: Trace) {
    this.#now = now;
    this.#trace = (line) => trace(`${new Date(now()).toISOString().slice(11, 23)} ${line}`);
  }

  /** Errors that the queue retries are weather; our own bugs are not. */
  threw(error: unknown): void {
    const bug = error instanceof InvariantError || error instanceof TypeError || error instanceof RangeError;
    if (bug) this.#blame('bug', String(error.stack));
  }

  taskStarts(launch: Launch): void {
    const { job, id } = launch;
    const watched = this.jobs.get(job.uid);
    if (isStranger(launch)) return;
    if (watched === undefined) return this.#blame('G7', `a task of unknown Job ${job.uid} starts`);
    const { board, status } = watched;
    const key = keyOf(id);
    const times = (this.#started.get(`${job.uid}/${key}`) ?? 0) + 1;
    this.#started.set(`${job.uid}/${key}`, times);
    if (times > 1) this.#blame('G4', `attempt ${key} was started ${times} times`);
    if (board.succeeded.has(id.index)) this.#blame('G1', `index ${id.index} is launched again after it has succeeded`);
    const { attempt, nonce, state } = board.at(id.index);
    const early = attempt === id.attempt && (id.nonce > nonce || (id.nonce === nonce && state === 'waiting'));
    if (early || !watched.claimed.has(`${id.index}/${id.attempt}`)) {
      this.#blame('G14', `attempt ${key} starts before its claim was committed`);
    }
    const { kind } = status.phase;
    if (kind === 'finished' || kind === 'deleted') this.#blame('G6', `a task starts after the Job is ${kind}`);
    const live = this.#liveOf(job.uid);
    const beside = live.get(id.index) ?? new Set();
    const lingering = status.lingering.filter((other) => live.get(other.index)?.has(keyOf(other)) === true).map(keyOf);
    for (const other of beside) {
      if (!lingering.includes(other)) this.#blame('G4', `attempt ${key} starts beside ${other}`);
    }
    live.set(id.index, beside.add(key));
    const count = (this.#counts.get(job.uid) ?? 0) + 1;
    this.#counts.set(job.uid, count);
    if (count - lingering.length > watched.parallelismMax) {
      this.#blame('G3', `${count} tasks live, ${lingering.length} replaced, parallelism ${watched.parallelismMax}`);
    }
  }

  taskChanged(view: TaskView): void {
    const { job, id, stage, ending } = view;
    this.#trace(`task ${keyOf(id)} ${stage}${ending === null ? '' : ` ${ending.cause} ${ending.exitCode}`}`);
    this.#tasks.set(view.arn, view);
    if (stage !== 'stopped' || isStranger(view)) return;
    const live = this.#liveOf(job);
    const beside = live.get(id.index);
    if (beside?.delete(keyOf(id)) === true) this.#counts.set(job, (this.#counts.get(job) ?? 1) - 1);
    if (beside?.size === 0) live.delete(id.index);
  }

  /** Attempts with a Pod, for users who delete one. */
  podsOf(uid: JobUid): ReturnType<Watched['board']['pods']> {
    return this.jobs.get(uid)?.board.pods() ?? [];
  }

  /** Attempts whose task has been there since before `moment`, and whose Pod nobody has deleted. */
  hangingSince(uid: JobUid, moment: EpochMs): readonly AttemptId[] {
    return [...this.#tasks.values()]
      .filter((view) => view.job === uid && view.stage !== 'stopped' && !isStranger(view))
      .filter(({ times }) => times.createdAt !== null && times.createdAt < moment)
      .map(({ id }) => id)
      .filter(({ index, attempt }) => {
        const shadow = this.jobs.get(uid)?.board.at(index);
        return shadow?.attempt === attempt && !shadow.podDeleted;
      });
  }

  /** Tasks that nobody of ours has started, and that nobody has stopped yet. */
  liveStrangers(): number {
    return [...this.#tasks.values()].filter((view) => isStranger(view) && view.stage !== 'stopped').length;
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
          watched.spec = planningSpec(spec.manifest);
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
          const deleted = committed?.phase.kind === 'deleting' || committed?.phase.kind === 'deleted';
          if (committed === undefined || (version === DELETED_VERSION ? !deleted : version > committed.version)) {
            this.#blame('G14', `version ${version} of Job ${uid} is shown before it is committed`);
          }
        }
        const appended = await feed.append(entries, at);
        if (appended.kind === 'appended') for (const entry of entries) this.#published(entry);
        return appended;
      },
    };
  }

  /** At the end: what the board says is what has happened. */
  checkTruth(uid: JobUid): void {
    const watched = this.jobs.get(uid);
    if (watched === undefined) return this.#blame('G8', `Job ${uid} was never created`);
    const tasks = [...this.#tasks.values()].filter(({ job }) => job === uid);
    const live = tasks.filter(({ stage }) => stage !== 'stopped');
    if (live.length > 0) this.#blame('G7', `${live.length} tasks run on after the Job is over`);
    const own = tasks.filter((view) => !isStranger(view));
    for (const { guarantee, what } of lies(own, watched.outcomes)) this.#blame(guarantee, what);
    const done = new Set(own.filter(({ ending }) => ending?.cause === 'Completed').map(({ id }) => id.index));
    for (const index of watched.board.succeeded) {
      if (!done.has(index)) this.#blame('G2', `index ${index} is counted, but no task of it ended with 0`);
    }
    const { phase, version, published } = watched.status;
    // A commit that changes nothing that is shown publishes itself in the status, not in the feed.
    const shown = Math.max(watched.publishedVersion, published.version);
    if (phase.kind === 'finished' && shown < version) {
      this.#blame('G14', `version ${version} was never published (${watched.publishedVersion})`);
    }
    if (phase.kind === 'deleted' && watched.publishedVersion !== DELETED_VERSION) {
      this.#blame('G14', 'the deletion was never published');
    }
  }

  /** A deleted Job's rows have had their time: nothing of it is left. */
  async checkForgotten(uid: JobUid, { jobs, feed }: { readonly jobs: JobStore; readonly feed: Feed }): Promise<void> {
    const size = this.jobs.get(uid)?.status.size ?? 0;
    const { namespace = '', name = '' } = this.jobs.get(uid)?.stored.identity ?? {};
    const left = {
      name: (await jobs.findJob(namespace, name)) === uid ? name : null,
      spec: await jobs.readSpec(uid),
      status: await jobs.readStatus(uid),
      template: await jobs.readTemplate(uid),
      mark: await feed.readMark(uid),
      chunk: (await jobs.readChunks(uid, [0])).get(0) ?? null,
      launches: (await jobs.readLaunchRange(uid, 0, Math.min(400, Math.ceil(size / 10))))[0] ?? null,
      attempts: (await jobs.readAttempts(uid, 0, Math.max(0, Math.min(size, 4_096) - 1)))[0] ?? null,
    };
    const rows = Object.entries(left).flatMap(([name, row]) => (row === null ? [] : [name]));
    if (rows.length > 0) this.#blame('G7', `a deleted Job leaves for ever: ${rows.join(', ')}`);
  }

  #created(spec: StoredSpec, status: Status): void {
    const { uid } = spec.identity;
    if (this.jobs.has(uid)) return; // the same call once more
    this.#trace(`created ${JSON.stringify(spec.manifest.spec).slice(0, 160)}`);
    this.jobs.set(uid, watch(spec, status));
  }

  #published(entry: FeedEntry): void {
    this.#trace(`published ${entry.type} ${entry.after} to ${entry.version}`);
    const watched = this.jobs.get(entry.uid);
    if (watched === undefined) return;
    if (entry.after !== watched.publishedVersion) {
      this.#blame('G14', `the feed goes from version ${watched.publishedVersion} to one after ${entry.after}`);
    }
    watched.publishedVersion = entry.version;
  }

  #committed(uid: JobUid, status: Status, isPass = false): void {
    const watched = this.jobs.get(uid);
    if (watched === undefined) return this.#blame('G2', `a commit for unknown Job ${uid}`);
    const before = watched.status;
    watched.status = status;
    const fresh = status.journal.entries.filter(({ seq }) => seq >= before.journal.nextSeq).map((e) => e.transition);
    this.#trace(
      `committed ${status.version} ${nameOf(status.phase)} ${fresh.map((t) => `${t.op} ${t.index}/${t.attempt}`).join(', ')}`,
    );
    if (status.version !== before.version + 1) {
      this.#blame('G10', `version ${status.version} follows ${before.version}`);
    }
    if (status.revision !== watched.stored.revision) {
      this.#blame('G10', `decided by revision ${status.revision} of ${watched.stored.revision}`);
    }
    if (status.now < before.now) this.#blame('G10', `time runs backwards by ${before.now - status.now} ms`);
    const blame = this.#blame.bind(this);
    checkPhases(before.phase, status.phase, blame);
    const { kind } = status.phase;
    const live = this.#counts.get(uid) ?? 0;
    if (live > 0 && ((kind === 'finished' && before.phase.kind !== 'finished') || kind === 'deleted')) {
      this.#blame('G6', `${kind} while ${live} tasks may still run`);
    }
    if (before.phase.kind === 'terminating' && kind === 'deleted' && watched.spec.held)
      this.#blame('G7', 'a Job is gone that a finalizer holds');
    if (isPass) checkCommit(watched, before, fresh, (arn) => this.#tasks.get(arn), this.#now(), blame);
    if (!isEnding(status.phase) || isEnding(before.phase)) return;
    for (const { index, attempt } of watched.board.pods()) watched.wished.add(`${index}/${attempt}`);
  }

  /** A Job is deleted, and no user has asked: its time to live must be over. */
  #outlived(uid: JobUid, { now }: Status): void {
    const watched = this.jobs.get(uid);
    const ttlSec = watched?.spec.ttlSecAfterFinished ?? null;
    const phase = watched?.status.phase;
    watched?.sights.see('outlived');
    if (phase?.kind !== 'finished' || ttlSec === null || now < plusMs(phase.at, ttlSec * 1000)) {
      this.#blame('G7', `a Job is deleted that is ${phase?.kind}, with ${ttlSec} s to live after its end`);
    }
  }

  #liveOf(uid: JobUid): Map<number, Set<string>> {
    const known = this.#live.get(uid);
    if (known !== undefined) return known;
    const fresh = new Map<number, Set<string>>();
    this.#live.set(uid, fresh);
    return fresh;
  }

  #blame(guarantee: string, what: string): void {
    this.#trace(`BROKEN ${guarantee}: ${what}`);
    this.violations.push(new Violation(guarantee, what));
  }
}

const keyOf = ({ index, attempt, nonce }: AttemptId): string => `${index}/${attempt}/${nonce}`;

const nameOf = (phase: Phase): string =>
  phase.kind === 'draining' || phase.kind === 'finished' ? `${phase.kind} ${phase.verdict.reason}` : phase.kind;
