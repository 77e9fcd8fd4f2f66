import { expect, test } from 'vitest';
import { createJob, changeSpec, deleteJob } from '../../../../control/lifecycle/job-changes.ts';
import { sweepQuotas } from '../../control/sweep-quotas.ts';
import type { JobUid } from '../../../../domain/base/ids.ts';
import { invariant } from '../../../../domain/base/invariant.ts';
import { countedFor } from '../../domain/quota-keys.ts';
import type { JobManifestSpec } from '../../../../domain/manifests/manifest.ts';
import { Random } from '../../../../../test/dst/random.ts';
import { Handler } from '../../../../../test/support/a-handler.ts';
import { aJob } from '../../../../../test/support/a-job.ts';
import { openNamespace } from '../../../../../test/support/a-namespace.ts';
import { DONE, Stage } from '../../../../../test/support/a-stage.ts';
import { draws } from '../../../../../test/verify/draws.ts';
import { aQuota, quotaOf, usageOfAll } from './a-quota.ts';

// Several processes create, resize, suspend, resume, delete, and count Jobs at once, in any order of their calls, and die at any of
// them. What is used is never too low, what Jobs may use is never more than the quota, and nothing stays reserved.

const HARD = { pods: '12', 'count/jobs.batch': '5' };
const NAMES = ['a', 'b', 'c', 'd', 'e', 'f', 'g'];
const PROCESSES = 3;
const ROUNDS = 12;
const PLENTY_MS = 1_000_000;

/** Whose turn it is: every call of a port waits for it. */
class Turns {
  readonly #waiting: { readonly process: Mortal; readonly go: () => void }[] = [];

  async wait(process: Mortal): Promise<void> {
    return new Promise((go) => this.#waiting.push({ process, go }));
  }

  /** Lets calls go, one after the other, until all of `works` are through, or dead. */
  async play(works: readonly Work[], random: Random): Promise<void> {
    while (works.some(({ isDone, process }) => !isDone && !process.isDead)) {
      const alive = this.#waiting.filter(({ process }) => !process.isDead);
      if (alive.length > 0) {
        const next = random.pick(alive);
        this.#waiting.splice(this.#waiting.indexOf(next), 1);
        if (random.chance(0.01)) next.process.isDead = true;
        else next.go();
      }
      await new Promise((resolve) => setImmediate(resolve));
    }
  }
}

type Work = { readonly process: Mortal; isDone: boolean };

/** A process that waits for its turn before each call, and behind it. */
class Mortal {
  isDead = false;
  readonly handler: Handler;

  constructor(stage: Stage, turns: Turns) {
    const { tasks, store, mail } = stage;
    const slow = <T extends object>(port: T): T =>
      new Proxy(port, {
        get: (target, method) => {
          const value: unknown = Reflect.get(target, method);
          if (typeof value !== 'function') return value;
          return async (...args: unknown[]) => {
            await turns.wait(this);
            const result: unknown = await Reflect.apply(value, target, args);
            await turns.wait(this);
            return result;
          };
        },
      });
    const ports = { ...store, jobs: slow(store.jobs), objects: slow(store.objects), tasks, queues: mail.queues };
    this.handler = new Handler(ports, () => stage.time, 0);
    Object.assign(this.handler.deps.clock, { sleep: async () => turns.wait(this) });
  }
}

class World {
  readonly stage = new Stage();
  readonly turns = new Turns();
  readonly #random: Random;
  readonly #uids: JobUid[] = [];
  #processes: Mortal[];

  constructor(random: Random) {
    this.#random = random;
    this.stage.fate = { startMs: 500, runMs: 4_000, stopMs: 500, ending: DONE };
    this.#processes = Array.from({ length: PROCESSES }, () => new Mortal(this.stage, this.turns));
  }

  async round(): Promise<void> {
    const works = Array.from({ length: this.#random.between(1, 5) }, () => this.#begin());
    await this.turns.play(works, this.#random);
    this.#processes = this.#processes.map((each) => (each.isDead ? new Mortal(this.stage, this.turns) : each));
  }

  #begin(): Work {
    const process = this.#random.pick(this.#processes);
    const work: Work = { process, isDone: false };
    void this.#act(process.handler).finally(() => (work.isDone = true));
    return work;
  }

  async #act(handler: Handler): Promise<unknown> {
    const random = this.#random;
    const { deps } = handler;
    const kind = random.between(0, 9);
    if (kind <= 3 || this.#uids.length === 0) {
      const spec = aJob({
        uid: `uid-${this.#uids.length}`,
        name: random.pick(NAMES),
        parallelism: random.between(1, 6),
        completions: random.between(1, 9),
        suspend: random.chance(0.3),
      });
      this.#uids.push(spec.identity.uid);
      return createJob(spec, deps);
    }
    const uid = random.pick(this.#uids);
    if (kind === 4) return changed(uid, handler, { parallelism: random.between(1, 6) });
    if (kind === 5) {
      const completions = random.between(1, 9);
      return changed(uid, handler, { completions, parallelism: completions });
    }
    if (kind === 6) return changed(uid, handler, { suspend: random.chance(0.4) });
    if (kind === 7) return deleteJob(uid, deps);
    if (kind === 8) return sweepQuotas(deps, PLENTY_MS);
    this.stage.advance(random.between(500, 9_000));
    const [requests, messages] = [this.stage.takeRequests(), this.stage.takeDispatches()];
    await handler.pass(...requests);
    return handler.dispatch(messages);
  }
}

const changed = async (uid: JobUid, { deps }: Handler, change: Partial<JobManifestSpec>) =>
  changeSpec(
    uid,
    (stored) => ({ ...stored, manifest: { ...stored.manifest, spec: { ...stored.manifest.spec, ...change } } }),
    deps,
  );

async function check({ stage: { store } }: World): Promise<void> {
  const { hard, used } = await quotaOf(store.objects);
  const real = await usageOfAll(store.jobs);
  for (const key of ['pods', 'count/jobs.batch'] as const) {
    expect(real[countedFor(key)], `${key} within the quota`).toBeLessThanOrEqual(hard[key] ?? 0);
    expect(used[key], `${key} not too low`).toBeGreaterThanOrEqual(real[countedFor(key)]);
  }
}

test('what is used is never too low, never too much is used, and nothing stays reserved', async () => {
  const refused = { count: 0 };
  for (let seed = 1; seed <= draws(400); seed++) {
    const world = new World(new Random(seed));
    const { stage } = world;
    await openNamespace(stage.store.objects);
    await aQuota(stage.handler().deps, HARD);
    for (let round = 0; round < ROUNDS; round++) {
      await world.round();
      await check(world).catch((error: unknown) => {
        throw new Error(`seed ${seed}, round ${round}`, { cause: error });
      });
    }
    for (let minute = 0; minute < 2; minute++) {
      stage.advance(60_000);
      await sweepQuotas(stage.handler().deps, PLENTY_MS);
    }
    const { used, ledger } = await quotaOf(stage.store.objects);
    const real = await usageOfAll(stage.store.jobs);
    expect(used, `seed ${seed}`).toEqual({ pods: real.pods, 'count/jobs.batch': real.jobs });
    expect(ledger.open, `seed ${seed}`).toEqual([]);
    if (real.jobs === 5) refused.count++;
  }
  invariant(refused.count > 0, 'the quota is full now and then');
});
