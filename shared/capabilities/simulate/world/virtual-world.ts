import { createCapabilityState } from '../../lists/process-state.ts';
import { createHash } from 'node:crypto';
import { type Fate, createMemoryTasks } from '../../../adapters/memory/memory-tasks.ts';
import { createMemoryStore } from '../../../runtime/memory-store.ts';
import { createCache } from '../../../control/process/cache.ts';
import type { Deps } from '../../../control/process/deps.ts';
import { dispatch } from '../../../control/dispatch/dispatch.ts';
import { createPacer } from '../../../control/process/pacer.ts';
import { createPublisher } from '../../../control/process/publisher.ts';
import { type ReconcileRequest, reconcileBatch } from '../../../control/reconcile/reconcile.ts';
import { sweepJobs } from '../../../control/sweep/sweep.ts';
import { type Chunk, applyToChunk, chunkOf } from '../../../domain/scoreboard/board.ts';
import { initialChunk } from '../../../domain/scoreboard/initial-board.ts';
import { type EpochMs, asEpochMs, plusMs } from '../../../domain/base/time.ts';
import type { TaskArn } from '../../../domain/base/ids.ts';
import { WorkingBoard } from '../../../domain/scoreboard/working-board.ts';
import { factOf } from '../../../domain/planner/ending.ts';
import { AWS_HOST_LIMITS } from '../../../domain/task/host-limits.ts';
import { invariant } from '../../../domain/base/invariant.ts';
import type { Judgement } from '../../../domain/planner/plan.ts';
import type { Status } from '../../../domain/scoreboard/status.ts';
import { AWS_TIMING, FIRST_PODS_MAX, pacedTiming } from '../../../domain/base/timing.ts';
import { type JobView, chunksForSummary } from '../../../kube/jobs/job-view.ts';
import type { Clock } from '../../../ports/clock.ts';
import type { JobStore, StoredSpec } from '../../../ports/job-store.ts';
import type { DispatchMessage, Queues } from '../../../ports/queues.ts';
import type { Launch } from '../../../ports/tasks.ts';
import { toJob } from '../../../store/to-job.ts';
import { isStuck } from './is-stuck.ts';
import { VirtualClock } from './virtual-clock.ts';

export type VirtualWorldOptions = {
  readonly start: EpochMs;
  /** null: RunTask calls have no limit of ours. */
  readonly launchesPerSec: number | null;
  readonly fate: (launch: Launch) => Fate;
  /** Is shown the Job after every commit, before anything else happens. */
  readonly committed: (view: JobView, now: EpochMs) => void;
};

/** `still`: nothing is left that could ever happen. `late`: the horizon was reached. */
export type HowEnded = 'over' | 'still' | 'late';

/** One reconcile takes as much at a time as it does on AWS. */
const LOOKS_PER_BATCH = 200;
const SWEEP_EVERY_MS = 60_000;
const HISTORY_MS = 365 * 86_400_000;
/** Far more than a month of any Job takes; a simulation that gets here runs in circles. */
const STEPS_MAX = 50_000_000;

/**
 * The production passes over in-memory ports, in a time that passes only from one event to the next. Messages and events
 * arrive at once and never get lost; handlers run one after the other, but for dispatchers that wait for their right to
 * launch. Timing is that of AWS.
 */
export class VirtualWorld {
  readonly clock: VirtualClock;
  readonly store;
  readonly tasks;
  readonly deps: Deps;
  /** How each task's end was judged. The store keeps one record an attempt; a Pod that is restarted has several tasks. */
  readonly judgements = new Map<TaskArn, Judgement>();
  readonly #committed: VirtualWorldOptions['committed'];
  readonly #looks: ReconcileRequest[] = [];
  readonly #orders: DispatchMessage[] = [];
  /** What the last commit left, and its whole board. */
  #committedJob: { readonly spec: StoredSpec; readonly status: Status } | null = null;
  readonly #chunks = new Map<number, Chunk>();
  /** Things to come, but for wake-ups: those tell nothing. */
  #ahead = 0;
  /** The version for which it is known that there is more to come. */
  #movingAt = 0;
  #failure: { readonly error: unknown } | null = null;

  constructor({ start, launchesPerSec, fate, committed }: VirtualWorldOptions) {
    this.clock = new VirtualClock(start);
    this.#committed = committed;
    const now = (): EpochMs => this.clock.now();
    this.store = createMemoryStore({ now });
    this.tasks = createMemoryTasks({
      now,
      at: (moment, happen) => this.schedule(moment, happen),
      fate,
      refusal: () => null,
      emit: (view) => {
        const fact = factOf(view);
        if (fact === null) return;
        const hear = (): void => void this.#looks.push({ uid: view.job, facts: [fact] });
        // That a task runs decides nothing, and is published once a second at most: such news are gathered.
        if (fact.kind === 'running') this.schedule(nextSecond(now()), hear);
        else hear();
      },
    });
    const clock: Clock = {
      now,
      // A handler that waits for its moment will do something then.
      sleep: async (ms) => new Promise((wake) => this.schedule(plusMs(now(), Math.ceil(ms)), wake)),
    };
    this.deps = {
      jobs: this.#watched(this.store.jobs),
      feed: this.store.feed,
      limits: this.store.limits,
      hosts: this.store.hosts,
      items: this.store.items,
      crons: this.store.crons,
      waiters: this.store.waiters,
      ports: {},
      objects: this.store.objects,
      tasks: this.tasks,
      queues: this.#queues(),
      clock,
      telemetry: { count: () => undefined, record: () => undefined, info: () => undefined, warn: () => undefined },
      cache: createCache(),
      publisher: createPublisher({ feed: this.store.feed, clock }),
      pacer: createPacer({ limits: this.store.limits, clock }),
      state: createCapabilityState({ objects: this.store.objects, clock }),
      settings: {
        timing: pacedTiming(AWS_TIMING, launchesPerSec),
        firstPodsMax: FIRST_PODS_MAX,
        launchesPerSec,
        stopsPerSec: null,
        hosts: AWS_HOST_LIMITS,
        historyMs: HISTORY_MS,
        announced: null,
        assumesSources: true,
      },
      hash: (text) => createHash('sha256').update(text).digest('hex'),
    };
  }

  /** STATUS as the last commit left it. */
  get status(): Status | null {
    return this.#committedJob?.status ?? null;
  }

  /** Something that happens at `moment` and may change the course of the Job. */
  schedule(moment: EpochMs, happen: () => void): void {
    this.#ahead++;
    this.clock.at(moment, () => {
      this.#ahead--;
      happen();
    });
  }

  /** Starts a handler; what it throws ends the run. */
  begin(work: () => Promise<unknown>): void {
    work().catch((error: unknown) => {
      this.#failure ??= { error };
    });
  }

  /** Lets time pass until `isOver`, until nothing is left to happen, or until `horizon`. Throws what a handler has thrown. */
  async run(isOver: () => boolean, horizon: EpochMs): Promise<HowEnded> {
    await settled(); // what was begun comes before what is due
    for (let step = 0; step < STEPS_MAX; step++) {
      this.clock.doDue();
      await settled();
      if (this.#failure !== null) throw this.#failure.error;
      if (isOver()) return 'over';
      if (this.#beginHandler()) continue;
      if (this.#isStuck()) return 'still';
      const sweepAt = this.#sweepAt();
      const next = [this.clock.soonest(), sweepAt].reduce((a, b) => (a === null ? b : b === null || a < b ? a : b));
      if (next === null) return 'still';
      if (next > horizon) return 'late';
      this.clock.moveTo(next);
      if (next === sweepAt) this.begin(async () => sweepJobs({ everything: false }, this.deps));
    }
    invariant(false, `a simulation ends within ${STEPS_MAX} steps`);
  }

  /** The Job as committed, with the chunks of these numbers and those that its status is rendered from; null: there is none. */
  view(wanted: (status: Status) => readonly number[]): JobView | null {
    if (this.#committedJob === null) return null;
    const { spec, status } = this.#committedJob;
    const nos = new Set([...chunksForSummary(status, spec), ...wanted(status)]);
    const chunks = new Map([...nos].map((no) => [no, this.#chunkOf(no, spec)]));
    // The journal is in these chunks already.
    const board = new WorkingBoard({ ...status, journal: { ...status.journal, entries: [] } }, chunks);
    return { spec, status, version: status.version, isPublished: true, board };
  }

  /** Sends all requests before it handles any event, so that fewer passes see the same. False: there is nothing to do now. */
  #beginHandler(): boolean {
    const order = this.#orders.shift();
    if (order !== undefined) {
      this.begin(async () => dispatch(order, this.deps));
      return true;
    }
    if (this.#looks.length === 0) return false;
    const batch = this.#looks.splice(0, LOOKS_PER_BATCH);
    this.begin(async () => {
      for (const result of await reconcileBatch(batch, this.deps)) if (result.kind === 'threw') throw result.error;
    });
    return true;
  }

  /** Nothing is on its way, and time alone will change nothing. Asked once for each version of the Job. */
  #isStuck(): boolean {
    const job = this.#committedJob;
    if (this.#ahead > 0 || job === null || job.status.version === this.#movingAt) return false;
    const chunks = new Map(job.status.chunks.map((_, no) => [no, this.#chunkOf(no, job.spec)]));
    if (isStuck(job.spec, job.status, chunks)) return true;
    this.#movingAt = job.status.version;
    return false;
  }

  /** The sweep runs every full minute; runs that would find no due alarm are skipped. null: there is no alarm. */
  #sweepAt(): EpochMs | null {
    const alarm = this.status?.alarms[0];
    if (alarm === undefined) return null;
    const minutes = Math.max(Math.ceil(alarm / SWEEP_EVERY_MS), Math.floor(this.clock.now() / SWEEP_EVERY_MS) + 1);
    return asEpochMs(minutes * SWEEP_EVERY_MS);
  }

  #queues(): Queues {
    const later = (delaySec: number, arrive: () => void): void => {
      if (delaySec <= 0) arrive();
      else this.schedule(plusMs(this.clock.now(), delaySec * 1000), arrive);
    };
    return {
      wake: async (wakeUps) => {
        for (const { uid, delaySec, inspect = false } of wakeUps)
          this.clock.at(plusMs(this.clock.now(), delaySec * 1000), () => this.#looks.push({ uid, facts: [], inspect }));
      },
      wakeCrons: async () => undefined, // one Job is simulated; nobody owns it
      facts: async (messages, delaySec) => later(delaySec, () => this.#looks.push(...messages)),
      dispatch: async (messages, delaySec) => later(delaySec, () => this.#orders.push(...messages)),
    };
  }

  /** The store, with an eye on what it commits. */
  #watched(jobs: JobStore): JobStore {
    return {
      ...jobs,
      createJob: async (spec, status) => {
        const created = await jobs.createJob(spec, status);
        if (created.kind === 'created') this.#show(spec, status);
        return created;
      },
      commitPass: async (uid, status, chunks) => {
        const committed = await jobs.commitPass(uid, status, chunks);
        if (committed.kind === 'committed') this.#show(null, status);
        return committed;
      },
      writeAttempts: async (uid, records, expireAt) => {
        for (const { taskArn, judgement } of records) if (taskArn !== null) this.judgements.set(taskArn, judgement);
        await jobs.writeAttempts(uid, records, expireAt);
      },
      commitSpec: async (spec, status) => {
        const committed = await jobs.commitSpec(spec, status);
        if (committed.kind === 'committed') this.#show(spec, status);
        return committed;
      },
      commitDeletion: async (identity, status) => {
        const committed = await jobs.commitDeletion(identity, status);
        if (committed.kind === 'committed') this.#show(null, status);
        return committed;
      },
    };
  }

  /** Applies what is new to the board next to the store, so that the whole journal is not read after every commit. */
  #show(changed: StoredSpec | null, status: Status): void {
    const before = this.#committedJob;
    const spec = changed ?? before?.spec;
    invariant(spec !== undefined, 'the first commit makes the Job');
    const since = before?.status.journal.nextSeq ?? 0;
    const touched = new Set<number>();
    for (const { seq, transition } of status.journal.entries) {
      if (seq < since) continue;
      const no = chunkOf(transition.index);
      applyToChunk(this.#chunkOf(no, spec), transition);
      touched.add(no);
    }
    this.#committedJob = { spec, status };
    const view = this.view(() => [...touched]);
    if (view !== null) this.#committed(view, this.clock.now());
  }

  #chunkOf(no: number, spec: StoredSpec): Chunk {
    const chunk = this.#chunks.get(no) ?? initialChunk(toJob(spec).spec.selection, no);
    this.#chunks.set(no, chunk);
    return chunk;
  }
}

const nextSecond = (now: EpochMs): EpochMs => asEpochMs(Math.ceil(now / 1000) * 1000);

/** All that the last step has set off has come to rest: nothing here waits for anything but the clock. */
const settled = async (): Promise<void> =>
  new Promise((resolve) => {
    setImmediate(resolve);
  });
