import { expect, test } from 'vitest';
import { EndedTasks } from '../../local/ecs/ended-task.ts';
import type { TaskRecord } from '../../local/ecs/task-record.ts';

const anEnd = (n: number): TaskRecord => ({
  schema: 1,
  id: n.toString(16).padStart(32, '0'),
  cluster: 'muster',
  definition: { family: 'work', revision: 1 },
  launch: { token: `token-${n}`, fingerprint: 'f', taskIds: [n.toString(16).padStart(32, '0')], failures: [] },
  group: `muster:${n}`,
  startedBy: 'uid-1',
  capacityProvider: null,
  cpu: '256',
  memory: '512',
  overrides: {
    containerOverrides: [{ name: 'main', environment: [{ name: 'JOB_COMPLETION_INDEX', value: String(n) }] }],
  },
  tags: [{ key: 'team', value: 'blue' }],
  subnetId: 'subnet-local',
  privateIp: `10.0.0.${n}`,
  createdAtMs: 1_800_000_000_000 + n,
  version: 5,
  lastStatus: 'STOPPED',
  containers: [{ name: 'main', status: 'stopped', exitCode: n, reason: 'naïve 🌙', startedAtMs: 1, endedAtMs: 2 }],
  startedAtMs: 1_800_000_000_001,
  stop: { code: 'EssentialContainerExited', reason: 'Essential container in task exited', atMs: 3 },
  stoppedAtMs: 1_800_000_000_002,
});

test('a packed task shows everything that it showed before, each its own', () => {
  const ended = new EndedTasks();
  for (const n of [1, 2, 3]) {
    const task = anEnd(n);
    const packed = ended.pack(task);
    const members = Object.keys(task) as (keyof TaskRecord)[];
    expect(Object.fromEntries(members.map((member) => [member, packed[member]]))).toEqual(task);
  }
});
