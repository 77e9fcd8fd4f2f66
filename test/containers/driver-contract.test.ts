import { afterAll, afterEach, beforeAll, describe } from 'vitest';
import * as z from 'zod';
import { openEngine } from '../../local/docker/engine.ts';
import { openImages } from '../../local/docker/images.ts';
import { createCloudmap } from '../../local/cloudmap/create-cloudmap.ts';
import { describeTasks } from '../ecs/describe-tasks.ts';
import { IMAGE, eventually, makeFolders, startServer } from '../ecs/task-server.ts';
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

const TopSchema = z.looseObject({ Processes: z.array(z.array(z.string())).nullish() });

describe.runIf(hasEngine)('the contract of drivers', PATIENT, () => {
  let engine: AnEngine;
  const folders: ReturnType<typeof makeFolders>[] = [];
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

  describeTasks('containers', async (options) => {
    const made = makeFolders();
    folders.push(made);
    const api = openEngine({ kind: 'socket', path: engine.host.slice('unix://'.length) });
    const images = openImages(api, async () => Promise.resolve(null));
    const names = createCloudmap({ zone: 'test.internal', dataDir: null });
    return startServer({ kind: 'docker', ...made, engine: api, images, cpus: 2, names }, { ready: holds, ...options });
  });
});
