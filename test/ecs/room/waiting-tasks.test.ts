import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { createEcs, type EcsOptions } from '../../../local/ecs/create-ecs.ts';
import type { EcsTaskEvent } from '../../../local/ecs/task-event.ts';
import { handClock } from '../hand-clock.ts';
import { delayText, delayWaits } from '../../../shared/domain/pending/start-delay.ts';
import { asJobUid, asTaskArn } from '../../../shared/domain/base/ids.ts';

const JOB = asJobUid('6f9c1f0e-3d3b-4f0a-9a59-0a4f6f1f7c11');
const TWO_CPUS = { milliCpu: 2000, memoryMib: 8192 };
const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

async function anEcs(options: Partial<EcsOptions> = {}) {
  const clock = handClock();
  const events: EcsTaskEvent[] = [];
  const onEvent = async (event: EcsTaskEvent): Promise<void> => Promise.resolve(void events.push(event));
  const driver = { kind: 'simulated', script: { runMs: 1_000 } } as const;
  const ecs = createEcs({ driver, timers: clock, onEvent, room: TWO_CPUS, ...options });
  await ecs.start();
  ecs.api.RegisterTaskDefinition({
    family: 'job',
    cpu: '2048',
    memory: '4096',
    containerDefinitions: [{ name: 'main', image: 'busybox', command: ['true'] }],
  });
  const run = (requests: string | null) => {
    const tags = requests === null ? [] : [{ key: 'muster:requests', value: requests }];
    const { tasks = [], failures = [] } = ecs.api.RunTask({ taskDefinition: 'job', startedBy: JOB, tags });
    return { arn: tasks[0]?.taskArn ?? '', failures };
  };
  const statuses = (arns: readonly string[]) =>
    arns.map((arn) => ecs.api.DescribeTasks({ tasks: [arn] }).tasks?.[0]?.lastStatus);
  const why = (arn: string): string | null => {
    const delay = ecs.startDelays.ofTasks([asTaskArn(arn)]).get(asTaskArn(arn));
    return delay === undefined ? null : delayText(delay);
  };
  const countOf = (status: string) => events.filter(({ detail }) => detail.lastStatus === status).length;
  return { ecs, clock, run, statuses, why, countOf };
}

test('136 tasks of two CPUs run one after the other on two, and those that wait say why', async () => {
  const { ecs, clock, run, statuses, why, countOf } = await anEcs();
  const arns = Array.from({ length: 136 }, () => run('2000/0').arn);
  clock.advance(10);
  expect(statuses(arns.slice(0, 3))).toEqual(['RUNNING', 'PROVISIONING', 'PROVISIONING']);
  expect(why(arns[0] ?? '')).toBeNull();
  expect(why(arns[1] ?? '')).toBe('no room on this machine: 2 of 2 CPUs in use');
  expect(why(arns[2] ?? '')).toBe('no room on this machine: 2 of 2 CPUs in use; 1 task waits before it');
  expect(why(arns[135] ?? '')).toBe('no room on this machine: 2 of 2 CPUs in use; 134 tasks wait before it');
  expect(delayWaits(ecs.startDelays.ofJob(JOB))).toEqual([
    { cause: 'room', count: 135, message: 'no room on this machine: 2 of 2 CPUs in use' },
  ]);
  for (let done = 1; done < 136; done++) {
    clock.advance(1_000);
    expect(statuses([arns[done - 1] ?? '', arns[done] ?? '', arns[done + 1] ?? arns[0] ?? ''])).toEqual([
      'STOPPED',
      'RUNNING',
      done === 135 ? 'STOPPED' : 'PROVISIONING',
    ]);
  }
  clock.advance(1_000);
  await ecs.idle();
  expect(countOf('RUNNING')).toBe(136);
  expect(countOf('STOPPED')).toBe(136);
  expect(ecs.startDelays.ofJob(JOB)).toEqual([]);
});

test('what requests nothing never waits, and nothing overtakes a large one', async () => {
  const { clock, run, statuses, why } = await anEcs();
  const [first, large, small, none] = [run('1000/0').arn, run('2000/0').arn, run('100/0').arn, run('0/0').arn];
  clock.advance(10);
  expect(statuses([first, large, small, none])).toEqual(['RUNNING', 'PROVISIONING', 'PROVISIONING', 'RUNNING']);
  expect(why(small)).toBe('no room on this machine: 1 of 2 CPUs in use; 1 task waits before it');
  clock.advance(1_000);
  expect(statuses([large, small])).toEqual(['RUNNING', 'PROVISIONING']);
  clock.advance(1_000);
  expect(statuses([large, small])).toEqual(['STOPPED', 'RUNNING']);
});

test('without a tag the size counts, and memory does', async () => {
  const { clock, run, statuses, why } = await anEcs({ room: { milliCpu: null, memoryMib: 6144 } });
  const arns = [run(null).arn, run(null).arn];
  clock.advance(10);
  expect(statuses(arns)).toEqual(['RUNNING', 'PROVISIONING']);
  expect(why(arns[1] ?? '')).toBe('no room on this machine: 4 GiB of 6 GiB of memory in use');
});

test('one that is larger than the machine takes all of it, and runs alone', async () => {
  const { clock, run, statuses, why } = await anEcs();
  const [first, larger, last] = [run('1000/0').arn, run('4000/9000').arn, run('100/0').arn];
  clock.advance(10);
  expect(statuses([first, larger, last])).toEqual(['RUNNING', 'PROVISIONING', 'PROVISIONING']);
  clock.advance(1_000);
  expect(statuses([larger, last])).toEqual(['RUNNING', 'PROVISIONING']);
  expect(why(last)).toBe('no room on this machine: 2 of 2 CPUs in use');
  clock.advance(1_000);
  expect(statuses([larger, last])).toEqual(['STOPPED', 'RUNNING']);
});

test('one that is stopped while it waits is gone, and those behind it move up', async () => {
  const { ecs, clock, run, statuses, why } = await anEcs();
  const [runs, stopped, last] = [run('2000/0').arn, run('2000/0').arn, run('2000/0').arn];
  clock.advance(10);
  ecs.api.StopTask({ task: stopped });
  expect(statuses([runs, stopped, last])).toEqual(['RUNNING', 'STOPPED', 'PROVISIONING']);
  expect(why(last)).toBe('no room on this machine: 2 of 2 CPUs in use');
  ecs.api.StopTask({ task: runs });
  clock.advance(10);
  expect(statuses([last])).toEqual(['RUNNING']);
  const stopping = ecs.stopAll(100, 100);
  clock.advance(1_000);
  await stopping;
  expect(ecs.live().tasks).toBe(0);
});

test('waiting tasks keep their order over a restart, also those of one millisecond', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'muster-room-'));
  folders.push(folder);
  const driver = {
    kind: 'process',
    dataDir: join(folder, 'data'),
    workspaceDir: join(folder, 'work'),
  } as const;
  // A machine so busy that nothing has started before the first runtime is killed: its clock never moves.
  const before = await anEcs({ driver });
  const arns = Array.from({ length: 12 }, () => before.run('2000/0').arn);
  const after = await anEcs({ driver });
  expect(arns.map((arn) => after.why(arn)?.split('; ')[1] ?? 'next')).toEqual([
    'next',
    'next',
    '1 task waits before it',
    ...Array.from({ length: 9 }, (_, n) => `${n + 2} tasks wait before it`),
  ]);
});
