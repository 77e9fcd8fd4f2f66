import { INBOX_CASES, VISIBILITY_SEC } from '../queues/describe-inboxes.ts';
import { QUEUE_CASES } from '../queues/describe-queues.ts';
import { inboxesOf, queuesOf } from '../queues/sqs-under-test.ts';
import { describeEngine } from './describe-engine.ts';
import { queuesAt } from './engine-queues.ts';

// What handlers rely on in SQS, as test/queues asks it of the emulator and of the queues in one process.

/** Longer than a case takes. */
const LONG_SEC = 600;

const queueCases = QUEUE_CASES.map(({ title, run }) => ({
  name: title,
  async run(url: string) {
    const q = queuesOf(await queuesAt(url, LONG_SEC));
    try {
      await run(q);
    } finally {
      await q.close();
    }
  },
}));

const inboxCases = INBOX_CASES.map(({ title, run }) => ({
  name: title,
  async run(url: string) {
    const q = inboxesOf(await queuesAt(url, VISIBILITY_SEC));
    try {
      await run(q);
    } finally {
      await q.close();
    }
  },
}));

for (const engine of ['moto', 'ministack', 'elasticmq'] as const) {
  describeEngine('queues', engine, queueCases);
  describeEngine('inboxes', engine, inboxCases);
}
