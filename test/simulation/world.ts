import { createHash } from 'node:crypto';
import { createMemoryStore } from '../../shared/adapters/memory/store.ts';
import { type Fate, createMemoryTasks } from '../../shared/adapters/memory/tasks.ts';
import { type Cache, createCache } from '../../shared/control/cache.ts';
import type { Deps, Settings } from '../../shared/control/deps.ts';
import { dispatch } from '../../shared/control/dispatch.ts';
import { createPacer } from '../../shared/control/pacer.ts';
import { createPublisher } from '../../shared/control/publisher.ts';
import { changeJob, changeSpec, createJob, deleteJob } from '../../shared/control/job-changes.ts';
import { FOREGROUND_DELETION } from '../../shared/domain/job.ts';
import { type Look, reconcileBatch } from '../../shared/control/reconcile.ts';
import { sweepJobs, sweepTasks } from '../../shared/control/sweep.ts';
import { type EpochMs, type JobUid, asEpochMs, asJobUid, plusMs } from '../../shared/domain/brand.ts';
import { factOf } from '../../shared/domain/ending.ts';
import type { JobManifest } from '../../shared/domain/manifest.ts';
import type { TaskView } from '../../shared/domain/task.ts';
import { AWS_TIMING } from '../../shared/domain/timing.ts';
import type { Clock } from '../../shared/ports/clock.ts';
import type { StoredSpec } from '../../shared/ports/job-store.ts';
import type { Launch } from '../../shared/ports/tasks.ts';
import { Agenda } from '../../shared/rehearsal/agenda.ts';
import { Mail } from './mail.ts';
import { type Letter, type Mailbox, takeAt } from './post-office.ts';
import { Random } from './random.ts';
import { STRANGER_NONCE, type Trace, Watchdog } from './watchdog.ts';
import { Storm } from './storm.ts';
import type { Fault, Weather } from './weather.ts';

type PendingCall = {
  readonly process: Process;
  readonly port: string;
  readonly method: string;
  readonly perform: () => Promise<unknown>;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
};

/** One running handler: it may die at any port call, and then nothing of it ever goes on. */
type Process = { dead: boolean; readonly kind: Kind; readonly skewMs: number };
type Kind = 'reconcile' | 'dispatch' | 'sweep' | 'user';

/** What may be out of order for a while. */
export type Part = Kind | 'events';

/** At most so many handlers of a kind at once. */
const AT_ONCE: Record<Kind, number> = { reconcile: 3, dispatch: 3, sweep: 1, user: 8 };
const VISIBILITY_MS: Record<'reconcile' | 'dispatch', number> = { reconcile: 30_000, dispatch: 60_000 };
const SWEEP_EVERY_MS = 60_000;
const START = asEpochMs(1_800_000_000_000);

export type WorldOptions = {
  readonly seed: number;
  readonly weather: Weather;
  readonly fate: (launch: Launch, random: Random) => Fate;
  readonly settings?: Partial<Settings>;
  /** See MailOptions. */
  readonly gustMs?: number;
  readonly trace?: Trace;
};

/**
 * Everything around the control code, seeded: clock, queues, ECS, handlers that interleave at every port call, and the
 * weather. The control code, the store and the fake ECS are the real ones; only time and luck are made here.
 */
export class World {
  readonly random: Random;
  readonly store;
  readonly tasks;
  readonly watchdog: Watchdog;
  time: EpochMs = START;
  steps = 0;
  readonly #storm: Storm;
  readonly #mail: Mail;
  /** Port calls that may return now, and those that wait for their moment (a sleep). */
  #ready: PendingCall[] = [];
  readonly #asleep = new Agenda<PendingCall>();
  readonly #timers = new Agenda<() => void>();
  readonly #processes = new Set<Process>();
  readonly #running: Record<Kind, number> = { reconcile: 0, dispatch: 0, sweep: 0, user: 0 };
  readonly #caches: Cache[] = [createCache(), createCache(), createCache()];
  readonly #settings: Settings;
  readonly #downUntil = new Map<Part, EpochMs>();
  #nextSweepAt: EpochMs = plusMs(START, SWEEP_EVERY_MS);
  #sweeps = 0;

  constructor({ seed, weather, fate, settings, gustMs = 0, trace = () => undefined }: WorldOptions) {
    this.random = new Random(seed);
    this.#storm = new Storm(weather, this.random);
    this.#mail = new Mail({ now: () => this.time, storm: this.#storm, gustMs });
    this.#settings = {
      timing: AWS_TIMING,
      launchesPerSec: null,
      stopsPerSec: null,
      historyMs: 30 * 86_400_000,
      ...settings,
    };
    const now = (): EpochMs => this.time;
    this.store = createMemoryStore({ now });
    this.tasks = createMemoryTasks({
      now,
      at: (moment, then) => this.#timers.add(then, moment),
      fate: (launch) => {
        this.watchdog.taskStarts(launch);
        return fate(launch, this.random);
      },
      refusal: () =>
        this.#storm.strikes('refused', this.#storm.weather.refused) ? 'Capacity is unavailable at this time' : null,
      emit: (view) => this.#event(view),
    });
    this.watchdog = new Watchdog(now, trace);
  }

  /** What has struck so far, and how often. */
  get faults(): ReadonlyMap<Fault, number> {
    return this.#storm.faults;
  }

  /** A handler of its own for a user's call; it may die like any other. */
  user(work: (deps: Deps) => Promise<unknown>): void {
    this.#start('user', work, () => undefined);
  }

  createJob(spec: StoredSpec): void {
    this.user((deps) => createJob(spec, deps));
  }

  deleteJob(uid: string, propagation: 'Background' | 'Foreground'): void {
    this.user((deps) => deleteJob(asJobUid(uid), deps, propagation));
  }

  /** A Job that is being deleted loses finalizers, but gains none: the API sees to that. */
  changeFinalizers(uid: string, finalizers: readonly string[]): void {
    this.user(async (deps) => {
      const [spec, status] = [await deps.jobs.readSpec(asJobUid(uid)), await deps.jobs.readStatus(asJobUid(uid))];
      if (spec === null || status === null || (status.phase.kind === 'terminating' && finalizers.length > 0)) return;
      const { manifest } = spec;
      const others = (manifest.metadata.finalizers ?? []).filter((each) => each === FOREGROUND_DELETION);
      const metadata = { ...manifest.metadata, finalizers: [...finalizers, ...others] };
      await changeJob({ spec, status }, { ...manifest, metadata }, 'metadata', deps);
    });
  }

  /** `change` answers with what it was given where there is nothing to change. */
  changeManifest(uid: string, change: (spec: JobManifest['spec']) => JobManifest['spec']): void {
    this.user((deps) =>
      changeSpec(
        asJobUid(uid),
        (stored) => {
          const spec = change(stored.manifest.spec);
          return spec === stored.manifest.spec ? null : { ...stored, manifest: { ...stored.manifest, spec } };
        },
        deps,
      ),
    );
  }

  clear(): void {
    this.#storm.clear();
  }

  /** Something that happens by itself at `moment`. */
  schedule(moment: EpochMs, happen: () => void): void {
    this.#timers.add(happen, moment);
  }

  /** Handlers of these kinds die and do not start for a while, events get lost: an outage, or a bad deployment. */
  breakDown(parts: readonly Part[], forMs: number): void {
    for (const process of this.#processes) if (parts.includes(process.kind)) this.#die(process);
    for (const part of parts) this.#downUntil.set(part, plusMs(this.time, forMs));
    this.#storm.struck('outage');
  }

  #isDown(part: Part): boolean {
    return (this.#downUntil.get(part) ?? START) > this.time;
  }

  /** Somebody else runs a task that says it is an attempt of the Job's. */
  runStranger(uid: string, index: number): void {
    const job = { uid: asJobUid(uid), namespace: 'default', name: 'work' };
    const id = { index, attempt: 1, nonce: STRANGER_NONCE + this.random.between(0, 9_999) };
    void this.tasks.run({
      job,
      id,
      template: { taskDefinition: 'work:1', containers: ['main'], placement: '' },
      env: [],
    });
    this.#storm.struck('stranger');
  }

  /** Long after a Job was deleted: nothing of it is stored any more. */
  async checkForgotten(uid: JobUid): Promise<void> {
    this.time = plusMs(this.time, this.#settings.historyMs + 2 * 86_400_000);
    await this.watchdog.checkForgotten(uid, this.store);
  }

  /** Lets one thing happen: a port call returns, a handler starts, a task moves, or time goes on. False: nothing is left to happen. */
  async step(): Promise<boolean> {
    this.steps++;
    for (let call = this.#asleep.takeDue(this.time); call !== undefined; call = this.#asleep.takeDue(this.time))
      this.#ready.push(call);
    const startable = this.#startable();
    const options: ('call' | 'start' | 'timer')[] = [];
    if (this.#ready.length > 0) options.push('call', 'call', 'call');
    if (startable.length > 0) options.push('start');
    if ((this.#timers.soonest() ?? Number.POSITIVE_INFINITY) <= this.time) options.push('timer');
    if (options.length === 0) return this.#passTime();
    const option = this.random.pick(options);
    if (option === 'call') {
      // Whoever slept until a moment wakes then, however much else there is to do.
      const woken = this.#ready.findIndex(({ port }) => port === 'clock');
      const no = woken >= 0 ? woken : this.random.between(0, this.#ready.length - 1);
      await this.#return(takeAt(this.#ready, no));
    }
    else if (option === 'start') this.random.pick(startable)();
    else this.#timers.takeDue(this.time)?.();
    this.time = plusMs(this.time, this.random.between(0, 8));
    await quiesce();
    return true;
  }

  // --- handlers

  #startable(): (() => void)[] {
    const startable: (() => void)[] = [];
    const free = (kind: Kind): boolean => this.#running[kind] < AT_ONCE[kind] && !this.#isDown(kind);
    if (free('reconcile') && this.#mail.facts.isDue(this.time))
      startable.push(() => this.#startReconcile(this.#mail.facts, 100));
    if (free('reconcile') && this.#mail.wakes.isDue(this.time))
      startable.push(() => this.#startReconcile(this.#mail.wakes, 10));
    if (free('dispatch') && this.#mail.dispatches.isDue(this.time)) startable.push(() => this.#startDispatch());
    if (free('sweep') && this.#nextSweepAt <= this.time) startable.push(() => this.#startSweep());
    return startable;
  }

  #startReconcile(box: Mailbox<Look>, max: number): void {
    const letters = box.receive(max, this.time, VISIBILITY_MS.reconcile, (count) => this.random.between(0, count - 1));
    this.#start(
      'reconcile',
      async (deps) => {
        const results = await reconcileBatch(
          letters.map(({ body }) => body),
          deps,
        );
        for (const result of results) if (result.kind === 'threw') this.watchdog.threw(result.error);
        return new Set(results.filter(({ kind }) => kind === 'threw').map(({ uid }) => uid));
      },
      (failed) => {
        for (const letter of letters)
          if (!(failed instanceof Set && failed.has(letter.body.uid))) this.#remove(box, letter);
      },
    );
  }

  #startDispatch(): void {
    const letters = this.#mail.dispatches.receive(10, this.time, VISIBILITY_MS.dispatch, (count) =>
      this.random.between(0, count - 1),
    );
    this.#start(
      'dispatch',
      async (deps) => {
        const done = await Promise.allSettled(letters.map(({ body }) => dispatch(body, deps)));
        for (const result of done) if (result.status === 'rejected') this.watchdog.threw(result.reason);
        return letters.filter((_, i) => done[i]?.status === 'fulfilled');
      },
      (done) => {
        for (const letter of letters)
          if (Array.isArray(done) && done.includes(letter)) this.#remove(this.#mail.dispatches, letter);
      },
    );
  }

  #startSweep(): void {
    this.#nextSweepAt = plusMs(this.time, SWEEP_EVERY_MS);
    this.#start(
      'sweep',
      async (deps) => {
        await sweepJobs({ everything: false }, deps);
        if (this.#sweeps++ % 60 === 59) await sweepTasks(deps);
      },
      () => undefined,
    );
  }

  #remove<T>(box: Mailbox<T>, letter: Letter<T>): void {
    if (!this.#storm.strikes('delete lost', this.#storm.weather.lostAnswer / 2)) box.remove(letter);
  }

  #start(kind: Kind, work: (deps: Deps) => Promise<unknown>, done: (result: unknown) => void): void {
    const skew = this.#storm.weather.clockSkewMaxMs;
    const process: Process = { dead: false, kind, skewMs: this.random.between(-skew, skew) };
    if (process.skewMs !== 0) this.#storm.struck('clock skewed');
    this.#running[kind]++;
    this.#processes.add(process);
    work(this.#deps(process)).then(
      (result) => {
        if (process.dead) return;
        this.#end(process);
        done(result);
      },
      (error: unknown) => {
        if (process.dead) return;
        this.#end(process);
        this.watchdog.threw(error);
      },
    );
  }

  #end(process: Process): void {
    this.#running[process.kind]--;
    this.#processes.delete(process);
  }

  #die(process: Process): void {
    process.dead = true;
    this.#end(process);
    this.#ready = this.#ready.filter((call) => call.process !== process);
    this.#caches[this.random.between(0, this.#caches.length - 1)] = createCache();
  }

  #deps(process: Process): Deps {
    const now = (): EpochMs => plusMs(this.time, process.skewMs);
    const gate = <T extends object>(port: string, real: T): T => this.#gated(process, port, real);
    const limits = gate('limits', this.store.limits);
    const feed = gate('feed', this.watchdog.watchFeed(this.store.feed));
    const clock: Clock = {
      now,
      sleep: (ms) => this.#call(process, 'clock', 'sleep', async () => undefined, ms) as Promise<void>,
    };
    return {
      jobs: gate('jobs', this.watchdog.watchJobs(this.store.jobs, process.kind === 'user')),
      feed,
      limits,
      objects: gate('objects', this.store.objects),
      tasks: gate('tasks', this.tasks),
      queues: gate('queues', this.#mail.queues()),
      clock,
      telemetry: { count: () => undefined, record: () => undefined, info: () => undefined, warn: () => undefined },
      cache: this.random.pick(this.#caches),
      publisher: createPublisher({ feed, clock }),
      pacer: createPacer({ limits, clock }),
      settings: this.#settings,
      hash: (text) => createHash('sha256').update(text).digest('hex'),
    };
  }

  #gated<T extends object>(process: Process, port: string, real: T): T {
    return new Proxy(real, {
      get: (target, method: string) => {
        const value: unknown = Reflect.get(target, method);
        if (typeof value !== 'function') return value;
        return (...args: unknown[]) =>
          this.#call(process, port, method, async () => Reflect.apply(value, target, args) as unknown, 0);
      },
    });
  }

  #call(
    process: Process,
    port: string,
    method: string,
    perform: () => Promise<unknown>,
    afterMs: number,
  ): Promise<unknown> {
    if (process.dead) return new Promise(() => undefined);
    return new Promise((resolve, reject) => {
      const call = { process, port, method, perform, resolve, reject };
      if (afterMs > 0) this.#asleep.add(call, plusMs(this.time, afterMs));
      else this.#ready.push(call);
    });
  }

  /** One port call comes back to its handler: as it should, or as the weather has it. */
  async #return(call: PendingCall): Promise<void> {
    const { process, port, method } = call;
    if (process.dead) return; // it died in its sleep
    const { crash, lostAnswer, conflict, throttled } = this.#storm.weather;
    if (this.#storm.strikes('crash before', crash / 2)) return this.#die(process);
    if (method.startsWith('commit') && port === 'jobs' && this.#storm.strikes('conflict', conflict))
      return call.resolve({ kind: 'lost' });
    if (port === 'tasks' && method !== 'prepare' && this.#storm.strikes('throttled', throttled)) {
      return call.resolve({ kind: 'later', reason: 'Rate exceeded' });
    }
    if (port !== 'clock' && this.#storm.strikes('call never arrived', lostAnswer / 2))
      return call.reject(new Error(`${port}.${method}: never arrived`));
    const result = await call.perform().then(
      (value) => ({ ok: true, value }) as const,
      (error: unknown) => ({ ok: false, error }) as const,
    );
    if (this.#storm.strikes('crash after', crash / 2)) return this.#die(process);
    if (!result.ok) return call.reject(result.error);
    if (port !== 'clock' && this.#storm.strikes('answer lost', lostAnswer / 2))
      return call.reject(new Error(`${port}.${method}: answer lost`));
    call.resolve(result.value);
  }

  /** ECS tells of a task: RUNNING and STOPPED come through the rule. */
  #event(view: TaskView): void {
    this.watchdog.taskChanged(view);
    const fact = factOf(view);
    const lossy = this.#isDown('events') ? 1 : this.#storm.weather.eventDropped;
    if (fact !== null) this.#mail.event({ uid: view.job, facts: [fact] }, lossy);
  }

  // --- time

  /** Nothing is due: on to the moment when something is. */
  #passTime(): boolean {
    const moments = [
      this.#timers.soonest(),
      this.#asleep.soonest(),
      this.#nextSweepAt,
      ...this.#mail.nextAt(),
      ...this.#downUntil.values(),
    ].filter((moment): moment is EpochMs => moment !== null && moment > this.time);
    if (moments.length === 0) return false;
    this.time = asEpochMs(moments.reduce((min, moment) => Math.min(min, moment), Number.POSITIVE_INFINITY));
    return true;
  }
}

/** All microtasks that the last step set off have run. */
const quiesce = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
