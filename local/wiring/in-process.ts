import { embedPorts, taskPorts } from '../../shared/capabilities/lists/embedded.ts';
import { createEcsTasks } from '../../shared/adapters/aws/ecs/ecs-tasks.ts';
import { systemClock } from '../../shared/adapters/system-clock.ts';
import type { QueueName } from '../../shared/ports/dead-letters.ts';
import { type StorePorts, assembleRuntime } from '../../shared/runtime/assemble-runtime.ts';
import { cloudmapCallsTo, ecsCallsTo } from '../in-process/engine-calls.ts';
import { createFileLogs } from '../in-process/file-logs.ts';
import { createInProcessQueues } from '../queues/in-process-queues.ts';
import type { Closer, WiredPlace, Wiring } from './wiring.ts';

/** Calls queues and engines in this process: nothing listens, and no AWS client is loaded. */
export function wireInProcess(place: WiredPlace, store: StorePorts, closers: Closer[]): Wiring {
  const { region, onSurprise, logGroup, placement, settings, coalescing, telemetry } = place;
  const { queues, submissions, inboxes, deadQueues, depths, onEvent, close } = createInProcessQueues({
    visibilityMs: place.timeoutMs,
    now: () => systemClock.now(),
  });
  closers.push(close);
  const nameOf = (queue: QueueName): string => `muster-${queue}`;
  const arnOf = (queue: QueueName): string => `arn:aws:sqs:${region}:000000000000:${nameOf(queue)}`;
  const inboxOf = (queue: QueueName) => ({ inbox: inboxes[queue], queueName: nameOf(queue) });
  return {
    onEvent,
    queueArns: { wake: arnOf('wake'), facts: arnOf('facts'), dispatch: arnOf('dispatch'), submit: arnOf('submit') },
    async connect({ ecs, logs, cloudmap }) {
      const { namespaceId, zone } = cloudmap;
      const runtime = assembleRuntime({
        store,
        tasks: createEcsTasks({
          calls: ecsCallsTo(ecs.api, onSurprise),
          placement,
          definitions: place,
          tellsRequests: true,
        }),
        ports: {
          ...place.ports,
          ...taskPorts(ecs.secretCopies),
          ...embedPorts(
            { cloudmap: { calls: cloudmapCallsTo(cloudmap.api, onSurprise), namespaceId, zone } },
            async (ms) => systemClock.sleep(ms),
          ),
        },
        logs: createFileLogs({ logs, logGroup }),
        queues,
        inboxes: {
          wake: inboxOf('wake'),
          facts: inboxOf('facts'),
          dispatch: inboxOf('dispatch'),
          submit: inboxOf('submit'),
        },
        submissions,
        deadQueues,
        queueDepths: async () => depths(),
        settings,
        coalescing,
        telemetry,
        close: () => undefined,
      });
      return { runtime, options: null };
    },
  };
}
