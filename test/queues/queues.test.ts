import { describeQueues } from './describe-queues.ts';
import { openMemoryQueues } from './memory-under-test.ts';
import { openSqsQueues } from './sqs-under-test.ts';

describeQueues('queues in memory', openMemoryQueues);
describeQueues('queues of the SQS emulator', openSqsQueues);
