import type { JobUid } from '../../../shared/domain/base/ids.ts';
import type { EpochMs } from '../../../shared/domain/base/time.ts';
import { type Status, isHidden } from '../../../shared/domain/scoreboard/status.ts';
import type { TaskView } from '../../../shared/domain/task/task.ts';
import type { JobStore } from '../../../shared/ports/job-store.ts';
import type { ObjectStore } from '../../../shared/ports/object-store.ts';
import type { Law } from '../checks/law.ts';
import { STOPPED_MS } from '../checks/repairs.ts';
import type { Sights } from '../checks/sights.ts';
import type { Watchdog } from '../checks/watchdog.ts';
import type { PlayWatch } from '../world/play-watch.ts';
import { watchedCommits } from '../world/watched-commits.ts';
import type { World } from '../world/world.ts';
import type { SeedPod, Way } from './seed-bare-pods.ts';

/** ECS shows a stopped task for an hour; what it was is guessed after that. */
const ECS_REMEMBERS_MS = 60 * 60_000;

/** What users know of a bare Pod. */
type Known = Pick<SeedPod, 'name' | 'restartPolicy'> & {
  made: boolean;
  /** Somebody was answered that it is there. */
  acknowledged: boolean;
  /** The ways in which somebody has asked to delete it. */
  readonly asked: Set<Way>;
  goneAt: EpochMs | null;
};

/** What users find under a name. */
type Found = { readonly uid: JobUid; readonly phase: string };

/**
 * Looks at every commit of a bare Pod: it is one attempt, its end is that of its task, and it goes as its user has asked; its name leads
 * to the Pod that has it, and no list of Jobs has it (G29).
 */
export class BarePodWatch implements PlayWatch {
  readonly #law: Law;
  readonly #sights: Sights;
  readonly #watchdog: Watchdog;
  readonly #now: () => EpochMs;
  readonly #known: ReadonlyMap<JobUid, Known>;

  constructor(world: World, pods: readonly SeedPod[]) {
    this.#law = world.law;
    this.#sights = world.sights;
    this.#watchdog = world.watchdog;
    this.#now = () => world.time;
    this.#known = new Map(
      pods.map(({ spec, name, restartPolicy }) => [
        spec.identity.uid,
        { name, restartPolicy, made: false, acknowledged: false, asked: new Set(), goneAt: null },
      ]),
    );
  }

  isMade(uid: JobUid): boolean {
    return this.#known.get(uid)?.made === true;
  }

  isGone(uid: JobUid): boolean {
    return typeof this.#known.get(uid)?.goneAt === 'number';
  }

  acknowledged(uid: JobUid): void {
    const known = this.#known.get(uid);
    if (known !== undefined) known.acknowledged = true;
  }

  /** Somebody asks to delete it. */
  isAsked(uid: JobUid, way: Way): void {
    this.#known.get(uid)?.asked.add(way);
  }

  /** Somebody who gave it no time was answered that it is gone. */
  saidGone(uid: JobUid): void {
    this.#forbid(uid, !this.isGone(uid), () => 'is there, after it was deleted at once');
  }

  /** Before a look at a name; what is found there is checked against what was known by then. */
  before(name: string): (found: Found | null) => void {
    const ofName = [...this.#known].filter(([, known]) => known.name === name);
    const gone = new Set(ofName.flatMap(([uid, { goneAt }]) => (goneAt === null ? [] : [uid])));
    const there = ofName.find(([uid, { acknowledged }]) => acknowledged && !gone.has(uid))?.[0];
    return (found) => {
      if (found === null) {
        if (there === undefined) return;
        const isLost = this.#known.get(there)?.asked.size === 0;
        return this.#forbid(there, isLost, () => 'is not found under its name, and nobody has deleted it');
      }
      this.#forbid(found.uid, !this.isMade(found.uid), () => `is found as ${name}, and is none of its Pods`);
      this.#forbid(found.uid, gone.has(found.uid), () => `is found as ${name}, after it had gone`);
      if (found.phase === 'Succeeded')
        this.#forbid(found.uid, !this.#hasSucceeded(found.uid), () => 'is shown as Succeeded, and no task of it has');
    };
  }

  /** The Jobs of a list. */
  listed(uids: readonly string[]): void {
    const bare = [...this.#known.keys()].filter((uid) => uids.includes(uid));
    this.#law.forbid(bare.length > 0, 'G29', () => `a list of Jobs has the bare Pods ${bare.join()}`);
  }

  watchJobs(jobs: JobStore): JobStore {
    const watched = watchedCommits(jobs, (uid, status) => this.#committed(uid, status));
    return {
      ...watched,
      createJob: async (spec, status) => {
        const created = await jobs.createJob(spec, status);
        if (created.kind === 'created') this.#created(spec.identity.uid);
        return created;
      },
      commitDeletion: async (identity, status) => {
        const { uid } = identity;
        const committed = await watched.commitDeletion(identity, status);
        const isCut = this.#known.get(uid)?.asked.has('at once') === false && this.#watchdog.podsOf(uid).length > 0;
        if (committed.kind === 'committed')
          this.#forbid(uid, isCut, () => 'is gone while it runs, though its deletion gave it time');
        return committed;
      },
    };
  }

  watchObjects(objects: ObjectStore): ObjectStore {
    return objects;
  }

  /** In calm weather, now and then: what was deleted at once stops in time. */
  checkCalm(clearSince: EpochMs): void {
    for (const [uid, { goneAt }] of this.#known) {
      if (goneAt === null) continue;
      const lateMs = this.#now() - Math.max(goneAt, clearSince);
      const isLate = lateMs > STOPPED_MS && this.#watchdog.runningOf(uid) > 0;
      this.#forbid(uid, isLate, () => `runs on ${lateMs} ms after it had gone`);
    }
  }

  /** At the end: what each Pod is shown as is what its last task has come to. `find`: what users find under a name. */
  async checkEnd(find: (name: string) => Promise<Found | null>): Promise<void> {
    for (const name of new Set([...this.#known.values()].map((known) => known.name))) {
      const check = this.before(name);
      const found = await find(name);
      check(found);
      if (found === null) continue;
      const { uid, phase } = found;
      const isOver = phase === 'Succeeded' || phase === 'Failed';
      this.#forbid(uid, !isOver, () => `is shown as ${phase} when all is over`);
      const last = this.#lastTask(uid);
      if (last === undefined || this.#isGuessed(uid, last)) continue;
      const isDone = last.ending?.cause === 'Completed';
      const told = (): string => `is shown as ${phase}, and its task ended with ${last.ending?.cause}`;
      this.#forbid(uid, isDone !== (phase === 'Succeeded'), told);
    }
  }

  #created(uid: JobUid): void {
    const known = this.#known.get(uid);
    if (known === undefined || known.made) return;
    known.made = true;
    for (const [other, former] of this.#known) {
      if (other === uid || former.name !== known.name || !former.made) continue;
      this.#sights.see('bare Pod made again');
      this.#forbid(uid, former.asked.size === 0, () => `takes the name of ${other}, which nobody has deleted`);
      const isBeside = !former.asked.has('at once') && this.#watchdog.runningOf(other) > 0;
      this.#forbid(uid, isBeside, () => `takes the name of ${other}, whose task runs on, and which was given time`);
      // The pass that frees its name commits its end after that.
      former.goneAt ??= this.#now();
    }
  }

  #committed(uid: JobUid, status: Status): void {
    const known = this.#known.get(uid);
    const watched = this.#watchdog.jobs.get(uid);
    if (known === undefined || watched === undefined) return;
    const { phase, size } = status;
    const { attempt, restarts } = watched.board.at(0);
    if (isHidden(phase)) known.goneAt ??= this.#now();
    if (restarts > 0) this.#sights.see('bare Pod restarted');
    this.#forbid(uid, size > 1 || attempt > 1, () => `has attempt ${attempt} and ${size} indexes`);
    const counted = watched.board.succeeded.size + watched.board.failures;
    this.#forbid(uid, counted > 1, () => `counts ${counted} times`);
    if (phase.kind !== 'finished') return;
    const { kind, reason } = phase.verdict;
    this.#forbid(uid, counted === 0 && reason !== 'LaunchRefused', () => `is ${kind}, and counts nothing`);
    if (kind === 'complete') this.#sights.see('bare Pod succeeded');
    if (kind === 'complete')
      return this.#forbid(uid, !this.#hasSucceeded(uid), () => 'has succeeded, and no task of it');
    const last = this.#lastTask(uid);
    if (last === undefined || this.#isGuessed(uid, last)) return;
    const cause = last.ending?.cause;
    if (cause === 'Spot' || cause === 'Infrastructure') this.#sights.see('bare Pod lost');
    const isRestarted = known.restartPolicy === 'OnFailure' && (cause === 'Error' || cause === 'OOMKilled');
    this.#forbid(uid, isRestarted, () => `has failed, and is to be restarted when its program fails`);
  }

  #hasSucceeded(uid: JobUid): boolean {
    return this.#watchdog.tasksOf(uid).some(({ ending }) => ending?.cause === 'Completed');
  }

  /** The last that the board counts: one that RunTask has denied may have run beside it. */
  #lastTask(uid: JobUid): TaskView | undefined {
    const outcomes = this.#watchdog.jobs.get(uid)?.outcomes;
    const counted = this.#watchdog.tasksOf(uid).filter(({ id: { index, attempt, nonce } }) => {
      const op = outcomes?.get(`${index}/${attempt}/${nonce}`)?.op;
      return op !== undefined && op !== 'renonce';
    });
    return counted.toSorted((a, b) => a.id.nonce - b.id.nonce).at(-1);
  }

  /** Nobody can have known how it ended. */
  #isGuessed(uid: JobUid, { id, times }: TaskView): boolean {
    const { stoppedAt } = times;
    return stoppedAt === null || this.#now() >= stoppedAt + ECS_REMEMBERS_MS || this.#watchdog.isUnheard(uid, id);
  }

  #forbid(uid: JobUid, isBroken: boolean, what: () => string): void {
    this.#law.forbid(isBroken, 'G29', () => `the bare Pod ${uid} ${what()}`, { uid });
  }
}
