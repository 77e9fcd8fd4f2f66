/**
 * The embedded ECS in a process of its own, to be killed: node --import tsx server-process.ts <data> <workspace>.
 * Prints its URL; appends every event to `<data>/events.jsonl`.
 */
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { createEcs } from '../../local/ecs/create-ecs.ts';
import { serveAwsJson } from '../../local/wire/aws-json.ts';
import { ecsService } from '../../local/wire/ecs-wire.ts';
import { listenOnLoopback } from '../../local/wire/loopback-server.ts';

const [, , dataDir = '', workspaceDir = ''] = process.argv;
const ecs = createEcs({
  driver: { kind: 'process', dataDir, workspaceDir },
  onEvent: async (event) => {
    appendFileSync(join(dataDir, 'events.jsonl'), `${JSON.stringify(event)}\n`);
    return Promise.resolve();
  },
});
await ecs.start();
const { url } = await listenOnLoopback(serveAwsJson([ecsService(ecs.api)]));
console.log(url);
