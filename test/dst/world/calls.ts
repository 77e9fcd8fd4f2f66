import { type EpochMs, plusMs } from '../../../shared/domain/base/time.ts';
import { Agenda } from '../../../shared/domain/base/agenda.ts';
import { takeAt } from './post-office.ts';
import type { Random } from '../random.ts';
import type { FaultInjector } from './fault-injector.ts';
import { rowsText } from '../table/rows-text.ts';
import type { About } from '../story.ts';
import type { Fault } from './fault-rates.ts';

export type Kind = 'reconcile' | 'dispatch' | 'sweep' | 'user';

/** One running handler: it may die at any request and any call, and then nothing of it ever goes on. */
export type Process = {
  /** `reconcile#3` */
  readonly name: string;
  readonly kind: Kind;
  readonly skewMs: number;
  /** what it works on, as far as its messages say */
  readonly about: About;
  dead: boolean;
};

/** A call of a store's method: its program makes requests, one after the other. */
export type Invocation = {
  /** `jobs.commitPass` */
  readonly name: string;
  /** Its process knows that it has failed, although it goes on: see {@link Calls.request}. */
  isLost: boolean;
  readonly fail: (error: unknown) => void;
  /** What is asked for next belongs to it. */
  readonly resume: () => void;
};

/** One request to the table, by its kind. */
export type RequestKind = 'get' | 'range' | 'write' | 'transact' | 'batch' | 'alarms' | 'pause';

/** How often a process could have died, before and after what it asked for. */
export type CrashPoints = {
  /** Requests to the table. */
  readonly requests: number;
  /** Calls of the store's methods that made them. */
  readonly methods: number;
  /** Calls of other ports. */
  readonly calls: number;
};

type PendingCall = {
  readonly process: Process;
  /** `rows`: the call is a request to the table. */
  readonly port: string;
  readonly method: string;
  readonly args: readonly unknown[];
  readonly perform: () => Promise<unknown>;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
  /** Of a request: for what, and `args` is the request. */
  readonly invocation: Invocation | null;
  /** it has taken effect long before it answers */
  isDone: boolean;
};

export type CallsOptions = {
  readonly now: () => EpochMs;
  readonly injector: FaultInjector;
  readonly random: Random;
  readonly die: (process: Process) => void;
  /** What happens in this step is the act of that process. */
  readonly acts: (process: Process) => void;
  readonly tell: (process: Process, what: string, fault: Fault) => void;
};

/** RunTask's answer comes so late at most: some handlers do not live to hear it. */
const ANSWER_LATE_MAX_MS = 75_000;

/** One for each who waits: a promise holds on to those. */
export const never = (): Promise<never> => new Promise(() => undefined);

/**
 * Every request to the table and every call of another port yields; one at a time is carried out and comes back to its handler, as
 * it should or as the weather has it. Each is a place where its process may die, and where others come between.
 */
export class Calls {
  readonly crashPoints: { -readonly [What in keyof CrashPoints]: number } = { requests: 0, methods: 0, calls: 0 };
  /** Those that may return now, and those that wait for their moment (a sleep, a late answer). */
  #ready: PendingCall[] = [];
  readonly #asleep = new Agenda<PendingCall>();
  readonly #options: CallsOptions;
  /** RunTask calls that have taken effect and have not answered, by uid/index/attempt/nonce. */
  readonly #unanswered = new Map<string, Process>();
  /** The request that is being carried out: what the table does is its process's luck. Watchers read in calm weather. */
  #acting: PendingCall | null = null;
  /** The SDK has sent it twice: what the second one is refused for is the effect of the first. */
  #isRepeated = false;

  constructor(options: CallsOptions) {
    this.#options = options;
  }

  /** Each call of the port is one step of the process that `runner` gives. */
  gate<T extends object>(runner: () => Process, port: string, real: T): T {
    return eachMethod(real, (method, value) => (...args) => {
      const process = runner();
      if (process.dead) return never();
      return this.#wait({ process, port, method, args, invocation: null }, async () => value(...args), 0);
    });
  }

  /**
   * A request of a store's method. If it takes effect and its process dies, or hears of an error, the program all the same gets the
   * true answer, so that who watches the method learns what it has done, provided that this was all that it had to do: what else it
   * asks for is never answered, or fails. Its process gets nothing of that ({@link Container}).
   */
  request(
    process: Process,
    invocation: Invocation,
    method: RequestKind,
    request: unknown,
    perform: () => Promise<unknown>,
    afterMs = 0,
  ): Promise<unknown> {
    if (process.dead) return never();
    if (invocation.isLost) return Promise.reject(new Error(`${invocation.name}: has failed`));
    return this.#wait({ process, port: 'rows', method, args: [request], invocation }, perform, afterMs);
  }

  sleep(process: Process, ms: number): Promise<unknown> {
    if (process.dead) return never();
    return this.#wait(
      { process, port: 'clock', method: 'sleep', args: [], invocation: null },
      async () => undefined,
      ms,
    );
  }

  /** Whether a fault of the table strikes the request that is being carried out. */
  meets(fault: Fault, probability: number): boolean {
    return this.#acting !== null && this.#strikes(fault, probability, this.#acting);
  }

  /** The request that is being carried out, which was one, is sent once more. */
  repeats(probability: number): boolean {
    this.#isRepeated = this.meets('request repeated', probability);
    return this.#isRepeated;
  }

  /** The request of a process that is being carried out; null: a watcher's, if any. */
  get acting(): object | null {
    return this.#acting;
  }

  /** It may be carried out in part: it reads several rows by their keys, or writes them without conditions. */
  get isOfSeveral(): boolean {
    const { method = '', args = [] } = this.#acting ?? {};
    const [rows] = args;
    return (method === 'get' || method === 'batch') && Array.isArray(rows) && rows.length > 1;
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
    const { random, injector } = this.#options;
    const call = takeAt(this.#ready, random.between(0, this.#ready.length - 1));
    const { process, invocation } = call;
    if (process.dead) return; // it died in its sleep
    const { crash, lostAnswer } = injector.faultRates;
    invocation?.resume();
    if (!call.isDone) {
      if (isAnswered(call)) this.crashPoints[invocation === null ? 'calls' : 'requests']++;
      if (this.#strikes('crash before', crash / 2, call)) return this.#options.die(process);
      if (this.#isTurnedAway(call)) return;
    }
    const result = await this.#carryOut(call);
    const hasEffect = invocation !== null && result.ok && (this.#isRepeated || isEffect(call, result.value));
    if (this.#strikes('crash after', crash / 2, call)) {
      this.#options.die(process);
      return hasEffect ? call.resolve(result.value) : undefined;
    }
    if (!result.ok) return call.reject(result.error);
    if (this.#answersLater(call, result.value)) return;
    this.#unanswered.delete(launchOf(call));
    if (isAnswered(call) && this.#strikes('answer lost', lostAnswer / 2, call)) {
      const error = new Error(`${textOf(call)}: answer lost`);
      if (!hasEffect) return call.reject(error);
      invocation.isLost = true;
      invocation.fail(error);
    }
    call.resolve(result.value);
  }

  /** The table does its part before this returns. */
  #carryOut(call: PendingCall) {
    this.#isRepeated = false;
    this.#acting = call.invocation === null ? null : call;
    this.#options.acts(call.process);
    const carriedOut = call.perform();
    this.#acting = null;
    return carriedOut.then(
      (value) => ({ ok: true, value }) as const,
      (error: unknown) => ({ ok: false, error }) as const,
    );
  }

  /** The call has no effect at all. */
  #isTurnedAway(call: PendingCall): boolean {
    const { injector, now } = this.#options;
    const { port, method } = call;
    const { lostAnswer, throttled, stopThrottled } = injector.faultRates;
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
    if (isAnswered(call) && this.#strikes('call never arrived', lostAnswer / 2, call)) {
      call.reject(new Error(`${textOf(call)}: never arrived`));
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

  #strikes(fault: Fault, probability: number, call: PendingCall): boolean {
    if (!this.#options.injector.strikes(fault, probability)) return false;
    this.#options.tell(call.process, `${textOf(call)}: ${HOW[fault] ?? fault}`, fault);
    return true;
  }

  #wait(
    call: Pick<PendingCall, 'process' | 'port' | 'method' | 'args' | 'invocation'>,
    perform: () => Promise<unknown>,
    afterMs: number,
  ): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const { process, port, method, args, invocation } = call;
      const pending = { process, port, method, args, invocation, perform, resolve, reject, isDone: false };
      if (afterMs > 0) this.#asleep.add(pending, plusMs(this.#options.now(), afterMs));
      else this.#ready.push(pending);
    });
  }
}

type Method = (...args: readonly unknown[]) => unknown;

/** The same port, each method replaced. */
export function eachMethod<T extends object>(real: T, replaced: (name: string, method: Method) => Method): T {
  return Object.fromEntries(
    Object.entries(real).map(([name, value]) => [
      name,
      typeof value === 'function' ? replaced(name, value as Method) : (value as unknown),
    ]),
  ) as T;
}

/** Nobody answers a sleeper. */
const isAnswered = ({ port, method }: PendingCall): boolean => port !== 'clock' && method !== 'pause';

/** Whether a request has changed rows. */
const isEffect = ({ method }: PendingCall, answer: unknown): boolean =>
  method === 'batch' || ((method === 'write' || method === 'transact') && answer === null);

/** `queues.wake`, or `jobs.commitPass: write JOB#… STATUS`. */
function textOf({ port, method, args, invocation }: PendingCall): string {
  if (invocation === null) return `${port}.${method}`;
  return `${invocation.name}: ${method} ${rowsText(args[0])}`;
}

const HOW: Partial<Record<Fault, string>> = {
  'crash before': 'dies before it',
  'crash after': 'dies after it took effect',
  'answer late': 'takes effect, and answers later',
  'answer lost': 'takes effect, but throws',
  'stale read': 'shows what was there a moment ago',
  'call never arrived': 'throws, and had no effect',
  conflict: 'refused, as if another transaction were in progress',
  'request repeated': 'sent twice, and only the second is answered',
  'row left out': 'does not do all of it',
  'short page': 'ends its page early',
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
