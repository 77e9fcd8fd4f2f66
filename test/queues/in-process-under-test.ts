import { createInProcessQueues } from '../../local/queues/in-process-queues.ts';
import { systemClock } from '../../shared/adapters/system-clock.ts';
import type { InboxesUnderTest } from './describe-inboxes.ts';
import type { QueuesUnderTest } from './describe-queues.ts';

const now = () => systemClock.now();
const never = new AbortController().signal;

/** The queues in this process, as the embedded runtime has them. */
export async function openInProcessInboxes(visibilitySec = 600): Promise<InboxesUnderTest> {
  const { queues, inboxes, deadQueues, depths, onEvent, close } = createInProcessQueues({
    visibilityMs: visibilitySec * 1_000,
    now,
  });
  return {
    queues,
    facts: inboxes.facts,
    deadQueues,
    depths: async () => depths(),
    onEvent,
    close: async () => close(),
  };
}

/** The same for the suite that asks any queue. */
export async function openInProcessQueues(): Promise<QueuesUnderTest> {
  const { queues, inboxes, deadQueues, send, close } = createInProcessQueues({
    visibilityMs: 600_000,
    now,
  });
  const { dispatch } = inboxes;
  return {
    queues,
    send: async (body) => send('dispatch', body),
    receive: (waitSec) => dispatch.receive({ waitSec, signal: never }),
    remove: (receipts) => dispatch.remove(receipts),
    retry: (receipts, delaySec) => dispatch.retry(receipts, delaySec),
    dead: async () => (await deadQueues.take('dispatch')).map(({ body }) => body),
    now: () => performance.now(),
    close: async () => close(),
  };
}
