import { createHash } from 'node:crypto';
import { createCapabilityState } from '../../../shared/capabilities/lists/process-state.ts';
import type { CapabilityState } from '../../../shared/control/process/capability-state.ts';
import { type Fate, createMemoryTasks } from '../../../shared/adapters/memory/memory-tasks.ts';
import { createMemoryRows } from '../../../shared/adapters/rows/memory.ts';
import type { Cache } from '../../../shared/control/process/cache.ts';
import type { Deps, Settings } from '../../../shared/control/process/deps.ts';
import { createPacer } from '../../../shared/control/process/pacer.ts';
import { createPublisher } from '../../../shared/control/process/publisher.ts';
import { type EpochMs, asEpochMs, plusMs } from '../../../shared/domain/base/time.ts';
import { type JobUid, asJobUid, asTaskArn } from '../../../shared/domain/base/ids.ts';
import { factOf } from '../../../shared/domain/planner/ending.ts';
import { AWS_HOST_LIMITS } from '../../../shared/domain/task/host-limits.ts';
import { freshStatus } from '../../../shared/domain/scoreboard/status.ts';
import type { TaskView } from '../../../shared/domain/task/task.ts';
import { AWS_TIMING, FIRST_PODS_MAX, pacedTiming } from '../../../shared/domain/base/timing.ts';
import type { Clock } from '../../../shared/ports/clock.ts';
import type { StoredSpec } from '../../../shared/ports/job-store.ts';
import type { Launch } from '../../../shared/ports/tasks.ts';
import { Agenda } from '../../../shared/domain/base/agenda.ts';
import { Calls, type CrashPoints, type Kind, type Process, launchKey } from './calls.ts';
import { Handlers } from './handlers.ts';
import { Law, textOf } from '../checks/law.ts';
import { Mail } from './mail.ts';
import { CronWatch } from '../checks/cron-watch.ts';
import { SubmitWatch } from '../checks/submit-watch.ts';
import { UpstreamWatch } from '../checks/upstream-watch.ts';
import { WORLD_PARTS } from '../parts/world-parts.ts';
import { Random } from '../random.ts';
import { Sights } from '../checks/sights.ts';
import { ALL, type About, Story } from '../story.ts';
import { FaultInjector } from './fault-injector.ts';
import type { PlayNeeds, PlayWatch } from './play-watch.ts';
import { ShownNumbers } from '../checks/shown-numbers.ts';
import { ORPHAN_NONCE, Watchdog } from '../checks/watchdog.ts';
import type { WorldPart } from '../parts/world-part.ts';
import { CALM, type Fault, type Outage, type FaultRates } from './fault-rates.ts';
import { type Store, createStore } from '../../../shared/store/create-store.ts';
import { jobPartition } from '../../../shared/store/programs/row-keys.ts';
import type { Rows } from '../../../shared/store/rows/row.ts';
import { createItemCache } from '../../../shared/store/read-items.ts';
import { toJob } from '../../../shared/store/to-job.ts';
import { parseTask } from '../../../shared/schema/messages/ecs-task.ts';
import { GROUP_PREFIX } from '../../../shared/names/env.ts';
import { deprovisioningDetail, stoppedDetail } from './ecs-details.ts';
import { Container } from '../table/container.ts';
import { Containers, type Furnished } from '../table/containers.ts';
import { damagedRows } from '../table/damaged-rows.ts';
import { tableWeather } from '../table/table-weather.ts';

/** What may be out of order for a while. */
export type Part = Kind | 'events';

export const START = asEpochMs(1_800_000_000_000);
const STOP_SLOW_MS = [120_000, 600_000] as const;
/** ECS may not know a task for so long; look-ups wait for two minutes before they believe it. */
const HIDDEN_MAX_MS = 90_000;

export type WorldOptions = {
  readonly seed: number;
  readonly faultRates: FaultRates;
  readonly without: ReadonlySet<Fault>;
  readonly fate: (launch: Launch, random: Random) => Fate;
  /** Others hear of the Jobs' changes. */
  readonly announced: boolean;
  /** Of the play that it is about; omitted: there is none. */
  readonly needs?: PlayNeeds;
  /** Omitted: `at once`. */
  readonly deprovisioning?: Deprovisioning;
  readonly launchesPerSec: number | null;
  readonly stopsPerSec: number | null;
  /** See MailOptions. */
  readonly gustMs: number;
  /** Time goes on by up to so much with each step. */
  readonly stepMaxMs: number;
  /** True: everything that happens is written down. False: nobody will read it. */
  readonly told: boolean;
};

/** Between a task's end and STOPPED: nothing; only look-ups see it; or an event reports it, too. */
export type Deprovisioning = 'at once' | 'seen' | 'told';
const DEPROVISION_MS = [1_000, 30_000] as const;

/**
 * Everything around the control code, seeded: clock, queues, ECS, handlers that interleave at every request to the table and
 * every call of another port, and the weather. The control code, the store and the fake ECS are the real ones; only the table, time
 * and luck are made here.
 */
export class World {
  /** For those who look at it: no step, and no weather. */
  readonly store: Store;
  readonly tasks;
  readonly law: Law;
  readonly watchdog: Watchdog;
  /** What capabilities have here. */
  readonly parts: readonly WorldPart[];
  readonly cronWatch: CronWatch;
  readonly submitWatch: SubmitWatch;
  readonly upstreamWatch: UpstreamWatch;
  readonly mail: Mail;
  readonly handlers: Handlers;
  readonly story: Story | null;
  readonly injector: FaultInjector;
  /** Of no single Job. */
  readonly sights: Sights;
  time: EpochMs = START;
  steps = 0;
  readonly #options: WorldOptions;
  /** Who acts when; how tasks go is luck of its own. */
  readonly #random: Random;
  readonly #fates: Random;
  readonly #calls: Calls;
  readonly #timers = new Agenda<() => void>();
  readonly #settings: Settings;
  readonly #table: Rows;
  readonly #containers = new Containers<Ports>((process) => this.#container(process));
  /** Jobs whose rows cannot be read, by their partition. */
  readonly #damaged = new Map<string, JobUid>();
  readonly #shownNumbers: ShownNumbers;
  /** What capabilities keep in a process, beside its cache. */
  readonly #states = new WeakMap<Cache, CapabilityState>();
  #playWatch: PlayWatch | null = null;
  #eventsDownUntil: EpochMs = START;
  /** ECS starts a task of which it has said that it does not. */
  #deniesIt = false;
  #actor = 'sky';
  #placement = '';
  #networks = 0;
  #tokens = 0;

  constructor(options: WorldOptions) {
    const { seed, faultRates, without, gustMs, launchesPerSec } = options;
    this.#options = options;
    this.#random = new Random(seed, 'who acts');
    this.#fates = new Random(seed, 'fates of tasks');
    this.story = options.told ? new Story(START) : null;
    this.sights = new Sights(options.needs?.sights);
    const now = (): EpochMs => this.time;
    const isDamaged = (uid: JobUid): boolean => this.#damaged.has(jobPartition(uid));
    this.injector = new FaultInjector(faultRates, seed, without);
    this.law = new Law((violation) => this.tell('watchdog', `BROKEN in step ${this.steps}: ${textOf(violation)}`, ALL));
    this.watchdog = new Watchdog(
      now,
      this.law,
      (what, about) => this.tell(this.#actor, what, about),
      faultRates === CALM,
    );
    this.cronWatch = new CronWatch(now, this.law, this.watchdog, this.sights);
    this.submitWatch = new SubmitWatch(this.law);
    this.upstreamWatch = new UpstreamWatch(now, this.law, this.watchdog, this.sights);
    this.mail = new Mail({
      now,
      injector: this.injector,
      gustMs,
      isDamaged,
      unheard: (look) => this.watchdog.unheard(look),
      tell: (...told) => this.tell('sky', ...told),
    });
    this.#calls = new Calls({
      now,
      injector: this.injector,
      random: this.#random,
      die: (process) => this.handlers.die(process),
      acts: (process) => (this.#actor = process.name),
      tell: ({ name, about }, what, fault) => this.tell(name, what, about, fault),
    });
    const table = createMemoryRows({ now, weather: tableWeather(this.#calls, this.injector, now) });
    this.#table = damagedRows(table, this.#damaged, this.#calls, this.injector);
    this.store = createStore(table, { now, newToken: () => this.#newToken() });
    const pace = { now: START, perSec: null, fullPerSec: null, namespaces: 1, namesPerSec: null };
    this.#shownNumbers = new ShownNumbers(
      {
        jobs: this.store.jobs,
        feed: this.store.feed,
        items: this.store.items,
        itemCache: createItemCache(),
        taskNames: this.store.hosts,
        launchPace: async () => pace,
      },
      this.law,
    );
    this.tasks = this.#ecs(now);
    this.parts = WORLD_PARTS.map((make) =>
      make({
        now,
        store: this.store,
        tasks: this.tasks.all,
        law: this.law,
        watchdog: this.watchdog,
        sights: this.sights,
        tell: (what, about) => this.tell(this.#actor, what, about),
        tellOf: (...told) => this.tell(...told),
        injector: this.injector,
        announced: options.announced,
      }),
    );
    this.#settings = {
      timing: pacedTiming(AWS_TIMING, launchesPerSec),
      firstPodsMax: FIRST_PODS_MAX,
      launchesPerSec,
      stopsPerSec: options.stopsPerSec,
      hosts: AWS_HOST_LIMITS,
      historyMs: 30 * 86_400_000,
      announced: this.parts.some(({ listens }) => listens === true) ? 'each' : null,
    };
    this.handlers = new Handlers({
      now,
      isDamaged,
      random: this.#random,
      injector: this.injector,
      mail: this.mail,
      law: this.law,
      owners: ['CronJob', ...(options.needs?.owners ?? [])],
      everyMinute: [...this.parts.flatMap(({ everyMinute }) => everyMinute), ...(options.needs?.sweeps ?? [])],
      depsOf: (process, cache) => this.#deps(process, cache),
      threw: (error) => this.watchdog.threw(error),
      ended: (process) => {
        if (process.dead) this.#calls.drop(process);
        this.#containers.ended(process);
      },
      at: (moment, then) => this.#timers.add(then, moment),
      tell: ({ name, about }, what, fault) => this.tell(name, what, about, fault),
    });
  }

  /** From now on a play sees what is stored. */
  watchBy(watch: PlayWatch): void {
    this.#playWatch = watch;
  }

  tell(who: string, what: string, about: About, fault: Fault | null = null): void {
    this.story?.tell(this.time, who, what, about, fault);
  }

  clear(): void {
    this.tell('sky', 'the weather clears', ALL);
    this.injector.clear();
  }

  /** How often a process could have died, before and after what it asked for. */
  get crashPoints(): CrashPoints {
    return { ...this.#calls.crashPoints };
  }

  /** Nothing is out of order. */
  isUp(): boolean {
    return [this.#eventsDownUntil, ...this.handlers.upAt()].every((until) => until <= this.time);
  }

  /** Something that happens by itself at `moment`. */
  schedule(moment: EpochMs, happen: () => void): void {
    this.#timers.add(happen, moment);
  }

  /** Handlers of these kinds die and do not start for a while, events get lost: an outage, or a bad deployment. */
  breakDown(parts: readonly Part[], forMs: number): void {
    if (!this.injector.allows('outage')) return;
    const until = plusMs(this.time, forMs);
    for (const part of parts)
      if (part === 'events') this.#eventsDownUntil = until;
      else this.handlers.breakDown(part, until);
    this.injector.struck('outage');
    this.tell('sky', `${parts.join(', ')} out of order for ${minutes(forMs)}`, ALL, 'outage');
  }

  /** ECS or the table refuses what it is asked for some minutes. */
  blow(outage: Outage, forMs: number): void {
    this.injector.rise(outage, plusMs(this.time, forMs));
    this.tell('sky', `${GALES[outage]} for ${minutes(forMs)}`, ALL, outage);
  }

  /** The installation gets another network; ECS knows the one before no more. */
  changeStack(): void {
    if (!this.injector.allows('stack changed')) return;
    this.#placement = `network ${++this.#networks}`;
    this.tell('operator', `gives the installation ${this.#placement}`, ALL, 'stack changed');
  }

  /** Somebody else runs a task that says it is an attempt of the Job's. */
  runOrphan(uid: string, index: number): void {
    if (!this.injector.allows('stranger')) return;
    const job = { uid: asJobUid(uid), namespace: 'default', name: 'work' };
    const id = { index, attempt: 1, nonce: ORPHAN_NONCE + this.injector.luck('stranger').between(0, 9_999) };
    const template = { taskDefinition: 'work:1', containers: ['main'], placement: this.#placement };
    this.tell('somebody', `runs a task that says it is index ${index}`, { uids: [uid], indexes: [index] }, 'stranger');
    void this.tasks.run({ job, id, template, env: [] });
    this.injector.struck('stranger');
  }

  /** Somebody has made something for a Job and died, before anything was written down. */
  leaveStray(): void {
    if (!this.injector.allows('stranger')) return;
    for (const { stray } of this.parts) {
      if (stray === undefined) continue;
      this.tell('somebody', `leaves ${stray.what}`, ALL, 'stranger');
      stray.leave();
      this.injector.struck('stranger');
    }
  }

  /** There is a Job whose rows cannot be read: no message about it can be processed. Its alarm is always due. */
  async damage(spec: StoredSpec): Promise<void> {
    const { uid } = spec.identity;
    await this.store.jobs.createJob(spec, { ...freshStatus(toJob(spec), this.time), alarms: [this.time] });
    this.#damaged.set(jobPartition(uid), uid);
  }

  /** Everything that may be said about the damaged Job is said. */
  async poison(uid: JobUid): Promise<void> {
    const id = { index: 0, attempt: 1, nonce: 0 };
    const queues = this.mail.queues();
    await queues.facts([{ uid, facts: [{ ...id, kind: 'running', taskArn: asTaskArn('gone'), at: this.time }] }], 0);
    await queues.dispatch([{ kind: 'pack', uid, launch: [id], stop: [] }], 0);
    await queues.dispatch([{ kind: 'inspect', uid, from: 0 }], 0);
    await queues.wake([{ uid, delaySec: 0 }]);
  }

  /** Long after a Job was deleted: nothing of it is stored any more. */
  async checkForgotten(uid: JobUid): Promise<void> {
    this.time = plusMs(this.time, this.#settings.historyMs + 2 * 86_400_000);
    await this.watchdog.checkForgotten(uid, this.store);
    const { contents } = await this.store.items.listContents({ after: null, limit: 100 });
    for (const content of contents) {
      const isKept = (await this.store.items.listReservations(content)).some(({ job }) => job === uid);
      this.law.of(uid)(isKept, 'G7', () => `a deleted Job keeps the items of ${content}`);
    }
  }

  /** Lets one thing happen: a port call returns, a handler starts, a task moves, or time goes on. False: nothing is left to happen. */
  async step(): Promise<boolean> {
    this.steps++;
    this.#actor = 'sky';
    const startable = this.handlers.startable();
    const options: ('call' | 'start' | 'timer')[] = [];
    if (this.#calls.isReady()) options.push('call', 'call', 'call');
    if (startable.length > 0) options.push('start');
    if ((this.#timers.soonest() ?? Number.POSITIVE_INFINITY) <= this.time) options.push('timer');
    if (options.length === 0) return this.#passTime();
    const option = this.#random.pick(options);
    if (option === 'call') await this.#calls.returnOne();
    else if (option === 'start') this.#random.pick(startable)();
    else this.#timers.takeDue(this.time)?.();
    this.time = plusMs(this.time, this.#random.between(0, this.#options.stepMaxMs));
    await quiesce();
    return true;
  }

  #deps(process: Process, cache: Cache): Deps {
    const ports = this.#containers.take(process);
    const { feed, limits } = ports;
    const clock: Clock = {
      now: () => plusMs(this.time, process.skewMs),
      sleep: (ms) => this.#calls.sleep(process, ms) as Promise<void>,
    };
    return {
      ...ports,
      clock,
      telemetry: SILENT,
      cache,
      publisher: createPublisher({ feed, clock }),
      pacer: createPacer({ limits, clock }),
      state: this.#stateOf(cache),
      settings: this.#settings,
      hash: (text) => createHash('sha256').update(text).digest('hex'),
    };
  }

  /** No seed has anything that is kept of stored objects: their rules are tables, and reading them is tested without faults. */
  #stateOf(cache: Cache): CapabilityState {
    const objects = { head: async () => 0, list: async () => ({ objects: [], next: null }) };
    const state = this.#states.get(cache) ?? createCapabilityState({ objects, clock: { now: () => this.time } });
    this.#states.set(cache, state);
    return state;
  }

  #container(process: Process): Furnished<Ports> {
    const container = new Container(this.#calls, this.#table, process);
    const gate = <T extends object>(port: string, real: T): T => this.#calls.gate(() => container.process, port, real);
    const ports: Ports = {
      ...container.ports(this.#watched(this.#storeIn(container), process.kind === 'user')),
      ports: this.#capabilityPorts(process, gate),
      tasks: gate('tasks', this.tasks),
      queues: gate('queues', this.mail.queues()),
    };
    return { container, ports };
  }

  #capabilityPorts(process: Process, gate: <T extends object>(name: string, real: T) => T): Deps['ports'] {
    const real = this.parts.flatMap(({ ports }) => Object.entries<object>(ports(process.kind)));
    return Object.fromEntries(real.map(([name, port]) => [name, gate(name, port)]));
  }

  #storeIn(container: Container): Store {
    const now = (): EpochMs => plusMs(this.time, container.process.skewMs);
    return createStore(container.rows, { now, newToken: () => this.#newToken() });
  }

  #newToken(): string {
    return `token-${String(++this.#tokens).padStart(8, '0')}`;
  }

  #watched(store: Store, byUser: boolean): StorePorts {
    const play = this.#playWatch;
    const seen = this.upstreamWatch.watchJobs(
      this.watchdog.watchJobs(this.#shownNumbers.watchJobs(store.jobs), byUser),
    );
    const owned = this.submitWatch.watchJobs(this.cronWatch.watchJobs(seen));
    const jobs = play?.watchJobs(owned) ?? owned;
    return {
      jobs: this.parts.reduce((watched, { watchJobs }) => watchJobs?.(watched) ?? watched, jobs),
      feed: this.#shownNumbers.watchFeed(this.watchdog.watchFeed(store.feed)),
      limits: store.limits,
      hosts: this.parts.reduce((hosts, { watchHosts }) => watchHosts?.(hosts) ?? hosts, store.hosts),
      items: store.items,
      crons: play?.watchCrons?.(store.crons) ?? store.crons,
      waiters: store.waiters,
      objects: play?.watchObjects(store.objects) ?? store.objects,
    };
  }

  #ecs(now: () => EpochMs) {
    const { injector } = this;
    return createMemoryTasks({
      now,
      at: (moment, then) => this.#timers.add(() => this.#as('ECS', then), moment),
      fate: (launch) => {
        this.watchdog.taskStarts(launch, this.#deniesIt);
        this.#deniesIt = false;
        const fate = this.#options.fate(launch, this.#fates);
        const noticed = injector.allows('spot notice') ? fate : { ...fate, noticeMs: 0 };
        const { deprovisioning = 'at once' } = this.#options;
        if (deprovisioning === 'at once' || !injector.allows('end told early')) return noticed;
        return { ...noticed, deprovisionMs: injector.luck('end told early').between(...DEPROVISION_MS) };
      },
      deprovisioning: (ended) => {
        const view = parseTask(deprovisioningDetail(ended, injector.luck('end told early')), GROUP_PREFIX);
        if (view === null) throw new Error('a task of ours');
        return view;
      },
      refusal: (launch) => {
        const refused =
          injector.blows('capacity gone', this.time) || injector.strikes('refused', injector.faultRates.refused);
        if (!refused) return null;
        this.tell('ECS', `refuses to launch ${launchKey('', launch.id).slice(1)}`, aboutLaunch(launch), 'refused');
        return 'Capacity is unavailable at this time';
      },
      mistake: (template, launch) => {
        const isMoved = template !== null && template.placement !== this.#placement;
        const isForbidden = injector.blows('misconfigured', this.time);
        if (!isForbidden && !isMoved) return null;
        if (launch !== null) this.watchdog.turnedAway(launch);
        if (isForbidden) return 'AccessDeniedException: not authorized';
        injector.struck('stack changed');
        return 'InvalidParameterException: the subnet does not exist';
      },
      placement: () => this.#placement,
      registered: (taskDefinition, definition) => this.watchdog.registered(taskDefinition, definition),
      conflict: ({ job, id }) =>
        this.law.of(job.uid)(true, 'G4', () => `${launchKey('', id).slice(1)} is asked for again otherwise`, id.index),
      startsThoughRefused: (launch) => {
        this.#deniesIt = injector.strikes('started though refused', injector.faultRates.startedThoughRefused);
        if (this.#deniesIt)
          this.tell('ECS', 'and starts it all the same', aboutLaunch(launch), 'started though refused');
        return this.#deniesIt;
      },
      hiddenMs: () =>
        injector.faultRates.hiddenAtFirst > 0 && injector.allows('hidden at first')
          ? injector.luck('hidden at first').between(0, HIDDEN_MAX_MS)
          : 0,
      stopTakesMs: (stopMs) =>
        injector.strikes('stop slow', injector.faultRates.stopSlow)
          ? injector.luck('stop slow').between(...STOP_SLOW_MS)
          : stopMs,
      quirk: (quirk, view) => {
        injector.struck(quirk);
        this.tell('ECS', QUIRKS[quirk], { uids: [view.job], indexes: [view.id.index] }, quirk);
      },
      emit: (view, status) => this.#event(view, status === 'DEPROVISIONING'),
    });
  }

  /** ECS reports a task: RUNNING and STOPPED come through the rule, and in some worlds DEPROVISIONING. */
  #event(view: TaskView, isEarly: boolean): void {
    this.watchdog.taskChanged(view);
    const told = view.stage === 'stopped' && !isEarly ? parseTask(stoppedDetail(view), GROUP_PREFIX) : view;
    const fact = told === null ? null : factOf(told);
    if (fact === null || (isEarly && this.#options.deprovisioning !== 'told')) return;
    if (isEarly) this.injector.struck('end told early');
    if (this.#calls.isUnanswered(launchKey(view.job, view.id))) this.injector.struck('event early');
    const lossy = this.#eventsDownUntil > this.time ? 1 : this.injector.faultRates.eventDropped;
    this.mail.event({ uid: view.job, facts: [fact] }, lossy);
  }

  /** What happens meanwhile is written down as that actor's doing. */
  #as<T>(actor: string, act: () => T): T {
    const before = this.#actor;
    this.#actor = actor;
    const result = act();
    this.#actor = before;
    return result;
  }

  /** Nothing is due: on to the moment when something is. */
  #passTime(): boolean {
    const moments = [
      this.#timers.soonest(),
      this.#calls.nextAt(),
      this.handlers.nextSweepAt,
      ...this.mail.nextAt(),
      ...this.handlers.upAt(),
    ].filter((moment): moment is EpochMs => moment !== null && moment > this.time);
    if (moments.length === 0) return false;
    this.time = asEpochMs(moments.reduce((min, moment) => Math.min(min, moment), Number.POSITIVE_INFINITY));
    return true;
  }
}

type StorePorts = Omit<Store, 'deadLetters'>;
type Ports = StorePorts & Pick<Deps, 'ports' | 'tasks' | 'queues'>;

const SILENT: Deps['telemetry'] = {
  count: () => undefined,
  record: () => undefined,
  info: () => undefined,
  warn: () => undefined,
};

const GALES: Record<Outage, string> = {
  'capacity gone': 'no capacity',
  'throttled for minutes': 'throttled',
  'table throttled for minutes': 'table throttled',
  misconfigured: 'ECS refuses everything for want of a right',
};

const QUIRKS = {
  'spot notice': 'gives notice that it takes the capacity of the task back',
  'hidden at first': 'does not know the task yet',
  'forgotten by ECS': 'does not know the task any more',
} as const;

const aboutLaunch = ({ job, id }: Launch): About => ({ uids: [job.uid], indexes: [id.index] });
const minutes = (ms: number): string => `${(ms / 60_000).toFixed(1)} minutes`;

/** All microtasks that the last step set off have run. */
const quiesce = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
