import { DescribeTasksCommand, RunTaskCommand } from '@aws-sdk/client-ecs';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { eventOf, makeFolders, processes, register, startServer, withEnv, type TaskServer } from './task-server.ts';

let folders: ReturnType<typeof makeFolders>;
let server: TaskServer | undefined;

beforeEach(() => {
  folders = makeFolders();
});
afterEach(async () => {
  await server?.close();
  server = undefined;
  folders.remove();
});

describe('stopAll', () => {
  test('leaves no process behind and records what it ended, which the next life tells', async () => {
    const first = await startServer({ kind: 'process', ...folders });
    server = first;
    await register(first, 'job');
    const runs = [];
    for (const HOLD of ['1', 'stubborn', '1', 'stubborn']) {
      const { tasks } = await first.client.send(
        new RunTaskCommand({ taskDefinition: 'job', overrides: withEnv({ HOLD }) }),
      );
      runs.push(tasks![0]!);
    }
    for (const { taskArn } of runs) {
      await eventOf(first, taskArn, 'RUNNING');
      await first.ready?.(taskArn!.slice(-32));
    }
    const late = await first.client.send(
      new RunTaskCommand({ taskDefinition: 'job', overrides: withEnv({ HOLD: '1' }) }),
    );
    // Tests beside this one have tasks of the same command.
    const all = processes();
    const shims = new Set(all.flatMap(({ pid, command }) => (command.includes(folders.dataDir) ? [pid] : [])));
    const family = all.filter(({ pid, parent }) => shims.has(pid) || shims.has(parent));
    expect(family.length).toBeGreaterThanOrEqual(8);
    await first.close();
    // A busy machine takes a moment to end what was killed; a task that was not would run for ten minutes.
    const left = () => {
      const there = new Set(processes().map(({ pid }) => pid));
      return family.filter(({ pid }) => there.has(pid));
    };
    await expect.poll(left).toEqual([]);

    const next = await startServer({ kind: 'process', ...folders });
    server = next;
    for (const { taskArn } of [...runs, ...late.tasks!]) {
      expect((await next.client.send(new DescribeTasksCommand({ tasks: [taskArn!] }))).tasks![0]).toMatchObject({
        lastStatus: 'STOPPED',
        stopCode: 'TerminationNotice',
      });
      await eventOf(next, taskArn, 'STOPPED');
    }
  });

  test('takes no task while it ends the others', async () => {
    const first = await startServer({ kind: 'process', ...folders });
    server = first;
    await register(first, 'job');
    const ended = first.ecs.stopAll(100);
    await expect(first.client.send(new RunTaskCommand({ taskDefinition: 'job' }))).rejects.toMatchObject({
      name: 'ServerException',
      $metadata: { httpStatusCode: 503 },
    });
    await ended;
  });
});
