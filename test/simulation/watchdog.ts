import { type EpochMs, type JobUid } from '../../shared/domain/brand.ts';
import { InvariantError } from '../../shared/domain/invariant.ts';
import { DELETED_VERSION, type Status, isEnding, tally } from '../../shared/domain/status.ts';
import type { TaskView } from '../../shared/domain/task.ts';
import type { Feed, FeedEntry } from '../../shared/ports/feed.ts';
import type { JobStore, StoredSpec } from '../../shared/ports/job-store.ts';
import type { Launch } from '../../shared/ports/tasks.ts';
import { type Outcome, lies } from './truth.ts';

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

type Watched = {
  /** of the newest generation that was committed */
  spec: StoredSpec;
  status: Status;
  /** the largest parallelism that any stored generation had: attempts beyond a lowered one are being stopped */
  parallelismMax: number;
  readonly succeeded: Set<number>;
  failures: number;
  /** `index/attempt` of claims that were committed, that were asked to stop, whose record is written */
  readonly claimed: Set<string>;
  readonly stopping: Set<string>;
  readonly recorded: Set<string>;
  /** by `index/attempt`: what the board says became of it */
  readonly outcomes: Map<string, Outcome>;
  publishedVersion: number;
};

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
  readonly #live = new Map<JobUid, Map<number, number>>();
  readonly #tasks = new Map<string, TaskView>();

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
    const key = `${job.uid}/${id.index}/${id.attempt}/${id.nonce}`;
    const times = (this.#started.get(key) ?? 0) + 1;
    this.#started.set(key, times);
    if (times > 1) this.#blame('G4', `attempt ${key} was started ${times} times`);
    if (watched.succeeded.has(id.index)) {
      this.#blame('G1', `index ${id.index} is launched again after it has succeeded`);
    }
    if (!watched.claimed.has(`${id.index}/${id.attempt}`)) {
      this.#blame('G14', `attempt ${key} starts before its claim was committed`);
    }
    const { kind } = watched.status.phase;
    if (kind === 'finished' || kind === 'deleted') this.#blame('G6', `a task starts after the Job is ${kind}`);
    const live = this.#liveOf(job.uid);
    const beside = (live.get(id.index) ?? 0) + 1;
    live.set(id.index, beside);
    if (beside > 1) this.#blame('G4', `index ${id.index} has ${beside} live tasks`);
    if (live.size > watched.parallelismMax) {
      this.#blame('G3', `${live.size} tasks live with parallelism ${watched.parallelismMax}`);
    }
  }

  taskChanged(view: TaskView): void {
    const { index, attempt, nonce } = view.id;
    this.#trace(
      `task ${index}/${attempt}/${nonce} ${view.stage}${view.ending === null ? '' : ` ${view.ending.cause}`}`,
    );
    this.#tasks.set(view.arn, view);
    if (view.stage !== 'stopped' || isStranger(view)) return;
    const live = this.#liveOf(view.job);
    const left = (live.get(index) ?? 1) - 1;
    if (left === 0) live.delete(index);
    else live.set(index, left);
  }

  /** Tasks that nobody of ours has started, and that nobody has stopped yet. */
  liveStrangers(): number {
    return [...this.#tasks.values()].filter((view) => isStranger(view) && view.stage !== 'stopped').length;
  }

  watchJobs(jobs: JobStore): JobStore {
    return {
      ...jobs,
      createJob: async (spec, status) => {
        const created = await jobs.createJob(spec, status);
        if (created.kind === 'created') this.#created(spec, status);
        return created;
      },
      commitPass: async (uid, status, chunks) => {
        const committed = await jobs.commitPass(uid, status, chunks);
        if (committed.kind === 'committed') this.#committed(uid, status);
        return committed;
      },
      commitSpec: async (spec, status) => {
        const committed = await jobs.commitSpec(spec, status);
        const watched = this.jobs.get(spec.identity.uid);
        if (committed.kind === 'committed' && watched !== undefined) {
          watched.spec = spec;
          watched.parallelismMax = Math.max(watched.parallelismMax, spec.manifest.spec.parallelism);
          this.#committed(spec.identity.uid, status);
        }
        return committed;
      },
      commitDeletion: async (identity, status) => {
        const committed = await jobs.commitDeletion(identity, status);
        if (committed.kind === 'committed') this.#committed(identity.uid, status);
        return committed;
      },
      writeAttempts: async (uid, attempts, expireAt) => {
        await jobs.writeAttempts(uid, attempts, expireAt);
        for (const { index, attempt } of attempts) this.jobs.get(uid)?.recorded.add(`${index}/${attempt}`);
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
    for (const index of watched.succeeded) {
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
    const left = {
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
    this.jobs.set(uid, {
      spec,
      status,
      parallelismMax: spec.manifest.spec.parallelism,
      succeeded: new Set(),
      failures: 0,
      claimed: new Set(),
      stopping: new Set(),
      recorded: new Set(),
      outcomes: new Map(),
      publishedVersion: 0,
    });
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

  #committed(uid: JobUid, status: Status): void {
    const watched = this.jobs.get(uid);
    if (watched === undefined) return this.#blame('G2', `a commit for unknown Job ${uid}`);
    const before = watched.status;
    watched.status = status;
    const fresh = status.journal.entries.filter(({ seq }) => seq >= before.journal.nextSeq);
    this.#trace(
      `committed ${status.version} ${status.phase.kind} ${fresh.map(({ transition: t }) => `${t.op} ${t.index}/${t.attempt}`).join(', ')}`,
    );
    if (status.version !== before.version + 1) {
      this.#blame('G10', `version ${status.version} follows ${before.version}`);
    }
    if (status.generation !== watched.spec.generation) {
      this.#blame('G10', `decided by generation ${status.generation} of ${watched.spec.generation}`);
    }
    if (status.now < before.now) this.#blame('G10', `time runs backwards by ${before.now - status.now} ms`);
    this.#checkPhases(before, status, uid);
    for (const { transition } of fresh) this.#step(watched, before, transition);
    if (isEnding(status.phase) && !isEnding(before.phase)) {
      for (const key of watched.claimed) if (!watched.outcomes.has(key)) watched.stopping.add(key);
    }
    const board = tally(status.chunks);
    const total = board.pending + board.starting + board.running + board.succeeded + board.failed;
    const active = board.starting + board.running;
    if (total !== status.size) this.#blame('G2', `${total} records on a board of ${status.size}`);
    if (board.succeeded !== watched.succeeded.size) {
      this.#blame('G2', `${board.succeeded} on the board, ${watched.succeeded.size} counted`);
    }
    if (status.failed !== watched.failures) {
      this.#blame('G2', `failed is ${status.failed}, ${watched.failures} were counted`);
    }
    if (active > watched.parallelismMax) this.#blame('G3', `${active} attempts are active`);
    const { parallelism, suspend } = watched.spec.manifest.spec;
    const claims = fresh.some(({ transition }) => transition.op === 'claim');
    if (claims && suspend) this.#blame('G3', 'a suspended Job claims');
    if (claims && active - board.stopping > parallelism) {
      this.#blame(
        'G3',
        `${active} attempts are active, ${board.stopping} of them stopping, parallelism ${parallelism}`,
      );
    }
  }

  #step(
    watched: Watched,
    before: Status,
    { op, index, attempt }: Status['journal']['entries'][number]['transition'],
  ): void {
    const key = `${index}/${attempt}`;
    const failing = before.phase.kind === 'draining' && before.phase.verdict.kind === 'failed';
    const wished = watched.stopping.has(key);
    switch (op) {
      case 'claim':
        if (watched.succeeded.has(index)) this.#blame('G1', `index ${index} is claimed again after it has succeeded`);
        if (watched.claimed.has(key)) this.#blame('G4', `attempt ${attempt} of index ${index} is claimed twice`);
        watched.claimed.add(key);
        return;
      case 'stopping':
        watched.stopping.add(key);
        return;
      case 'renonce':
      case 'launched':
      case 'running':
        return;
      case 'succeeded':
        if (watched.succeeded.has(index)) this.#blame('G1', `index ${index} is counted twice`);
        watched.succeeded.add(index);
        break;
      case 'failed':
      case 'failedForGood':
        watched.failures++;
        break;
      case 'lost':
      case 'lostToSpot':
      case 'released':
        break;
      default:
        return op satisfies never;
    }
    if (op !== 'released' && !watched.recorded.has(key)) {
      this.#blame('G10', `attempt ${key} is counted before its record is written`);
    }
    if (watched.outcomes.has(key)) this.#blame('G5', `attempt ${key} ends twice`);
    watched.outcomes.set(key, { op, wished, failing, at: this.#now() });
  }

  #checkPhases(before: Status, after: Status, uid: JobUid): void {
    const [from, to] = [before.phase, after.phase];
    if (from.kind === 'finished' && to.kind !== 'finished' && to.kind !== 'deleting') {
      this.#blame('G6', `finished turns to ${to.kind}`);
    }
    if (from.kind === 'finished' && to.kind === 'finished' && from.verdict.reason !== to.verdict.reason) {
      this.#blame('G6', 'a terminal verdict changes');
    }
    if (from.kind === 'deleted' && to.kind !== 'deleted') this.#blame('G6', 'a deleted Job changes');
    if (from.kind === 'draining' && (to.kind === 'running' || to.kind === 'suspended')) {
      this.#blame('G6', `draining turns to ${to.kind}`);
    }
    if (from.kind === 'draining' && (to.kind === 'draining' || to.kind === 'finished')) {
      if (from.verdict.kind !== to.verdict.kind) this.#blame('G6', `${from.verdict.kind} turns to ${to.verdict.kind}`);
    }
    if ((to.kind === 'finished' && from.kind !== 'finished') || to.kind === 'deleted') {
      const live = this.#liveOf(uid).size;
      if (live > 0) this.#blame('G6', `${to.kind} while ${live} tasks may still run`);
    }
  }

  #liveOf(uid: JobUid): Map<number, number> {
    const known = this.#live.get(uid);
    if (known !== undefined) return known;
    const fresh = new Map<number, number>();
    this.#live.set(uid, fresh);
    return fresh;
  }

  #blame(guarantee: string, what: string): void {
    this.#trace(`BROKEN ${guarantee}: ${what}`);
    this.violations.push(new Violation(guarantee, what));
  }
}
