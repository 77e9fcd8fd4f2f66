import { HOURLY_SWEEPS } from '../../../shared/capabilities/lists/sweeps.ts';
import { type Cache, createCache } from '../../../shared/control/process/cache.ts';
import type { Deps } from '../../../shared/control/process/deps.ts';
import { reconcileScheduled } from '../../../shared/runtime/reconcile-scheduled.ts';
import { collectOrphans, sweepCrons } from '../../../shared/control/schedulers/sweep-crons.ts';
import { dispatch } from '../../../shared/control/dispatch/dispatch.ts';
import { type ReconcileRequest, reconcileBatch } from '../../../shared/control/reconcile/reconcile.ts';
import type { OwnerKind } from '../../../shared/domain/kinds/api-kinds.ts';
import { sweepJobs, sweepTasks } from '../../../shared/control/sweep/sweep.ts';
import { retireDefinitions } from '../../../shared/control/sweep/sweep-definitions.ts';
import { FAMILY_PREFIX } from '../../../shared/domain/task/task.ts';
import { type EpochMs, plusMs } from '../../../shared/domain/base/time.ts';
import type { JobUid } from '../../../shared/domain/base/ids.ts';
import { DamagedRow } from '../table/damaged-rows.ts';
import type { Kind, Process } from './calls.ts';
import { type Letter, indexesOf, jobsOf, requestText, orderText } from '../in-words.ts';
import type { Law } from '../checks/law.ts';
import type { Mail } from './mail.ts';
import type { Message, Mailbox } from './post-office.ts';
import type { Random } from '../random.ts';
import type { FaultInjector } from './fault-injector.ts';
import type { About } from '../story.ts';
import type { Fault } from './fault-rates.ts';

/** At most so many handlers of a kind at once. */
const AT_ONCE: Record<Kind, number> = { reconcile: 3, dispatch: 3, sweep: 1, user: 8 };
const VISIBILITY_MS: Record<'reconcile' | 'dispatch', number> = { reconcile: 30_000, dispatch: 60_000 };
/** Lambda ends a handler that is not through by then. */
const TIMEOUT_MS: Record<Kind, number> = { reconcile: 30_000, dispatch: 60_000, sweep: 55_000, user: 29_000 };
const SWEEP_EVERY_MS = 60_000;
const SWEEPS_AN_HOUR = 60;

export type HandlersOptions = {
  readonly now: () => EpochMs;
  readonly random: Random;
  readonly injector: FaultInjector;
  readonly mail: Mail;
  readonly law: Law;
  /** Whose Jobs are looked for when they are gone. */
  readonly owners: readonly OwnerKind[];
  /** What the minute's sweep does for parts of the world and for a play. */
  readonly everyMinute: readonly ((deps: Deps) => Promise<unknown>)[];
  readonly depsOf: (process: Process, cache: Cache) => Deps;
  /** A handler has thrown, as it may in such weather. */
  readonly threw: (error: unknown) => void;
  readonly at: (moment: EpochMs, then: () => void) => void;
  readonly ended: (process: Process) => void;
  readonly isDamaged: (uid: JobUid) => boolean;
  readonly tell: (process: Process, what: string, fault?: Fault) => void;
};

/** Lambda, as far as handlers can tell: starts them for messages and minutes, in processes that remember, and may end any of them. */
export class Handlers {
  nextSweepAt: EpochMs;
  readonly #options: HandlersOptions;
  readonly #processes = new Set<Process>();
  readonly #running: Record<Kind, number> = { reconcile: 0, dispatch: 0, sweep: 0, user: 0 };
  readonly #started: Record<Kind, number> = { reconcile: 0, dispatch: 0, sweep: 0, user: 0 };
  readonly #caches: Cache[] = [createCache(), createCache(), createCache()];
  readonly #cacheOf = new WeakMap<Process, Cache>();
  readonly #downUntil = new Map<Kind, EpochMs>();
  #sweeps = 0;

  constructor(options: HandlersOptions) {
    this.#options = options;
    this.nextSweepAt = plusMs(options.now(), SWEEP_EVERY_MS);
  }

  /** A handler of its own for a user's call; it may die like any other. */
  user(what: string, about: About, work: (deps: Deps) => Promise<unknown>): void {
    this.#start('user', what, about, work, () => undefined);
  }

  /** Those of a kind die and do not start again before `until`. */
  breakDown(kind: Kind, until: EpochMs): void {
    for (const process of this.#processes) if (process.kind === kind) this.die(process);
    this.#downUntil.set(kind, until);
  }

  /** When what is out of order works again. */
  upAt(): readonly EpochMs[] {
    return [...this.#downUntil.values()];
  }

  die(process: Process): void {
    process.dead = true;
    this.#end(process);
    const cacheNo = this.#caches.findIndex((cache) => this.#cacheOf.get(process) === cache);
    if (cacheNo >= 0) this.#caches[cacheNo] = createCache();
  }

  /** Whatever may start now. */
  startable(): (() => void)[] {
    const { now, mail } = this.#options;
    const startable: (() => void)[] = [];
    const free = (kind: Kind): boolean =>
      this.#running[kind] < AT_ONCE[kind] && (this.#downUntil.get(kind) ?? now()) <= now();
    if (free('reconcile') && mail.facts.isDue(now())) startable.push(() => this.#startReconcile(mail.facts, 100));
    if (free('reconcile') && mail.wakes.isDue(now())) startable.push(() => this.#startReconcile(mail.wakes, 10));
    if (free('reconcile') && mail.crons.isDue(now())) startable.push(() => this.#startCron());
    if (free('dispatch') && mail.dispatches.isDue(now())) startable.push(() => this.#startDispatch());
    if (free('sweep') && this.nextSweepAt <= now()) startable.push(() => this.#startSweep());
    return startable;
  }

  #startReconcile(box: Mailbox<ReconcileRequest>, max: number): void {
    const letters = this.#receive(box, max, VISIBILITY_MS.reconcile);
    const requests = letters.map(({ body }) => body);
    const indexes = requests.some(({ facts }) => facts.length === 0)
      ? null
      : requests.flatMap(({ facts }) => facts.map(({ index }) => index));
    this.#start(
      'reconcile',
      () => `has ${requests.map(requestText).join('; ')}`,
      { uids: requests.map(({ uid }) => uid), indexes, isMinor: indexes === null },
      async (deps) => {
        const results = await reconcileBatch(requests, deps);
        for (const result of results) if (result.kind === 'threw') this.#threw(result.error, [result.uid]);
        return new Set(results.filter(({ kind }) => kind === 'threw').map(({ uid }) => uid));
      },
      (failed) => {
        for (const letter of letters)
          if (!(failed instanceof Set && failed.has(letter.body.uid))) this.#remove(box, letter);
      },
    );
  }

  #startCron(): void {
    const box = this.#options.mail.crons;
    const letters = this.#receive(box, 1, VISIBILITY_MS.reconcile);
    this.#start(
      'reconcile',
      'looks at the CronJob',
      { uids: null, indexes: null },
      async (deps) => {
        for (const { body } of letters) await reconcileScheduled(body, deps);
      },
      () => {
        for (const letter of letters) this.#remove(box, letter);
      },
    );
  }

  #startDispatch(): void {
    const box = this.#options.mail.dispatches;
    const letters = this.#receive(box, 10, VISIBILITY_MS.dispatch);
    const orders = letters.map(({ body }) => body);
    const known = orders.flatMap((order) => indexesOf(order) ?? []);
    this.#start(
      'dispatch',
      () => `is to ${orders.map(orderText).join('; ')}`,
      {
        uids: orders.some((order) => jobsOf(order) === null) ? null : orders.flatMap((order) => jobsOf(order) ?? []),
        indexes: orders.every((order) => indexesOf(order) !== null) ? known : null,
      },
      async (deps) => {
        const done = await Promise.allSettled(orders.map((order) => dispatch(order, deps)));
        for (const [i, result] of done.entries())
          if (result.status === 'rejected')
            this.#threw(result.reason, orders[i] === undefined ? [] : (jobsOf(orders[i]) ?? []));
        return letters.filter((_, i) => done[i]?.status === 'fulfilled');
      },
      (done) => {
        for (const letter of letters) if (Array.isArray(done) && done.includes(letter)) this.#remove(box, letter);
      },
    );
  }

  #startSweep(): void {
    this.nextSweepAt = plusMs(this.#options.now(), SWEEP_EVERY_MS);
    const { injector, everyMinute } = this.#options;
    const everything = injector.strikes('runtime started', injector.faultRates.started);
    const isHourly = this.#sweeps++ % SWEEPS_AN_HOUR === SWEEPS_AN_HOUR - 1;
    this.#start(
      'sweep',
      `goes through all Jobs ${everything ? 'and looks everything up' : 'that are due'}${isHourly ? ', and all tasks' : ''}`,
      { uids: null, indexes: null, isMinor: true },
      async (deps) => {
        await sweepCrons(deps);
        await sweepJobs({ everything }, deps);
        for (const sweep of everyMinute) await sweep(deps);
        if (!isHourly) return;
        await sweepTasks({ after: null }, deps);
        await retireUnused(deps);
        for (const sweep of HOURLY_SWEEPS) await sweep(deps);
        await collectOrphans(deps, this.#options.owners);
      },
      () => undefined,
    );
  }

  #receive<T extends Letter>(box: Mailbox<T>, max: number, hiddenMs: number): readonly Message<T>[] {
    const { now, random, mail, isDamaged } = this.#options;
    const letters = box.receive(max, now(), hiddenMs, (count) => random.between(0, count - 1));
    for (const { body } of letters) if (jobsOf(body)?.some(isDamaged) === true) mail.poison.received++;
    return letters;
  }

  /** What was processed is removed; nobody can have processed a message about a Job whose rows cannot be read. */
  #remove<T extends Letter>(box: Mailbox<T>, letter: Message<T>): void {
    const { law, injector, isDamaged } = this.#options;
    for (const uid of jobsOf(letter.body) ?? [])
      law.forbid(isDamaged(uid), 'G9', () => 'a message that cannot be processed is taken for done', { uid });
    if (!injector.strikes('delete lost', injector.faultRates.lostAnswer / 2)) box.remove(letter);
  }

  /** One message's trouble is its own. */
  #threw(error: unknown, uids: readonly JobUid[]): void {
    const { law, threw } = this.#options;
    const harms = error instanceof DamagedRow && !uids.some((uid) => uid === error.uid);
    law.forbid(harms, 'G9', () => `what is wrong with another Job fails Job ${uids.join(', ')}: ${String(error)}`);
    threw(error);
  }

  #start(
    kind: Kind,
    what: string | (() => string),
    about: About,
    work: (deps: Deps) => Promise<unknown>,
    done: (result: unknown) => void,
  ): void {
    const { injector, random, depsOf, tell, at, now } = this.#options;
    const skew = injector.allows('clock skewed') ? injector.faultRates.clockSkewMaxMs : 0;
    const skewMs = random.between(-skew, skew);
    if (skewMs !== 0) injector.struck('clock skewed');
    const process: Process = { name: `${kind}#${++this.#started[kind]}`, kind, skewMs, about, dead: false };
    tell(process, typeof what === 'string' ? what : what());
    this.#running[kind]++;
    this.#processes.add(process);
    const cache = random.pick(this.#caches);
    this.#cacheOf.set(process, cache);
    at(plusMs(now(), TIMEOUT_MS[kind]), () => this.#timeOut(process));
    work(depsOf(process, cache)).then(
      (result) => {
        if (process.dead) return;
        this.#end(process);
        done(result);
      },
      (error: unknown) => {
        if (process.dead) return;
        this.#end(process);
        this.#threw(error, []);
      },
    );
  }

  #timeOut(process: Process): void {
    if (!this.#processes.has(process)) return;
    this.#options.injector.struck('timed out');
    this.#options.tell(process, 'is not through in time, and ends', 'timed out');
    this.die(process);
  }

  #end(process: Process): void {
    this.#running[process.kind]--;
    this.#processes.delete(process);
    this.#options.ended(process);
  }
}

/** As if every definition were old: what no Job uses by now is deregistered, and some Job may need it the next moment. */
async function retireUnused(deps: Deps): Promise<void> {
  const before = deps.clock.now();
  const page = await deps.tasks.listOldFamilies({ prefix: FAMILY_PREFIX, before, after: null });
  if (page.kind === 'listed') await retireDefinitions({ families: page.families, before, after: null }, deps);
}
