import { createMemoryQueues } from '../fakes/memory-queues.ts';
import { asEpochMs } from '../../shared/domain/base/time.ts';
import { RECEIVES_MAX } from '../../shared/names/dead-letter-queues.ts';
import type { QueuesUnderTest } from './describe-queues.ts';

/** The in-memory queues; waiting moves their clock to when the next message may be seen. */
export async function openMemoryQueues(visibilityMs = 600_000): Promise<QueuesUnderTest> {
  let now = 1_000_000;
  const memory = createMemoryQueues({ now: () => asEpochMs(now), visibilityMs, receivesMax: RECEIVES_MAX });
  return {
    queues: memory.queues,
    send: async (body) => memory.send('dispatch', body),
    async receive(waitSec) {
      const found = memory.receive('dispatch', 10);
      const nextAt = memory.nextAt('dispatch');
      if (found.length > 0 || nextAt === null || nextAt > now + waitSec * 1000) return found;
      now = Math.max(now, nextAt);
      return memory.receive('dispatch', 10);
    },
    remove: async (receipts) => receipts.forEach((receipt) => memory.remove('dispatch', receipt)),
    retry: async (receipts, delaySec) =>
      receipts.forEach((receipt) => memory.retry('dispatch', receipt, delaySec * 1000)),
    dead: async () => memory.dead('dispatch'),
    now: () => now,
    close: async () => undefined,
  };
}
