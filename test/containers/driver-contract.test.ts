import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import * as z from 'zod';
import { createCloudmap } from '../../local/cloudmap/create-cloudmap.ts';
import { openEngine } from '../../local/docker/engine.ts';
import { inspectContainer } from '../../local/docker/found-container.ts';
import { openImages } from '../../local/docker/images.ts';
import { streamFile } from '../../local/logs/stream-files.ts';
import { describeTasks } from '../ecs/describe-tasks.ts';
import { describeOne, run, stopped } from '../ecs/task-check.ts';
import {
  IMAGE,
  type ServerOptions,
  container,
  eventually,
  makeFolders,
  register,
  startServer,
} from '../ecs/task-server.ts';
import { aDisk } from '../support/a-disk.ts';
import { PATIENT, containersOf, hasEngine } from './a-docker-runtime.ts';
import { type AnEngine, anEngine, anImage } from './an-engine.ts';

/**
 * The first program of a container gets no signal that it does not ask for, so this one passes SIGTERM on, and ends as its
 * command does.
 */
const INIT = `"$@" & pid=$!
trap 'kill -TERM $pid' TERM
wait $pid; code=$?
while kill -0 $pid 2>/dev/null; do wait $pid; code=$?; done
exit $code`;

type Made = ReturnType<typeof makeFolders>;

const TopSchema = z.looseObject({ Processes: z.array(z.array(z.string())).nullish() });

describe.runIf(hasEngine)('the contract of drivers', PATIENT, () => {
  let engine: AnEngine;
  const folders: Made[] = [];
  beforeAll(async () => {
    engine = await anEngine();
    await anImage(engine, IMAGE, ['ENTRYPOINT ["/bin/as-init"]'], { 'as-init': INIT });
  });
  afterEach(() => {
    for (const made of folders.splice(0)) made.remove();
  });
  afterAll(async () => engine?.remove());

  /** Its command has become what it holds with. */
  const holds = async (taskId: string): Promise<void> => {
    await eventually(async () => {
      const [id] = await containersOf(engine, taskId);
      if (id === undefined) return null;
      const top = TopSchema.parse(await engine.api.ask({ method: 'GET', path: `/containers/${id}/top` }));
      return (top.Processes ?? []).some((columns) => columns.some((text) => text.startsWith('sleep'))) ? true : null;
    });
  };

  const isOver = async (taskId: string): Promise<boolean> => {
    const [id] = await containersOf(engine, taskId);
    const found = id === undefined ? null : await inspectContainer(engine.api, id);
    return found?.state === 'ended';
  };

  const start = async (made: Pick<Made, 'dataDir' | 'workspaceDir'>, options: ServerOptions = {}) => {
    const { dataDir, workspaceDir } = made;
    const api = openEngine({ kind: 'socket', path: engine.host.slice('unix://'.length) });
    const images = openImages(api, async () => Promise.resolve(null));
    const names = createCloudmap({ zone: 'test.internal', dataDir: null });
    const driver = { kind: 'docker', dataDir, workspaceDir, engine: api, images, cpus: 2, names } as const;
    return startServer(driver, { ready: holds, ...options });
  };

  describeTasks('containers', async (options) => {
    const made = makeFolders();
    folders.push(made);
    return start(made, options);
  });

  test('a log that the disk has no room for waits for room, and its task with it', async () => {
    const disk = aDisk(1024);
    if (disk === null) return;
    const made = makeFolders();
    folders.push(made);
    const dataDir = join(disk.dir, 'data');
    const warnings: string[] = [];
    const log = (message: string): void => void warnings.push(message);
    const server = await start({ dataDir, workspaceDir: made.workspaceDir }, { log });
    try {
      const lines = 300_000; // two million bytes
      const options = { 'awslogs-group': 'g', 'awslogs-stream-prefix': 'job' };
      const logConfiguration = { logDriver: 'awslogs', options } as const;
      await register(server, 'job', [container('main', { command: ['seq', String(lines)], logConfiguration })]);
      const { taskArn } = await run(server);
      const id = taskArn!.slice(-32);
      // It is tried as the container prints, when that has ended, and again.
      const fate = async () => (await describeOne(server, taskArn))?.lastStatus;
      await eventually(async () => (warnings.length >= 3 || (await fate()) === 'STOPPED' ? true : null));
      expect(await fate()).toBe('RUNNING');
      expect(await isOver(id)).toBe(true);
      disk.remount('size=32m');
      expect(await stopped(server, taskArn)).toMatchObject({ containers: [{ exitCode: 0 }] });
      const text = readFileSync(streamFile(join(dataDir, 'logs'), { group: 'g', stream: `job/main/${id}` }), 'utf8');
      expect(text).toBe(Array.from({ length: lines }, (_, n) => `${n + 1}\n`).join(''));
    } finally {
      await server.close();
    }
  });
});
