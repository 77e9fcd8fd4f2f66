import { createHash } from 'node:crypto';
import { createCache } from '../../shared/control/process/cache.ts';
import type { Deps } from '../../shared/control/process/deps.ts';
import { changeSpec, createJob, deleteJob } from '../../shared/control/lifecycle/job-changes.ts';
import { createCapabilityState } from '../../shared/capabilities/lists/process-state.ts';
import { createPacer } from '../../shared/control/process/pacer.ts';
import { createPublisher } from '../../shared/control/process/publisher.ts';
import { type ReconcileRequest, reconcileBatch } from '../../shared/control/reconcile/reconcile.ts';
import { type JobUid, asJobUid, asTaskArn } from '../../shared/domain/base/ids.ts';
import type { Fact } from '../../shared/domain/base/fact.ts';
import { AWS_HOST_LIMITS } from '../../shared/domain/task/host-limits.ts';
import { AWS_TIMING } from '../../shared/domain/base/timing.ts';
import { readJobView } from '../../shared/kube/jobs/job-view.ts';
import type { StoreUnderTest } from '../contract/store-under-test.ts';
import { Random } from '../dst/random.ts';
import { aJob } from './a-job.ts';

const WRITERS = 8;
/** A writer that dies starts anew so often. */
const LIVES = 4;
const ACTIONS = 6;
/** Of a port call, before and after its effect each. */
const CRASH = 0.02;
/** With the largest, a pass or two fold the journal. */
export const SIZES: readonly number[] = [1, 3, 3, 5, 5, 300];

/** Writers on one store that create, change, run and delete Jobs, and may die at each port call. */
export class Crew {
  readonly uids: JobUid[] = [];
  crashes = 0;
  readonly #store: StoreUnderTest;
  readonly #turn: () => Promise<void>;
  readonly #seed: number;
  readonly #sizes: readonly number[];
  readonly #carriedOut = new Set<Promise<unknown>>();
  #actions = 0;

  constructor(seed: number, store: StoreUnderTest, turn: () => Promise<void>, sizes = SIZES) {
    this.#sizes = sizes;
    this.#seed = seed;
    this.#store = store;
    this.#turn = turn;
  }

  /** All writers to the end of their last lives; `acted` hears of each action. */
  async work(acted: (actions: number) => void): Promise<void> {
    await Promise.all(
      Array.from({ length: WRITERS }, async (_, nth) => {
        const random = new Random(this.#seed * WRITERS + nth);
        for (let life = 0; life < LIVES; life++) {
          let die: () => void = () => undefined;
          const death = new Promise<void>((resolve) => (die = resolve));
          const deps = this.#process(random, die);
          await Promise.race([death, this.#live(random, deps, acted)]);
        }
      }),
    );
    await Promise.allSettled(this.#carriedOut); // what the dead have sent arrives all the same
  }

  /** Passes of the sweep's, by somebody who does not die, a while later. */
  async settle(): Promise<void> {
    const deps = this.#process(null, () => undefined);
    for (let n = 0; n < 2; n++) {
      this.#store.clock.advance(2 * 60_000);
      for (const uid of this.uids) await this.#passes([{ uid, facts: [] }], deps);
    }
  }

  async #live(random: Random, deps: Deps, acted: (actions: number) => void): Promise<void> {
    for (let n = 0; n < ACTIONS; n++) {
      const luck = random.next();
      if (luck < 0.2 || this.uids.length === 0) await this.#create(random, deps);
      else if (luck < 0.3) await deleteJob(random.pick(this.uids), deps);
      else if (luck < 0.4) await this.#resize(random, deps);
      else await this.#passes(await this.#looks(random), deps);
      acted(++this.#actions);
      this.#store.clock.advance(random.pick([0, 100, 1_500]));
    }
  }

  async #create(random: Random, deps: Deps): Promise<void> {
    const uid = asJobUid(`uid-${this.uids.length}`);
    this.uids.push(uid);
    const size = random.pick(this.#sizes);
    const name = `job-${random.between(0, 12)}`; // one that is taken, at times
    await createJob(aJob({ uid, name, completions: size, parallelism: size, backoffLimit: 1_000 }), deps);
  }

  async #resize(random: Random, deps: Deps): Promise<void> {
    const parallelism = random.pick(this.#sizes);
    await changeSpec(
      random.pick(this.uids),
      (stored) => ({ ...stored, manifest: { ...stored.manifest, spec: { ...stored.manifest.spec, parallelism } } }),
      deps,
    );
  }

  async #passes(looks: readonly ReconcileRequest[], deps: Deps): Promise<void> {
    for (const result of await reconcileBatch(looks, deps)) if (result.kind === 'threw') throw result.error;
  }

  /** What a batch of messages may report about some Jobs: each of their attempts goes a step on, or not. */
  async #looks(random: Random): Promise<readonly ReconcileRequest[]> {
    const looks: ReconcileRequest[] = [];
    for (let n = random.between(1, 3); n > 0; n--) {
      const uid = random.pick(this.uids);
      const view = await readJobView(uid, this.#store, ({ chunks }) => [...chunks.keys()], 'evenDeleted');
      if (view === null) continue;
      const facts: Fact[] = [];
      for (let index = 0; index < view.board.size; index++) {
        const record = view.board.record(index);
        if (record !== null && random.chance(0.7)) facts.push(...this.#step(index, record, random));
      }
      looks.push({ uid, facts });
    }
    return looks;
  }

  #step(
    index: number,
    { state, attempt, nonce }: { readonly state: string; readonly attempt: number; readonly nonce: number },
    random: Random,
  ): readonly Fact[] {
    const [at, taskArn] = [
      this.#store.clock.now(),
      asTaskArn(`arn:aws:ecs:us-east-1:1:task/muster/${index}-${attempt}-${nonce}`),
    ];
    const id = { index, attempt, nonce };
    if (state === 'claimed' && random.chance(0.2))
      return [{ ...id, kind: 'refused', reason: 'Capacity is unavailable', retryAt: at, at }];
    if (state === 'claimed') return [{ ...id, kind: 'launched', taskArn, at }];
    if (state === 'launched') return [{ ...id, kind: 'running', taskArn, at }];
    if (state !== 'running') return [];
    const cause = random.pick(['Completed', 'Error', 'Spot', 'Stopped'] as const);
    const ending = { cause, exitCode: cause === 'Completed' ? 0 : 1, container: 'main', reason: '' };
    return [{ ...id, kind: 'stopped', taskArn, ending, times: { createdAt: at, startedAt: at, stoppedAt: at }, at }];
  }

  /** A process; null for `random`: it does not die. Once it is dead, no call of its comes back. */
  #process(random: Random | null, die: () => void): Deps {
    let dead = false;
    const strikes = (): boolean => {
      if (random === null || (!dead && !random.chance(CRASH))) return false;
      if (!dead) this.crashes++;
      dead = true;
      die();
      return true;
    };
    const mortal = <T extends object>(port: T): T =>
      new Proxy(port, {
        get: (target, method) => {
          const value: unknown = Reflect.get(target, method);
          if (typeof value !== 'function') return value;
          return async (...args: unknown[]) => {
            await this.#turn();
            if (strikes()) return new Promise(() => undefined);
            const carriedOut = Promise.resolve(Reflect.apply(value, target, args));
            this.#carriedOut.add(carriedOut);
            const result: unknown = await carriedOut;
            await this.#turn();
            return strikes() ? new Promise(() => undefined) : result;
          };
        },
      });
    const { jobs, feed, limits, objects, hosts, items, crons, waiters, clock } = this.#store;
    const ports = { jobs: mortal(jobs), feed: mortal(feed), limits: mortal(limits), objects: mortal(objects) };
    const ticking = { now: clock.now, sleep: async () => undefined };
    const nothing = async (): Promise<void> => undefined;
    return {
      ...ports,
      hosts,
      items,
      crons,
      waiters,
      ports: {},
      tasks: {
        prepare: async () => ({ kind: 'later', reason: 'nobody launches here' }),
        run: async () => ({ kind: 'later', reason: 'nobody launches here' }),
        stop: async () => ({ kind: 'asked' }),
        describe: async () => ({ kind: 'described', tasks: [], missing: [] }),
        listLive: async () => ({ kind: 'listed', taskArns: [], next: null }),
        listStopped: async () => ({ kind: 'listed', taskArns: [], next: null }),
        listOldFamilies: async () => ({ kind: 'listed', families: [], next: null }),
        deregister: async () => ({ kind: 'kept' }),
      },
      queues: mortal({ wake: nothing, wakeCrons: nothing, facts: nothing, dispatch: nothing }),
      clock: ticking,
      telemetry: { count: () => undefined, record: () => undefined, info: () => undefined, warn: () => undefined },
      cache: createCache(),
      publisher: createPublisher({ feed: ports.feed, clock: ticking }),
      pacer: createPacer({ limits: ports.limits, clock: ticking }),
      state: createCapabilityState({ objects: ports.objects, clock: ticking }),
      settings: {
        timing: AWS_TIMING,
        launchesPerSec: null,
        stopsPerSec: null,
        hosts: AWS_HOST_LIMITS,
        historyMs: 30 * 86_400_000,
        announced: null,
      },
      hash: (text) => createHash('sha256').update(text).digest('hex'),
    };
  }
}
