import { createHash } from 'node:crypto';
import { createMemoryStore } from '../../shared/adapters/memory/store.ts';
import { type Fate, createMemoryTasks } from '../../shared/adapters/memory/tasks.ts';
import { type Cache, createCache } from '../../shared/control/cache.ts';
import type { Deps, Settings } from '../../shared/control/deps.ts';
import { dispatch } from '../../shared/control/dispatch.ts';
import { changeSpec, createJob, deleteJob } from '../../shared/control/job-changes.ts';
import { type Look, reconcileBatch } from '../../shared/control/reconcile.ts';
import { sweepJobs, sweepTasks } from '../../shared/control/sweep.ts';
import { type EpochMs, asEpochMs, asJobUid, plusMs } from '../../shared/domain/brand.ts';
import { factOf } from '../../shared/domain/ending.ts';
import type { JobManifest } from '../../shared/domain/manifest.ts';
import type { TaskView } from '../../shared/domain/task.ts';
import { AWS_TIMING } from '../../shared/domain/timing.ts';
import type { StoredSpec } from '../../shared/ports/job-store.ts';
import type { DispatchMessage, Queues } from '../../shared/ports/queues.ts';
import type { Launch } from '../../shared/ports/tasks.ts';
import { Mailbox } from './post-office.ts';
import { Random } from './random.ts';
import { Watchdog } from './watchdog.ts';
import { CALM, type Weather } from './weather.ts';

type PendingCall = {
  readonly process: Process;
  readonly port: string;
  readonly method: string;
  readonly readyAt: EpochMs;
  readonly perform: () => Promise<unknown>;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
};

/** One running handler: it may die at any port call, and then nothing of it ever goes on. */
type Process = { dead: boolean; readonly kind: Kind; readonly skewMs: number };
type Kind = 'reconcile' | 'dispatch' | 'sweep' | 'user';

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
  weather: Weather;
  time: EpochMs = START;
  steps = 0;
  readonly faults = new Map<string, number>();
  readonly #facts = new Mailbox<Look>();
  readonly #wakes = new Mailbox<Look>();
  readonly #dispatches = new Mailbox<DispatchMessage>();
  readonly #calls: PendingCall[] = [];
  readonly #timers: { readonly at: EpochMs; readonly then: () => void }[] = [];
  readonly #running: Record<Kind, number> = { reconcile: 0, dispatch: 0, sweep: 0, user: 0 };
  readonly #caches: Cache[] = [createCache(), createCache(), createCache()];
  readonly #settings: Settings;
  #nextSweepAt: EpochMs = plusMs(START, SWEEP_EVERY_MS);
  #sweeps = 0;

  constructor({ seed, weather, fate, settings }: WorldOptions) {
    this.random = new Random(seed);
    this.weather = weather;
    this.#settings = { timing: AWS_TIMING, launchesPerSec: null, stopsPerSec: null, historyMs: 30 * 86_400_000, ...settings };
    const now = (): EpochMs => this.time;
    this.store = createMemoryStore({ now });
    this.tasks = createMemoryTasks({
      now,
      at: (moment, then) => this.#timers.push({ at: moment, then }),
      fate: (launch) => {
        this.watchdog.taskStarts(launch);
        return fate(launch, this.random);
      },
      refusal: () => (this.#strikes('refused', this.weather.refused) ? 'Capacity is unavailable at this time' : null),
      emit: (view) => this.#event(view),
    });
    this.watchdog = new Watchdog(this.tasks.all);
  }

  /** A handler of its own for a user's call; it may die like any other. */
  user(work: (deps: Deps) => Promise<unknown>): void {
    this.#start('user', work, () => undefined);
  }

  createJob(spec: StoredSpec): void {
    this.user((deps) => createJob(spec, deps));
  }

  deleteJob(uid: string): void {
    this.user((deps) => deleteJob(asJobUid(uid), deps));
  }

  changeManifest(uid: string, change: (spec: JobManifest['spec']) => JobManifest['spec']): void {
    this.user((deps) =>
      changeSpec(asJobUid(uid), (stored) => ({ ...stored, manifest: { ...stored.manifest, spec: change(stored.manifest.spec) } }), deps),
    );
  }

  clear(): void {
    this.weather = CALM;
  }

  /** Lets one thing happen: a port call returns, a handler starts, a task moves, or time goes on. False: nothing is left to happen. */
  async step(): Promise<boolean> {
    this.steps++;
    const ready = this.#calls.filter(({ readyAt }) => readyAt <= this.time);
    const startable = this.#startable();
    const timersDue = this.#timers.some(({ at }) => at <= this.time);
    const options: ('call' | 'start' | 'timer')[] = [];
    if (ready.length > 0) options.push('call', 'call', 'call');
    if (startable.length > 0) options.push('start');
    if (timersDue) options.push('timer');
    if (options.length === 0) return this.#passTime();
    const option = this.random.pick(options);
    if (option === 'call') await this.#return(this.random.pick(ready));
    else if (option === 'start') this.random.pick(startable)();
    else this.#fireTimer();
    this.time = plusMs(this.time, this.random.between(0, 8));
    await quiesce();
    return true;
  }

  // --- handlers

  #startable(): (() => void)[] {
    const startable: (() => void)[] = [];
    const free = (kind: Kind): boolean => this.#running[kind] < AT_ONCE[kind];
    const due = (box: Mailbox<unknown>): boolean => (box.soonest() ?? Number.POSITIVE_INFINITY) <= this.time;
    if (free('reconcile') && due(this.#facts)) startable.push(() => this.#startReconcile(this.#facts, 100));
    if (free('reconcile') && due(this.#wakes)) startable.push(() => this.#startReconcile(this.#wakes, 10));
    if (free('dispatch') && due(this.#dispatches)) startable.push(() => this.#startDispatch());
    if (free('sweep') && this.#nextSweepAt <= this.time) startable.push(() => this.#startSweep());
    return startable;
  }

  #startReconcile(box: Mailbox<Look>, max: number): void {
    const letters = box.receive(max, this.time, VISIBILITY_MS.reconcile, (count) => this.random.between(0, count - 1));
    this.#start(
      'reconcile',
      async (deps) => {
        const results = await reconcileBatch(letters.map(({ body }) => body), deps);
        for (const result of results) if (result.kind === 'threw') this.watchdog.threw(result.error);
        return new Set(results.filter(({ kind }) => kind === 'threw').map(({ uid }) => uid));
      },
      (failed) => {
        for (const letter of letters) if (!(failed instanceof Set && failed.has(letter.body.uid))) this.#remove(box, letter);
      },
    );
  }

  #startDispatch(): void {
    const letters = this.#dispatches.receive(10, this.time, VISIBILITY_MS.dispatch, (count) => this.random.between(0, count - 1));
    this.#start(
      'dispatch',
      async (deps) => {
        const done = await Promise.allSettled(letters.map(({ body }) => dispatch(body, deps)));
        for (const result of done) if (result.status === 'rejected') this.watchdog.threw(result.reason);
        return letters.filter((_, i) => done[i]?.status === 'fulfilled');
      },
      (done) => {
        for (const letter of letters) if (Array.isArray(done) && done.includes(letter)) this.#remove(this.#dispatches, letter);
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

  #remove<T>(box: Mailbox<T>, letter: Parameters<Mailbox<T>['remove']>[0]): void {
    if (!this.#strikes('delete lost', this.weather.lostAnswer / 2)) box.remove(letter);
  }

  #start(kind: Kind, work: (deps: Deps) => Promise<unknown>, done: (result: unknown) => void): void {
    const skew = this.weather.clockSkewMaxMs;
    const process: Process = { dead: false, kind, skewMs: this.random.between(-skew, skew) };
    this.#running[kind]++;
    work(this.#deps(process)).then(
      (result) => {
        if (process.dead) return;
        this.#running[kind]--;
        done(result);
      },
      (error: unknown) => {
        if (process.dead) return;
        this.#running[kind]--;
        this.watchdog.threw(error);
      },
    );
  }

  #die(process: Process): void {
    process.dead = true;
    this.#running[process.kind]--;
    for (let i = this.#calls.length - 1; i >= 0; i--) if (this.#calls[i]?.process === process) this.#calls.splice(i, 1);
    this.#caches[this.random.between(0, this.#caches.length - 1)] = createCache();
  }

  // --- ports

  #deps(process: Process): Deps {
    const now = (): EpochMs => plusMs(this.time, process.skewMs);
    const gate = <T extends object>(port: string, real: T): T => this.#gated(process, port, real);
    return {
      jobs: gate('jobs', this.watchdog.watchJobs(this.store.jobs)),
      feed: gate('feed', this.watchdog.watchFeed(this.store.feed)),
      limits: gate('limits', this.store.limits),
      tasks: gate('tasks', this.tasks),
      queues: gate('queues', this.#queues()),
      clock: { now, sleep: (ms) => this.#call(process, 'clock', 'sleep', async () => undefined, ms) as Promise<void> },
      telemetry: { count: () => undefined, info: () => undefined, warn: () => undefined },
      cache: this.random.pick(this.#caches),
      settings: this.#settings,
      hash: (text) => createHash('sha256').update(text).digest('hex'),
    };
  }

  #gated<T extends object>(process: Process, port: string, real: T): T {
    return new Proxy(real, {
      get: (target, method: string) => {
        const value: unknown = Reflect.get(target, method);
        if (typeof value !== 'function') return value;
        return (...args: unknown[]) => this.#call(process, port, method, async () => Reflect.apply(value, target, args), 0);
      },
    });
  }

  #call(process: Process, port: string, method: string, perform: () => Promise<unknown>, afterMs: number): Promise<unknown> {
    if (process.dead) return new Promise(() => undefined);
    return new Promise((resolve, reject) => {
      this.#calls.push({ process, port, method, readyAt: plusMs(this.time, afterMs), perform, resolve, reject });
    });
  }

  /** One port call comes back to its handler: as it should, or as the weather has it. */
  async #return(call: PendingCall): Promise<void> {
    this.#calls.splice(this.#calls.indexOf(call), 1);
    const { process, port, method } = call;
    const { crash, lostAnswer, conflict, throttled } = this.weather;
    if (this.#strikes('crash before', crash / 2)) return this.#die(process);
    if (method.startsWith('commit') && port === 'jobs' && this.#strikes('conflict', conflict)) return call.resolve({ kind: 'lost' });
    if (port === 'tasks' && method !== 'prepare' && this.#strikes('throttled', throttled)) {
      return call.resolve({ kind: 'later', reason: 'Rate exceeded' });
    }
    if (port !== 'clock' && this.#strikes('call never arrived', lostAnswer / 2)) return call.reject(new Error(`${port}.${method}: never arrived`));
    const result = await call.perform().then(
      (value) => ({ ok: true, value }) as const,
      (error: unknown) => ({ ok: false, error }) as const,
    );
    if (this.#strikes('crash after', crash / 2)) return this.#die(process);
    if (!result.ok) return call.reject(result.error);
    if (port !== 'clock' && this.#strikes('answer lost', lostAnswer / 2)) return call.reject(new Error(`${port}.${method}: answer lost`));
    call.resolve(result.value);
  }

  #queues(): Queues {
    const post = <T>(box: Mailbox<T>, bodies: readonly T[], delaySec: number): void => {
      for (const body of bodies) {
        if (this.#strikes('message dropped', this.weather.messageDropped)) continue;
        const copies = this.#strikes('message doubled', this.weather.messageDoubled) ? 2 : 1;
        for (let i = 0; i < copies; i++) {
          box.post(body, plusMs(this.time, delaySec * 1000 + this.random.between(0, this.weather.messageDelayMaxMs)));
        }
      }
    };
    return {
      wake: async (wakeUps) => {
        for (const { uid, delaySec, inspect } of wakeUps) post(this.#wakes, [{ uid, facts: [], ...(inspect === true ? { inspect } : {}) }], delaySec);
      },
      facts: async (messages, delaySec) => post(this.#facts, messages, delaySec),
      dispatch: async (messages, delaySec) => post(this.#dispatches, messages, delaySec),
    };
  }

  /** ECS tells of a task: RUNNING and STOPPED come through the rule, late, twice or never. */
  #event(view: TaskView): void {
    this.watchdog.taskChanged(view);
    const fact = factOf(view);
    if (fact === null || this.#strikes('event dropped', this.weather.eventDropped)) return;
    const copies = this.#strikes('event doubled', this.weather.eventDoubled) ? 2 : 1;
    for (let i = 0; i < copies; i++) {
      this.#facts.post({ uid: view.job, facts: [fact] }, plusMs(this.time, this.random.between(0, this.weather.eventDelayMaxMs)));
    }
  }

  // --- time

  #fireTimer(): void {
    let soonest = 0;
    for (let i = 1; i < this.#timers.length; i++) if ((this.#timers[i]?.at ?? 0) < (this.#timers[soonest]?.at ?? 0)) soonest = i;
    const [timer] = this.#timers.splice(soonest, 1);
    timer?.then();
  }

  /** Nothing is due: on to the moment when something is. */
  #passTime(): boolean {
    const moments = [
      ...this.#timers.map(({ at }) => at),
      ...this.#calls.map(({ readyAt }) => readyAt),
      this.#nextSweepAt,
      this.#facts.soonest(),
      this.#wakes.soonest(),
      this.#dispatches.soonest(),
    ].filter((moment): moment is EpochMs => moment !== null && moment > this.time);
    if (moments.length === 0) return false;
    this.time = asEpochMs(moments.reduce((min, moment) => Math.min(min, moment), Number.POSITIVE_INFINITY));
    return true;
  }

  #strikes(fault: string, probability: number): boolean {
    if (probability === 0 || !this.random.chance(probability)) return false;
    this.faults.set(fault, (this.faults.get(fault) ?? 0) + 1);
    return true;
  }
}

/** All microtasks that the last step set off have run. */
const quiesce = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
