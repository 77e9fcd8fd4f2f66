import type { JobUid, TaskArn } from '../../shared/domain/brand.ts';
import { InvariantError } from '../../shared/domain/invariant.ts';
import { DELETED_VERSION, type Status, tally } from '../../shared/domain/status.ts';
import type { TaskView } from '../../shared/domain/task.ts';
import type { Feed, FeedEntry } from '../../shared/ports/feed.ts';
import type { JobStore, StoredSpec } from '../../shared/ports/job-store.ts';
import type { Launch } from '../../shared/ports/tasks.ts';

/** A guarantee of the design that did not hold. */
export class Violation extends Error {
  readonly guarantee: string;
  constructor(guarantee: string, what: string) {
    super(`${guarantee}: ${what}`);
    this.guarantee = guarantee;
  }
}

type Watched = {
  readonly spec: StoredSpec;
  status: Status;
  /** the largest parallelism that any stored generation had: attempts beyond a lowered one are being stopped */
  parallelismMax: number;
  readonly succeeded: Set<number>;
  failures: number;
  /** (index, attempt) of claims that were committed */
  readonly claimed: Set<string>;
  publishedVersion: number;
  /** it was decided to have failed: what still ran then counts as failed, too */
  failing: boolean;
};

/** Looks at every commit, every task and every publication, and says so the moment a guarantee is broken. */
export class Watchdog {
  readonly jobs = new Map<JobUid, Watched>();
  readonly feed: FeedEntry[] = [];
  readonly #tasks: ReadonlyMap<TaskArn, { readonly view: TaskView }>;
  /** tasks by uid/index/attempt/nonce: at most one each */
  readonly #started = new Map<string, number>();
  readonly #live = new Map<JobUid, Map<number, number>>();
  violations: Violation[] = [];

  constructor(tasks: ReadonlyMap<TaskArn, { readonly view: TaskView }>) {
    this.#tasks = tasks;
  }

  /** Errors that the queue retries are weather; our own bugs are not. */
  threw(error: unknown): void {
    if (error instanceof InvariantError || error instanceof TypeError || error instanceof RangeError)
      this.#blame('bug', String(error.stack));
  }

  taskStarts({ job, id }: Launch): void {
    const watched = this.jobs.get(job.uid);
    if (watched === undefined) return this.#blame('G7', `a task of unknown Job ${job.uid} starts`);
    const key = `${job.uid}/${id.index}/${id.attempt}/${id.nonce}`;
    const times = (this.#started.get(key) ?? 0) + 1;
    this.#started.set(key, times);
    if (times > 1) this.#blame('G4', `attempt ${key} was started ${times} times`);
    if (watched.succeeded.has(id.index))
      this.#blame('G1', `index ${id.index} is launched again after it has succeeded`);
    if (!watched.claimed.has(`${id.index}/${id.attempt}`))
      this.#blame('G14', `attempt ${key} starts before its claim was committed`);
    const { kind } = watched.status.phase;
    if (kind === 'finished' || kind === 'deleted') this.#blame('G6', `a task starts after the Job is ${kind}`);
    const live = this.#liveOf(job.uid);
    const beside = (live.get(id.index) ?? 0) + 1;
    live.set(id.index, beside);
    if (beside > 1) this.#blame('G4', `index ${id.index} has ${beside} live tasks`);
    const total = [...live.values()].reduce((sum, n) => sum + n, 0);
    if (total > watched.parallelismMax)
      this.#blame('G3', `${total} tasks live with parallelism ${watched.parallelismMax}`);
  }

  taskChanged(view: TaskView): void {
    if (view.stage !== 'stopped') return;
    const live = this.#liveOf(view.job);
    live.set(view.id.index, (live.get(view.id.index) ?? 1) - 1);
  }

  watchJobs(jobs: JobStore): JobStore {
    return {
      ...jobs,
      createJob: async (spec, status) => {
        const created = await jobs.createJob(spec, status);
        const { uid } = spec.identity;
        if (created.kind === 'created' && !this.jobs.has(uid)) {
          const parallelismMax = spec.manifest.spec.parallelism;
          this.jobs.set(uid, {
            spec,
            status,
            parallelismMax,
            succeeded: new Set(),
            failures: 0,
            claimed: new Set(),
            publishedVersion: 0,
            failing: false,
          });
        }
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

  #published(entry: FeedEntry): void {
    this.feed.push(entry);
    const watched = this.jobs.get(entry.uid);
    if (watched === undefined) return;
    if (entry.after !== watched.publishedVersion)
      this.#blame('G14', `the feed goes from version ${watched.publishedVersion} to one after ${entry.after}`);
    watched.publishedVersion = entry.version;
  }

  #committed(uid: JobUid, status: Status): void {
    const watched = this.jobs.get(uid);
    if (watched === undefined) return this.#blame('G2', `a commit for unknown Job ${uid}`);
    const before = watched.status;
    watched.status = status;
    if (status.phase.kind === 'draining' && status.phase.verdict.kind === 'failed') watched.failing = true;
    if (status.version !== before.version + 1)
      this.#blame('G10', `version ${status.version} follows ${before.version}`);
    this.#checkPhases(before, status, uid);

    for (const { seq, transition } of status.journal.entries) {
      if (seq < before.journal.nextSeq) continue;
      const { op, index, attempt } = transition;
      if (op === 'claim') {
        if (watched.succeeded.has(index)) this.#blame('G1', `index ${index} is claimed again after it has succeeded`);
        if (watched.claimed.has(`${index}/${attempt}`))
          this.#blame('G4', `attempt ${attempt} of index ${index} is claimed twice`);
        watched.claimed.add(`${index}/${attempt}`);
      }
      if (op === 'succeeded') {
        if (watched.succeeded.has(index)) this.#blame('G1', `index ${index} is counted twice`);
        watched.succeeded.add(index);
      }
      if (op === 'failed' || op === 'failedForGood') watched.failures++;
    }
    const board = tally(status.chunks);
    const total = board.pending + board.starting + board.running + board.succeeded + board.failed;
    if (total !== status.size) this.#blame('G2', `${total} records on a board of ${status.size}`);
    if (board.succeeded !== watched.succeeded.size)
      this.#blame('G2', `${board.succeeded} on the board, ${watched.succeeded.size} counted`);
    if (status.failed !== watched.failures)
      this.#blame('G2', `failed is ${status.failed}, ${watched.failures} were counted`);
    if (board.starting + board.running > watched.parallelismMax)
      this.#blame('G3', `${board.starting + board.running} attempts are active`);
  }

  #checkPhases(before: Status, after: Status, uid: JobUid): void {
    const [from, to] = [before.phase, after.phase];
    if (from.kind === 'finished' && to.kind !== 'finished' && to.kind !== 'deleting')
      this.#blame('G6', `finished turns to ${to.kind}`);
    if (from.kind === 'finished' && to.kind === 'finished' && from.verdict.reason !== to.verdict.reason)
      this.#blame('G6', 'a terminal verdict changes');
    if (from.kind === 'deleted' && to.kind !== 'deleted') this.#blame('G6', 'a deleted Job changes');
    if (from.kind === 'draining' && (to.kind === 'running' || to.kind === 'suspended'))
      this.#blame('G6', `draining turns to ${to.kind}`);
    if (
      from.kind === 'draining' &&
      (to.kind === 'draining' || to.kind === 'finished') &&
      from.verdict.kind !== to.verdict.kind
    ) {
      this.#blame('G6', `${from.verdict.kind} turns to ${to.verdict.kind}`);
    }
    if ((to.kind === 'finished' && from.kind !== 'finished') || to.kind === 'deleted') {
      const live = [...this.#liveOf(uid).values()].reduce((sum, n) => sum + n, 0);
      if (live > 0) this.#blame('G6', `${to.kind} while ${live} tasks may still run`);
    }
  }

  /** At the end: what the board says is what has happened. `done`: it ended as the test demands. */
  checkTruth(uid: JobUid): void {
    const watched = this.jobs.get(uid);
    if (watched === undefined) return this.#blame('G8', `Job ${uid} was never created`);
    const mine = [...this.#tasks.values()].map(({ view }) => view).filter(({ job }) => job === uid);
    const live = mine.filter(({ stage }) => stage !== 'stopped');
    if (live.length > 0) this.#blame('G7', `${live.length} tasks run on after the Job is over`);
    const completed = new Set(mine.filter(({ ending }) => ending?.cause === 'Completed').map(({ id }) => id.index));
    for (const index of watched.succeeded)
      if (!completed.has(index)) this.#blame('G2', `index ${index} is counted, but no task of it ended with 0`);
    for (const index of completed)
      if (!watched.succeeded.has(index))
        this.#blame('G2', `a task of index ${index} ended with 0, but that is not counted`);
    const failed = mine.filter(({ ending }) => ending?.cause === 'Error').length;
    const { phase } = watched.status;
    const counted = watched.status.failed;
    if (watched.failing ? counted < failed : counted !== failed)
      this.#blame('G5', `${failed} tasks failed, ${counted} are counted`);
    if (watched.publishedVersion < watched.status.version && phase.kind === 'finished') {
      const hint = watched.status.published.version;
      if (hint < watched.status.version)
        this.#blame('G14', `version ${watched.status.version} was never published (${watched.publishedVersion})`);
    }
    if (phase.kind === 'deleted' && watched.publishedVersion !== DELETED_VERSION)
      this.#blame('G14', 'the deletion was never published');
  }

  #liveOf(uid: JobUid): Map<number, number> {
    const known = this.#live.get(uid);
    if (known !== undefined) return known;
    const fresh = new Map<number, number>();
    this.#live.set(uid, fresh);
    return fresh;
  }

  #blame(guarantee: string, what: string): void {
    this.violations.push(new Violation(guarantee, what));
  }
}
