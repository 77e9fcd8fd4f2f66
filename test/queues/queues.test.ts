import { describeQueues } from './describe-queues.ts';
import { describeInboxes, VISIBILITY_SEC } from './describe-inboxes.ts';
import { openInProcessInboxes, openInProcessQueues } from './in-process-under-test.ts';
import { openMemoryQueues } from './memory-under-test.ts';
import { openSqsInboxes, openSqsQueues } from './sqs-under-test.ts';

describeQueues('queues in memory', openMemoryQueues);
describeQueues('queues of the SQS emulator', openSqsQueues);
describeQueues('queues in this process', openInProcessQueues);
describeInboxes('queues of the SQS emulator', async () => openSqsInboxes(VISIBILITY_SEC));
describeInboxes('queues in this process', async () => openInProcessInboxes(VISIBILITY_SEC));
