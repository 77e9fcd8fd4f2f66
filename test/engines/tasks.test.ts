import { expect } from 'vitest';
import { asEpochMs, type EpochMs } from '../../shared/domain/base/time.ts';
import { asTaskArn, type TaskArn } from '../../shared/domain/base/ids.ts';
import type { Tasks } from '../../shared/ports/tasks.ts';
import { describeEngine, type EngineCase } from './describe-engine.ts';
import { REGION } from './engine-client.ts';
import { CLUSTER, type TasksAt, tasksAt } from './engine-tasks.ts';

// What dispatch relies on in ECS, asked by its own adapter of engines that others wrote, and of the embedded ECS.

const STRANGER = asTaskArn(`arn:aws:ecs:${REGION}:000000000000:task/${CLUSTER}/${'e'.repeat(32)}`);

const CASES: readonly { readonly name: string; run(at: TasksAt): Promise<void> }[] = [
  {
    name: 'a definition is registered once, and found again',
    async run({ tasks, ourDefinition }) {
      const first = await tasks.prepare(ourDefinition);
      expect(first).toMatchObject({ kind: 'ready', template: { containers: ['main'] } });
      expect(await tasks.prepare(ourDefinition)).toEqual(first);
    },
  },
  {
    name: 'a definition that no task uses is deregistered once it is old, and registered again where it is needed',
    async run(at) {
      const { tasks, ourDefinition } = at;
      const launch = await at.launchOf();
      const { family } = ourDefinition;
      const [early, late] = [asEpochMs(Date.now() - 86_400_000), asEpochMs(Date.now() + 86_400_000)];
      const old = async (before: EpochMs) => tasks.listOldFamilies({ prefix: family, before, after: null });
      expect(await old(early)).toEqual({ kind: 'listed', families: [], next: null });
      expect(await old(late)).toEqual({ kind: 'listed', families: [family], next: null });
      expect(await tasks.deregister({ family, before: early })).toEqual({ kind: 'kept' });
      expect(await tasks.deregister({ family, before: late })).toEqual({ kind: 'deregistered' });
      expect(await old(late)).toEqual({ kind: 'listed', families: [], next: null });
      expect(await tasks.deregister({ family, before: late })).toEqual({ kind: 'kept' });
      const again = await tasks.prepare(ourDefinition);
      expect(again).toMatchObject({ kind: 'ready' });
      if (again.kind === 'ready') expect(again.template.taskDefinition).not.toBe(launch.template.taskDefinition);
    },
  },
  {
    name: 'a launch of a definition that was deregistered is refused, and says so',
    async run(at) {
      const { tasks, ourDefinition } = at;
      const launch = await at.launchOf();
      const before = asEpochMs(Date.now() + 86_400_000);
      expect(await tasks.deregister({ family: ourDefinition.family, before })).toEqual({ kind: 'deregistered' });
      expect(await tasks.run(launch)).toMatchObject({ kind: 'refused', misconfigured: true, deregistered: true });
    },
  },
  {
    name: 'a definition of which a task runs is kept',
    async run(at) {
      const { tasks, ourDefinition } = at;
      await launched(tasks.run(await at.launchOf()));
      const before = asEpochMs(Date.now() + 86_400_000);
      expect(await tasks.deregister({ family: ourDefinition.family, before })).toEqual({ kind: 'kept' });
    },
  },
  {
    name: 'a launched task is described as the attempt that it is',
    async run(at) {
      const launch = await at.launchOf();
      const taskArn = await launched(at.tasks.run(launch));
      const described = await at.tasks.describe([taskArn]);
      expect(described).toMatchObject({
        kind: 'described',
        tasks: [{ arn: taskArn, job: launch.job.uid, id: { index: 7, attempt: 2, nonce: 1 }, ending: null }],
        missing: [],
      });
    },
  },
  {
    name: 'a launch that is repeated answers with the same task',
    async run(at) {
      const launch = await at.launchOf();
      const taskArn = await launched(at.tasks.run(launch));
      expect(await launched(at.tasks.run(launch))).toBe(taskArn);
      expect(await all(at.tasks, launch.job.uid)).toEqual([taskArn]);
    },
  },
  {
    name: 'a token that comes with another request answers with the task that it has started',
    async run(at) {
      const launch = await at.launchOf();
      const taskArn = await launched(at.tasks.run(launch));
      expect(await launched(at.tasks.run({ ...launch, env: [{ name: 'OTHER', value: '1' }] }))).toBe(taskArn);
    },
  },
  {
    name: 'a Spot launch and one with a size of its own are taken',
    async run(at) {
      const spot = await at.launchOf({ capacity: 'spot' });
      await launched(at.tasks.run(spot));
      const sized = await at.launchOf({ size: { cpu: 1024, memoryMib: 2048, ephemeralStorageGib: 40 } });
      await launched(at.tasks.run(sized));
    },
  },
  {
    name: 'live tasks are listed by Job, and page by page for all',
    async run(at) {
      const launch = await at.launchOf();
      const other = await at.launchOf();
      const arns = await Promise.all(
        Array.from({ length: 105 }, async (_, index) =>
          launched(at.tasks.run({ ...launch, id: { index, attempt: 1, nonce: 0 } })),
        ),
      );
      const others = await launched(at.tasks.run(other));
      expect((await all(at.tasks, launch.job.uid)).toSorted()).toEqual(arns.toSorted());
      const everyone = await all(at.tasks, null);
      expect(new Set(everyone).size).toBe(everyone.length);
      expect(everyone).toEqual(expect.arrayContaining([...arns, others]));
    },
  },
  {
    name: 'a task that was asked to stop is not live, and its family has it among the stopped',
    async run(at) {
      const launch = await at.launchOf();
      const taskArn = await launched(at.tasks.run(launch));
      expect(await at.tasks.stop(taskArn, 'scaled down')).toEqual({ kind: 'asked' });
      expect(await all(at.tasks, launch.job.uid)).toEqual([]);
      const stopped = await at.tasks.listStopped({ family: at.ourDefinition.family, after: null });
      expect(stopped).toMatchObject({ kind: 'listed', taskArns: [taskArn] });
    },
  },
  {
    name: 'a stop of a task that nobody knows is no fault',
    async run({ tasks }) {
      expect(await tasks.stop(STRANGER, 'not ours')).toEqual({ kind: 'asked' });
    },
  },
  {
    name: 'a task that nobody knows is missing, beside one that is known',
    async run(at) {
      const taskArn = await launched(at.tasks.run(await at.launchOf()));
      expect(await at.tasks.describe([STRANGER, taskArn])).toMatchObject({
        kind: 'described',
        tasks: [{ arn: taskArn }],
        missing: [STRANGER],
      });
    },
  },
  {
    name: 'a cluster that does not exist is a fault of the installation',
    async run(at) {
      const prepared = await at.inNoCluster.prepare(at.ourDefinition);
      if (prepared.kind !== 'ready') throw new Error(prepared.reason);
      const launch = await at.launchOf({ template: prepared.template });
      expect(await at.inNoCluster.run(launch)).toMatchObject({ kind: 'refused', misconfigured: true });
    },
  },
  {
    name: 'overrides that are too long are a fault of the Job',
    async run(at) {
      const launch = await at.launchOf({ env: [{ name: 'LONG', value: 'x'.repeat(8_192) }] });
      expect(await at.tasks.run(launch)).toMatchObject({ kind: 'fatal' });
    },
  },
];

async function launched(outcome: ReturnType<Tasks['run']>): Promise<TaskArn> {
  const found = await outcome;
  if (found.kind !== 'launched') throw new Error(`the launch is ${found.kind}: ${found.reason}`);
  return found.taskArn;
}

async function all(tasks: Tasks, job: Parameters<Tasks['listLive']>[0]['job']): Promise<readonly TaskArn[]> {
  const found: TaskArn[] = [];
  let after: string | null = null;
  do {
    const page: Awaited<ReturnType<Tasks['listLive']>> = await tasks.listLive({ job, after });
    if (page.kind !== 'listed') throw new Error(page.reason);
    expect(page.taskArns.length).toBeLessThanOrEqual(100);
    found.push(...page.taskArns);
    after = page.next;
  } while (after !== null);
  return found;
}

const cases: readonly EngineCase[] = CASES.map((each) => ({
  name: each.name,
  async run(url) {
    const at = await tasksAt(url);
    try {
      await each.run(at);
    } finally {
      at.close();
    }
  },
}));

for (const engine of ['embedded', 'moto', 'ministack'] as const) describeEngine('tasks', engine, cases);
