import { type EpochMs, plusMs } from '../../../shared/domain/base/time.ts';
import type { LaunchRow } from '../../../shared/domain/scoreboard/launch-row.ts';
import type { JobStore } from '../../../shared/ports/job-store.ts';
import { Agenda } from '../../../shared/simulate/agenda.ts';
import { Moments } from './moments.ts';
import { takeAt } from './post-office.ts';
import type { Random } from '../random.ts';
import type { FaultInjector } from './fault-injector.ts';
import type { About } from '../story.ts';
import type { Fault } from './fault-rates.ts';

export type Kind = 'reconcile' | 'dispatch' | 'sweep' | 'user';

/** One running handler: it may die at any port call, and then nothing of it ever goes on. */
export type Process = {
  /** `reconcile#3` */
  readonly name: string;
  readonly kind: Kind;
  readonly skewMs: number;
  /** what it works on, as far as its messages say */
  readonly about: About;
  dead: boolean;
};

type PendingCall = {
  readonly process: Process;
  readonly port: string;
  readonly method: string;
  readonly args: readonly unknown[];
  readonly perform: () => Promise<unknown>;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
  /** it has taken effect long before it answers */
  isDone: boolean;
};

export type CallsOptions = {
  readonly now: () => EpochMs;
  readonly injector: FaultInjector;
  readonly random: Random;
  readonly die: (process: Process) => void;
  /** Runs `perform` as the act of that process. */
  readonly act: (process: Process, perform: () => Promise<unknown>) => Promise<unknown>;
  readonly tell: (process: Process, what: string, fault: Fault) => void;
  /** Whose rows cannot be read. */
  readonly isDamaged: (uid: string) => boolean;
};

/** The row of a Job cannot be decoded: every reader throws. */
export class DamagedRow extends Error {
  readonly uid: string;
  constructor(uid: string) {
    super(`the row of Job ${uid} cannot be read`);
    this.uid = uid;
  }
}

const TABLE: readonly string[] = ['jobs', 'feed', 'limits', 'objects', 'hosts'];
/** How many of the calls that a throttled table gets it refuses. */
const TABLE_GALE_SHARE = 0.5;
/** RunTask's answer comes so late at most: some handlers do not live to hear it. */
const ANSWER_LATE_MAX_MS = 75_000;

/** Every port call yields; one at a time comes back to its handler, as it should or as the weather has it. */
export class Calls {
  /** Those that may return now, and those that wait for their moment (a sleep, a late answer). */
  #ready: PendingCall[] = [];
  readonly #asleep = new Agenda<PendingCall>();
  readonly #options: CallsOptions;
  /** RunTask calls that have taken effect and have not answered, by uid/index/attempt/nonce. */
  readonly #unanswered = new Map<string, Process>();
  readonly #moments = new Moments();

  constructor(options: CallsOptions) {
    this.#options = options;
  }

  gate<T extends object>(process: Process, port: string, real: T): T {
    return new Proxy(real, {
      get: (target, method: string) => {
        const value: unknown = Reflect.get(target, method);
        if (typeof value !== 'function') return value;
        return (...args: unknown[]) =>
          this.#call(process, port, method, args, async () => Reflect.apply(value, target, args) as unknown, 0);
      },
    });
  }

  sleep(process: Process, ms: number): Promise<unknown> {
    return this.#call(process, 'clock', 'sleep', [], async () => undefined, ms);
  }

  /** Those that have slept long enough may return; whether there is any that may. */
  isReady(): boolean {
    const now = this.#options.now();
    for (let call = this.#asleep.takeDue(now); call !== undefined; call = this.#asleep.takeDue(now))
      this.#ready.push(call);
    return this.#ready.length > 0;
  }

  nextAt(): EpochMs | null {
    return this.#asleep.soonest();
  }

  /** The launch has begun, and RunTask has not answered yet. */
  isUnanswered(launch: string): boolean {
    return this.#unanswered.has(launch);
  }

  /** Nothing that the process waits for ever returns. */
  drop(process: Process): void {
    this.#ready = this.#ready.filter((call) => call.process !== process);
    for (const [launch, whose] of this.#unanswered) if (whose === process) this.#unanswered.delete(launch);
  }

  /** One of those that may return does. */
  async returnOne(): Promise<void> {
    const { random, injector, act } = this.#options;
    const call = takeAt(this.#ready, random.between(0, this.#ready.length - 1));
    const { process } = call;
    if (process.dead) return; // it died in its sleep
    const { crash, lostAnswer } = injector.faultRates;
    if (!call.isDone) {
      if (this.#strikes('crash before', crash / 2, call)) return this.#options.die(process);
      if (this.#isTurnedAway(call)) return;
    }
    const result = await act(process, call.perform).then(
      (value) => ({ ok: true, value }) as const,
      (error: unknown) => ({ ok: false, error }) as const,
    );
    if (result.ok) this.#remember(call, result.value);
    if (this.#strikes('crash after', crash / 2, call)) return this.#options.die(process);
    if (!result.ok) return call.reject(result.error);
    if (this.#answersLater(call, result.value)) return;
    this.#unanswered.delete(launchOf(call));
    if (call.port !== 'clock' && this.#strikes('answer lost', lostAnswer / 2, call))
      return call.reject(new Error(`${call.port}.${call.method}: answer lost`));
    call.resolve(this.#ofAMomentAgo(call, result.value));
  }

  #remember({ port, method, args: [uid] }: PendingCall, value: unknown): void {
    if (port !== 'jobs' || method !== 'writeLaunches') return;
    const written = value as Awaited<ReturnType<JobStore['writeLaunches']>>;
    if (written.kind !== 'written') return;
    this.#moments.written(String(uid), written.row, this.#options.now());
  }

  /** What is read without consistency may be a moment old. */
  #ofAMomentAgo(call: PendingCall, value: unknown): unknown {
    if (call.port !== 'jobs' || call.method !== 'readLaunchRange') return value;
    const { injector, now } = this.#options;
    const stale = this.#moments.stale(String(call.args[0]), value as readonly LaunchRow[], now());
    return stale !== null && this.#strikes('stale read', injector.faultRates.staleRead, call) ? stale : value;
  }

  /** The call has no effect at all. */
  #isTurnedAway(call: PendingCall): boolean {
    const { injector, now, isDamaged } = this.#options;
    const { port, method, args } = call;
    const { lostAnswer, conflict, throttled, stopThrottled, tableThrottled } = injector.faultRates;
    const [uid] = args;
    if (port === 'jobs' && typeof uid === 'string' && isDamaged(uid)) {
      call.reject(new DamagedRow(uid));
      return true;
    }
    if (method.startsWith('commit') && port === 'jobs' && this.#strikes('conflict', conflict, call)) {
      call.resolve({ kind: 'lost' });
      return true;
    }
    if (isPaced(call)) {
      const own = method === 'stop' ? this.#strikes('stop throttled', stopThrottled, call) : false;
      if (own || injector.blows('throttled for minutes', now()) || this.#strikes('throttled', throttled, call)) {
        call.resolve({ kind: 'later', reason: 'Rate exceeded' });
        return true;
      }
    }
    if (port === 'hostnames' && this.#strikes('names throttled', injector.faultRates.namesThrottled, call)) {
      call.resolve({ kind: 'later', reason: 'RequestLimitExceeded' });
      return true;
    }
    if (TABLE.includes(port)) {
      const outage = injector.blows('table throttled for minutes', now(), TABLE_GALE_SHARE);
      if (outage || this.#strikes('table throttled', tableThrottled, call)) {
        call.reject(new Error(`${port}.${method}: ThrottlingException`));
        return true;
      }
    }
    if (port !== 'clock' && this.#strikes('call never arrived', lostAnswer / 2, call)) {
      call.reject(new Error(`${port}.${method}: never arrived`));
      return true;
    }
    return false;
  }

  /** A task has begun, and who has asked for it hears of it later: perhaps after the task's own events. */
  #answersLater(call: PendingCall, value: unknown): boolean {
    const { injector, now } = this.#options;
    if (call.isDone || call.port !== 'tasks' || call.method !== 'run') return false;
    if (!this.#strikes('answer late', injector.faultRates.answerLate, call)) return false;
    const lateMs = injector.luck('answer late').between(500, ANSWER_LATE_MAX_MS);
    this.#unanswered.set(launchOf(call), call.process);
    this.#asleep.add({ ...call, isDone: true, perform: async () => value }, plusMs(now(), lateMs));
    return true;
  }

  #strikes(fault: Fault, probability: number, { process, port, method }: PendingCall): boolean {
    if (!this.#options.injector.strikes(fault, probability)) return false;
    this.#options.tell(process, `${port}.${method}: ${HOW[fault] ?? fault}`, fault);
    return true;
  }

  #call(
    process: Process,
    port: string,
    method: string,
    args: readonly unknown[],
    perform: () => Promise<unknown>,
    afterMs: number,
  ): Promise<unknown> {
    if (process.dead) return new Promise(() => undefined);
    return new Promise((resolve, reject) => {
      const call = { process, port, method, args, perform, resolve, reject, isDone: false };
      if (afterMs > 0) this.#asleep.add(call, plusMs(this.#options.now(), afterMs));
      else this.#ready.push(call);
    });
  }
}

const HOW: Partial<Record<Fault, string>> = {
  'crash before': 'dies before the call',
  'crash after': 'dies after the call took effect',
  'answer late': 'takes effect, and answers later',
  'answer lost': 'takes effect, but throws',
  'stale read': 'shows what was there a moment ago',
  'call never arrived': 'throws, and had no effect',
  conflict: 'refused, though nobody else was first',
};

/** What ECS may put off. */
const isPaced = ({ port, method }: PendingCall): boolean => port === 'tasks' && method !== 'prepare';

function launchOf({ args: [first] }: PendingCall): string {
  const launch = first as { readonly job?: { readonly uid: string }; readonly id?: Attempt } | undefined;
  return launch?.job === undefined || launch.id === undefined ? '' : launchKey(launch.job.uid, launch.id);
}

type Attempt = { readonly index: number; readonly attempt: number; readonly nonce: number };
export const launchKey = (uid: string, { index, attempt, nonce }: Attempt): string =>
  `${uid}/${index}/${attempt}/${nonce}`;
