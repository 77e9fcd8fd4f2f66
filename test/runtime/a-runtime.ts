import type { SQSEvent } from 'aws-lambda';
import type { Inbox, Received } from '../../shared/ports/inbox.ts';
import { createMemoryStore } from '../../shared/runtime/memory-store.ts';
import { createCache } from '../../shared/control/process/cache.ts';
import { createCapabilityState } from '../../shared/capabilities/lists/process-state.ts';
import { createPacer } from '../../shared/control/process/pacer.ts';
import { createPublisher } from '../../shared/control/process/publisher.ts';
import { asEpochMs } from '../../shared/domain/base/time.ts';
import { AWS_HOST_LIMITS } from '../../shared/domain/task/host-limits.ts';
import { AWS_TIMING } from '../../shared/domain/base/timing.ts';
import type { DispatchMessage } from '../../shared/ports/queues.ts';
import type { Tasks } from '../../shared/ports/tasks.ts';
import type { Runtime } from '../../shared/runtime/runtime.ts';
import { createPlainTelemetry } from '../../shared/telemetry/plain-telemetry.ts';

const QUEUE_ARN = 'arn:aws:sqs:eu-central-1:1:facts';

/** An inbox that notes what is asked of it. */
export function anInbox(
  options: { readonly waiting?: Received[]; readonly dead?: 'taken' | 'unknown' | 'broken' } = {},
) {
  const { waiting = [], dead = 'taken' } = options;
  const removed: string[] = [];
  const retried: { readonly receipt: string; readonly delaySec: number }[] = [];
  const sentAgain: { readonly body: string; readonly delaySec: number }[] = [];
  const deadLettered: { readonly body: string; readonly reason: string }[] = [];
  let receives = 0;
  const inbox: Inbox = {
    async receive() {
      receives++;
      return waiting.splice(0, 10);
    },
    async remove(receipts) {
      removed.push(...receipts);
    },
    async retry(receipts, delaySec) {
      retried.push(...receipts.map((receipt) => ({ receipt, delaySec })));
    },
    async sendAgain(body, delaySec) {
      sentAgain.push({ body, delaySec });
    },
    async deadLetter(body, reason) {
      if (dead === 'broken') throw new Error('the dead-letter queue is gone');
      if (dead === 'unknown') return false;
      deadLettered.push({ body, reason });
      return true;
    },
  };
  return { inbox, removed, retried, sentAgain, buried: deadLettered, receives: () => receives };
}

const NO_TASKS: Tasks = {
  prepare: async () => ({ kind: 'later', reason: 'none' }),
  run: async () => ({ kind: 'later', reason: 'none' }),
  stop: async () => ({ kind: 'asked' }),
  describe: async () => ({ kind: 'described', tasks: [], missing: [] }),
  listLive: async () => ({ kind: 'listed', taskArns: [], next: null }),
  listStopped: async () => ({ kind: 'listed', taskArns: [], next: null }),
  listOldFamilies: async () => ({ kind: 'listed', families: [], next: null }),
  deregister: async () => ({ kind: 'kept' }),
};

/** A runtime in memory whose clock stands still but for sleeps. */
export function aRuntime(inbox: Inbox, coalescing = { ms: 300, burst: 1 }) {
  let now = 1_000_000;
  const slept: number[] = [];
  const dispatched: DispatchMessage[] = [];
  const warnings: string[] = [];
  const begun: object[] = [];
  let flushes = 0;
  const plain = createPlainTelemetry({
    warn: (message, values) => void warnings.push(`${message} ${JSON.stringify(values)}`),
  });
  const store = createMemoryStore({ now: () => asEpochMs(now) });
  const runtime: Runtime = {
    deps: {
      ...store,
      ports: {},
      tasks: NO_TASKS,
      queues: {
        wake: async () => undefined,
        wakeCrons: async () => undefined,
        facts: async () => undefined,
        dispatch: async (messages) => void dispatched.push(...messages),
      },
      clock: {
        now: () => asEpochMs(now),
        async sleep(ms) {
          slept.push(ms);
          now += ms;
        },
      },
      telemetry: { ...plain, begin: (names) => void begun.push(names), flush: () => void flushes++ },
      cache: createCache(),
      publisher: createPublisher({
        feed: store.feed,
        clock: { now: () => asEpochMs(now), sleep: async () => undefined },
      }),
      pacer: createPacer({ limits: store.limits, clock: { now: () => asEpochMs(now), sleep: async () => undefined } }),
      state: createCapabilityState({ objects: store.objects, clock: { now: () => asEpochMs(now) } }),
      settings: {
        timing: AWS_TIMING,
        launchesPerSec: null,
        stopsPerSec: null,
        hosts: AWS_HOST_LIMITS,
        historyMs: 1000,
        announced: null,
      },
      hash: (text) => text,
    },
    notifications: { subscribe: () => undefined },
    logs: { read: async () => ({ kind: 'none' }), readBack: async () => ({ kind: 'none' }) },
    facts: inbox,
    inboxOf: (arn) => (arn === QUEUE_ARN ? inbox : null),
    deadLetters: { dead: { take: async () => [], remove: async () => undefined }, deadLetters: store.deadLetters },
    submissions: null,
    queueDepths: async () => [],
    coalescing,
    taskRoles: null,
    close: () => undefined,
  };
  const pass = (ms: number): void => void (now += ms);
  return { runtime, slept, dispatched, warnings, begun, counts: () => plain.counts(), flushes: () => flushes, pass };
}

export const anEvent = (bodies: readonly string[], receives = 1): SQSEvent => ({
  Records: bodies.map((body, i) => ({
    messageId: `m${i}`,
    receiptHandle: `r${i}`,
    body,
    attributes: {
      ApproximateReceiveCount: String(receives),
      SentTimestamp: '0',
      SenderId: 'x',
      ApproximateFirstReceiveTimestamp: '0',
    },
    messageAttributes: {},
    md5OfBody: '',
    eventSource: 'aws:sqs',
    eventSourceARN: QUEUE_ARN,
    awsRegion: 'eu-central-1',
  })),
});
