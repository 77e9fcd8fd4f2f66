import { expect, test } from 'vitest';
import { type MemoryHostnames, createMemoryHostnames } from '../memory-hostnames.ts';
import { sweepHosts, sweepStrangeNames } from '../../control/hosts-sweep.ts';
import { createJob, deleteJob } from '../../../../control/lifecycle/job-changes.ts';
import { asJobUid, taskIdOf } from '../../../../domain/base/ids.ts';
import type { Handler } from '../../../../../test/support/a-handler.ts';
import { aJob } from '../../../../../test/support/a-job.ts';
import { openNamespace } from '../../../../../test/support/a-namespace.ts';
import { BAD, Stage } from '../../../../../test/support/a-stage.ts';

// A process dies at its n-th call of a port, before or after the call, for every n. Its messages are lost for good, the
// worst case. The sweeps, in another process, must repair the names.

const UID = asJobUid('uid-1');
const NAMED = { uid: UID, name: 'train', subdomain: 'workers', completions: 2, parallelism: 2 };

class Death extends Error {}

type Scene = { readonly stage: Stage; readonly dns: MemoryHostnames; readonly mortal: Handler };

/** Makes the `nth` call of any port from now on the last one of this process. */
function dieAt(handler: Handler, nth: number, where: 'before' | 'behind'): () => number {
  let calls = 0;
  const names = ['jobs', 'feed', 'limits', 'hosts', 'objects', 'tasks', 'queues'] as const;
  const watch = (port: object): object =>
    new Proxy(port, {
      get: (target, method) => {
        const value: unknown = Reflect.get(target, method);
        if (typeof value !== 'function') return value;
        return async (...args: unknown[]) => {
          calls++;
          if (calls > nth || (calls === nth && where === 'before')) throw new Death();
          const result: unknown = await Reflect.apply(value, target, args);
          if (calls === nth) throw new Death();
          return result;
        };
      },
    });
  for (const name of names) Object.assign(handler.deps, { [name]: watch(handler.deps[name]) });
  const { hostnames } = handler.deps.ports;
  if (hostnames !== undefined) Object.assign(handler.deps.ports, { hostnames: watch(hostnames) });
  return () => calls;
}

async function unlessDead(work: () => Promise<unknown>): Promise<void> {
  await work().catch((error: unknown) => {
    if (!(error instanceof Death)) throw error;
  });
}

/** Time continues with another process and the sweeps. */
async function goOn({ stage }: Scene, minutes: number): Promise<void> {
  const handler = stage.handler();
  for (let minute = 0; minute < minutes; minute++) {
    for (let second = 0; second < 60; second += 5) {
      stage.advance(5_000);
      await stage.settle(handler);
    }
    await stage.sweep(handler);
    await sweepHosts(handler.deps);
    await stage.settle(handler);
  }
}

/** Every name belongs to its running task, and to no other. */
async function expectRight({ stage, dns }: Scene): Promise<void> {
  for (const index of [0, 1]) {
    const running = stage.started(UID, index).filter((task) => task.stage === 'running');
    const found = dns.lookUp(`train-${index}.workers.default`);
    expect([...found], `names of index ${index}`).toEqual(running.map((task) => [taskIdOf(task.arn), task.privateIp]));
    expect(running).toHaveLength(1);
  }
}

async function expectNothingLeft({ stage, dns }: Scene): Promise<void> {
  expect(await stage.store.hosts.listHosts(UID)).toEqual([]);
  expect(await stage.store.hosts.reservations()).toEqual([]);
  expect(dns.names()).toEqual([]);
}

type Act = {
  readonly name: string;
  /** The initial state. */
  readonly before: (scene: Scene) => Promise<void>;
  /** The work of the dying process, in pieces, so that one message is lost and not everything. */
  readonly work: (scene: Scene) => Promise<void>;
  readonly after: (scene: Scene) => Promise<void>;
};

const create = async ({ stage }: Scene, handler: Handler): Promise<void> => {
  await openNamespace(stage.store.objects, 'default', stage.time);
  await createJob(aJob(NAMED), handler.deps);
};
const running = async (scene: Scene): Promise<void> => {
  const handler = scene.stage.handler();
  await create(scene, handler);
  await scene.stage.settle(handler);
  scene.stage.advance(1_000);
  await scene.stage.settle(handler);
};
/** The dying process takes the waiting messages, which are then gone. */
const workOff = async ({ stage, mortal }: Scene): Promise<void> => {
  for (let round = 0; round < 6; round++) {
    await unlessDead(async () => mortal.pass(...stage.takeRequests()));
    await unlessDead(async () => mortal.dispatch(stage.takeDispatches()));
  }
};

const ACTS: readonly Act[] = [
  {
    name: 'a Job that is being created',
    before: async () => undefined,
    work: async (scene) => unlessDead(async () => create(scene, scene.mortal)),
    async after(scene) {
      await goOn(scene, 8);
      const isThere = (await scene.stage.store.jobs.readStatus(UID)) !== null;
      await (isThere ? expectRight(scene) : expectNothingLeft(scene));
    },
  },
  {
    name: 'the creation of names, and launches of tasks',
    before: async (scene) => create(scene, scene.stage.handler()),
    work: workOff,
    async after(scene) {
      await goOn(scene, 5);
      await expectRight(scene);
    },
  },
  {
    name: 'the registration of tasks',
    async before(scene) {
      const handler = scene.stage.handler();
      await create(scene, handler);
      await scene.stage.settle(handler);
      scene.stage.advance(1_000);
    },
    work: workOff,
    async after(scene) {
      await goOn(scene, 5);
      await expectRight(scene);
    },
  },
  {
    name: 'a task that fails, and the next one',
    async before(scene) {
      scene.stage.fate = { ...scene.stage.fate, runMs: 5_000, ending: BAD };
      await running(scene);
      scene.stage.fate = { ...scene.stage.fate, runMs: 86_400_000 };
      scene.stage.advance(5_000);
    },
    async work(scene) {
      await workOff(scene);
      for (let second = 0; second < 60; second += 10) {
        scene.stage.advance(10_000);
        await workOff(scene);
      }
    },
    async after(scene) {
      await goOn(scene, 8);
      await expectRight(scene);
    },
  },
  {
    name: 'names of a Job that has ended',
    async before(scene) {
      scene.stage.fate = { ...scene.stage.fate, runMs: 5_000 };
      await running(scene);
      scene.stage.advance(5_000);
    },
    work: workOff,
    async after(scene) {
      await goOn(scene, 8);
      await expectNothingLeft(scene);
    },
  },
  {
    name: 'the creation of names for a Job that is then deleted',
    before: async (scene) => create(scene, scene.stage.handler()),
    work: workOff,
    async after(scene) {
      await deleteJob(UID, scene.stage.handler().deps);
      await goOn(scene, 8);
      // The only thing that no row records: a service whose creator died before recording it.
      await sweepStrangeNames(scene.stage.handler().deps);
      await expectNothingLeft(scene);
    },
  },
  {
    name: 'a Job that is being deleted',
    before: running,
    async work(scene) {
      await unlessDead(async () => deleteJob(UID, scene.mortal.deps));
      await workOff(scene);
    },
    async after(scene) {
      await deleteJob(UID, scene.stage.handler().deps); // the user sees whether it was stored, and retries
      await goOn(scene, 8);
      await expectNothingLeft(scene);
    },
  },
];

test.each(ACTS)('$name: the process may die at any call', async ({ before, work, after }) => {
  expect.hasAssertions();
  for (const where of ['before', 'behind'] as const) {
    for (let nth = 1; ; nth++) {
      const stage = new Stage();
      const dns = createMemoryHostnames({ zone: 'muster.internal' });
      stage.ports = { hostnames: dns };
      stage.fate = { ...stage.fate, runMs: 86_400_000 };
      const scene: Scene = { stage, dns, mortal: stage.handler() };
      await before(scene);
      const calls = dieAt(scene.mortal, nth, where);
      await work(scene);
      const died = calls() >= nth;
      try {
        await after(scene);
      } catch (error) {
        throw new Error(`died ${where} call ${nth}: ${scene.mortal.calls.slice(-3).join(', ')}`, { cause: error });
      }
      if (!died) break;
    }
  }
});
