import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ReceiveMessageCommand, SendMessageCommand } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createSqsClient } from '../../shared/adapters/aws/sqs-queues.ts';
import { DEAD_LETTER } from '../../shared/names/dead-letters.ts';
import { type ALocalRuntime, aLocalRuntime } from './a-local-runtime.ts';
import { PATIENCE_MS, conditionsOf, eventually, indexed, linesOf, shellJob, TEST_MS } from './kube-calls.ts';

const INDEXES = 40;

let local: ALocalRuntime;
beforeAll(async () => {
  local = await aLocalRuntime();
}, PATIENCE_MS);
afterAll(async () => local.close());

const fixture = (name: string): string =>
  readFileSync(join(import.meta.dirname, '../fixtures/ecs-events', name), 'utf8');

/** What nobody of ours has written, and what is said about it. */
const ANYWHERE: readonly (readonly [string, RegExp])[] = [
  ['no JSON at all', /JSON/],
  ['{"v":1,"uid":"cut off', /JSON/],
  ['null', /expected object/],
  ['[1,2,3]', /expected object/],
  ['{}', /ZodError/],
  ['{"v":2,"uid":"of-a-later-release"}', /ZodError/],
  ['{"v":1,"uid":"../../etc/passwd"}', /uid|kind/],
  ['{"v":1,"uid":"x","kind":"explode"}', /kind|explode/],
  ['\u00E9'.repeat(100_000), /JSON/],
];
const BAD: Readonly<Record<'wake' | 'facts' | 'dispatch', readonly (readonly [string, RegExp])[]>> = {
  wake: ANYWHERE,
  facts: [
    ...ANYWHERE,
    [fixture('of-somebody-else.json'), /not ours/],
    ['{"v":1,"uid":"x","facts":[{"kind":"stopped"}]}', /facts/],
    ['{"v":1,"uid":"x","facts":"all"}', /facts/],
    ['{"source":"aws.ecs","detail-type":"ECS Task State Change","detail":{}}', /./],
  ],
  dispatch: [
    ...ANYWHERE,
    ['{"v":1,"kind":"pack","uid":"x","launch":[[0,1]],"stop":[]}', /launch/],
    ['{"v":1,"kind":"stopTask","uid":"x","taskArn":"https://example.com"}', /taskArn/],
  ],
};

test('what cannot be understood reaches the dead-letter queue with its reason, and harms no Job', {
  timeout: TEST_MS,
}, async () => {
  const { kube, workspaceDir, runtime } = local;
  const { region, endpoints, accessKey, queues, deadQueues } = runtime.options;
  const client = createSqsClient({ region, endpoint: endpoints.sqs, accessKey: accessKey! });
  try {
    // Every index takes a while, so that the messages come between its facts.
    await kube.create(shellJob('sums', 'sleep 0.2; echo $JOB_COMPLETION_INDEX >> out', indexed(INDEXES, 8)));
    for (const queue of ['wake', 'facts', 'dispatch'] as const) {
      const bad = BAD[queue];
      await Promise.all(
        bad.map(async ([body]) => client.send(new SendMessageCommand({ QueueUrl: queues[queue], MessageBody: body }))),
      );
    }
    for (const queue of ['wake', 'facts', 'dispatch'] as const) {
      const bad = BAD[queue];
      const buried = new Map<string, { readonly reason: string; readonly from: string }>();
      let letters = 0;
      await eventually(
        async () => {
          const { Messages: messages = [] } = await client.send(
            new ReceiveMessageCommand({
              QueueUrl: deadQueues[queue]!,
              MaxNumberOfMessages: 10,
              MessageAttributeNames: ['All'],
            }),
          );
          for (const { Body: body = '', MessageAttributes: attributes = {} } of messages) {
            letters++;
            const of = (name: string): string => attributes[name]?.StringValue ?? '';
            buried.set(body, { reason: of(DEAD_LETTER.reason), from: of(DEAD_LETTER.queue) });
          }
          return letters >= bad.length ? true : null;
        },
        () => `${letters} of ${bad.length} messages are in the dead-letter queue of ${queue}`,
      );
      expect([...buried.keys()].toSorted()).toEqual(bad.map(([body]) => body).toSorted());
      for (const [body, reason] of bad)
        expect(buried.get(body)).toEqual({ reason: expect.stringMatching(reason) as string, from: queues[queue] });
    }
    const job = await kube.ended('sums');
    expect(conditionsOf(job)).toEqual(['SuccessCriteriaMet', 'Complete']);
    expect(job.status).toMatchObject({ succeeded: INDEXES, failed: 0, completedIndexes: '0-39' });
    const lines = linesOf(workspaceDir, 'out');
    expect(lines).toHaveLength(INDEXES);
    expect(new Set(lines).size).toBe(INDEXES);
  } finally {
    client.destroy();
  }
});
