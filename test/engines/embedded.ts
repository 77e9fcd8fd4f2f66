import { createCloudmap } from '../../local/cloudmap/create-cloudmap.ts';
import { createEcs } from '../../local/ecs/create-ecs.ts';
import { wallTimers } from '../../local/ecs/timers.ts';
import { serveAwsJson } from '../../local/wire/aws-json.ts';
import { cloudmapService } from '../../local/wire/cloudmap-wire.ts';
import { ecsService } from '../../local/wire/ecs-wire.ts';
import { listenOnLoopback } from '../../local/wire/loopback-server.ts';
import { SIMULATED } from '../ecs/task-server.ts';
import { REGION } from './engine-client.ts';
import type { EngineProcess } from './engine-process.ts';
import { CLUSTER } from './engine-tasks.ts';

/** Our own ECS, with tasks that run until they are stopped, and our own Cloud Map, in this process. */
export async function startEmbedded(): Promise<EngineProcess> {
  const ecs = createEcs({
    driver: SIMULATED,
    timers: wallTimers(Date.now),
    onEvent: async () => Promise.resolve(),
    clusters: [CLUSTER],
    region: REGION,
  });
  await ecs.start();
  const cloudmap = createCloudmap({ zone: 'muster.internal', dataDir: null, region: REGION });
  const server = await listenOnLoopback(serveAwsJson([ecsService(ecs.api), cloudmapService(cloudmap.api)]));
  return {
    url: server.url,
    async stop() {
      await ecs.stopAll(0);
      cloudmap.close();
      await server.close();
    },
  };
}
