import { taskPorts } from '../../shared/capabilities/lists/embedded.ts';
import { randomBytes } from 'node:crypto';
import { createSqsEventTarget } from '../../shared/adapters/aws/sqs/sqs-event-target.ts';
import { createSqsClient } from '../../shared/adapters/aws/sqs/sqs-queues.ts';
import { type RuntimeOptions, type StoreOptions, createRuntime } from '../../shared/runtime/create-runtime.ts';
import { startQueueServer } from '../queues/queue-server.ts';
import { serveAwsJson } from '../wire/aws-json.ts';
import { cloudmapService } from '../wire/cloudmap-wire.ts';
import { ecsService } from '../wire/ecs-wire.ts';
import { logsService } from '../wire/logs-wire.ts';
import { listenOnLoopback } from '../wire/loopback-server.ts';
import type { Closer, WiredPlace, Wiring } from './wiring.ts';

/**
 * Reaches queues and engines as on AWS: by SDK clients over HTTP, on loopback ports that require an access key.
 * `onClient` also gets the embedded EventBridge's client, before all others.
 */
export async function wireAsAws(
  place: WiredPlace,
  store: StoreOptions,
  onClient: RuntimeOptions['onClient'],
  closers: Closer[],
): Promise<Wiring> {
  const { timeoutMs, onSurprise, ...rest } = place;
  const { region } = rest;
  const accessKey = `LOCAL${randomBytes(12).toString('hex').toUpperCase()}`;
  const server = await startQueueServer({ region, accessKey, visibilitySec: timeoutMs / 1000 });
  closers.push(() => server.close());
  const eventClient = createSqsClient({ region, endpoint: server.endpoint, accessKey });
  onClient?.(eventClient);
  closers.push(() => eventClient.destroy());
  return {
    onEvent: createSqsEventTarget({ client: eventClient, url: server.urls.facts }),
    queueArns: server.arns,
    async connect({ ecs, logs, cloudmap }) {
      const services = [ecsService(ecs.api), logsService(logs.api), cloudmapService(cloudmap.api)];
      const front = await listenOnLoopback(serveAwsJson(services, { accessKeyId: accessKey, onSurprise }));
      closers.push(() => front.close());
      const options: RuntimeOptions = {
        ...rest,
        definitions: { mountsParts: true, groups: place.groups },
        ports: { ...rest.ports, ...taskPorts(ecs.secretCopies) },
        endpoints: { sqs: server.endpoint, ecs: front.url, logs: front.url },
        accessKey,
        store,
        queues: server.urls,
        deadQueues: server.deadUrls,
        names: { namespaceId: cloudmap.namespaceId, zone: cloudmap.zone, endpoint: front.url },
        ...(onClient === undefined ? {} : { onClient }),
      };
      const runtime = createRuntime(options);
      closers.push(() => runtime.close());
      return { runtime, options };
    },
  };
}
