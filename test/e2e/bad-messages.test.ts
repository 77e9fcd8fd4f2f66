import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { SendMessageCommand } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createSqsClient } from '../../shared/adapters/aws/sqs/sqs-queues.ts';
import type { StoredDeadLetter } from '../../shared/ports/dead-letters.ts';
import { environmentOf, operatorsRuntime } from '../support/test-wiring.ts';
import { type ALocalRuntime, aLocalRuntime } from './a-local-runtime.ts';
import { PATIENCE_MS, conditionsOf, eventually, indexed, linesOf, shellJob, TEST_MS } from './kube-calls.ts';

const INDEXES = 40;

let local: ALocalRuntime;
beforeAll(async () => {
  local = await aLocalRuntime({ wiring: 'emulateAws' }); // whose queues take any text
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
  ['{"v":0,"uid":"of-no-release"}', /ZodError/],
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

/** Dead letters as people can list them. */
async function filedIn({ runtime }: ALocalRuntime): Promise<readonly StoredDeadLetter[]> {
  const operators = operatorsRuntime(runtime);
  try {
    return (await operators.deadLetters.deadLetters.newest(1_000)).deadLetters;
  } finally {
    operators.close();
  }
}

test('what cannot be understood is put aside with its reason, and harms no Job', {
  timeout: TEST_MS,
}, async () => {
  const { kube, workspaceDir, runtime } = local;
  const { region, endpoints, accessKey, queues } = environmentOf(runtime);
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
    const all = Object.entries(BAD).flatMap(([queue, bad]) => bad.map(([body, reason]) => ({ queue, body, reason })));
    // Here as on AWS the sweep takes letters out of the dead-letter queues and files them.
    const filed = await eventually(
      async () => {
        const letters = await filedIn(local);
        return letters.length >= all.length ? letters : null;
      },
      () => `not all of ${all.length} messages are filed; said: ${local.said.join('\n')}`,
    );
    const key = ({ queue, body }: { readonly queue: string; readonly body: string }) =>
      `${queue} ${body.slice(0, 100)}`;
    expect(filed.map(key).toSorted()).toEqual(all.map(key).toSorted());
    for (const { queue, body, reason } of all)
      expect(filed.find((letter) => key(letter) === key({ queue, body }))?.reason).toMatch(reason);
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
