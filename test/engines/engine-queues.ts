import { CreateQueueCommand, GetQueueAttributesCommand, type SQSClient } from '@aws-sdk/client-sqs';
import { QUEUES, type QueueName } from '../../local/queues/queue-server.ts';
import { createSqsClient } from '../../shared/adapters/aws/sqs/sqs-queues.ts';
import { RECEIVES_MAX } from '../../shared/names/dead-letter-queues.ts';
import type { SqsUnderTest } from '../queues/sqs-under-test.ts';
import { REGION, asSigned } from './engine-client.ts';

let opened = 0;

/** Our queues as the stack makes them, under names of their own, at an engine's SQS. */
export async function queuesAt(endpoint: string, visibilitySec: number): Promise<SqsUnderTest> {
  const client = asSigned(createSqsClient({ region: REGION, endpoint }), 'sqs');
  const suffix = `${process.pid}-${++opened}`;
  const made = await Promise.all(
    QUEUES.map(async (name) => {
      const dead = await makeQueue(client, `${name}-dead-${suffix}`, {});
      const redrive = { deadLetterTargetArn: dead.arn, maxReceiveCount: String(RECEIVES_MAX) };
      const queue = await makeQueue(client, `${name}-${suffix}`, {
        VisibilityTimeout: String(visibilitySec),
        RedrivePolicy: JSON.stringify(redrive),
      });
      return { name, url: queue.url, deadUrl: dead.url };
    }),
  );
  const byName = (url: 'url' | 'deadUrl') =>
    Object.fromEntries(made.map((each) => [each.name, each[url]])) as Record<QueueName, string>;
  return { client, urls: byName('url'), deadUrls: byName('deadUrl'), close: async () => undefined };
}

async function makeQueue(client: SQSClient, QueueName: string, Attributes: Record<string, string>) {
  const { QueueUrl: url = '' } = await client.send(new CreateQueueCommand({ QueueName, Attributes }));
  const found = await client.send(new GetQueueAttributesCommand({ QueueUrl: url, AttributeNames: ['QueueArn'] }));
  return { url, arn: found.Attributes?.QueueArn ?? '' };
}
