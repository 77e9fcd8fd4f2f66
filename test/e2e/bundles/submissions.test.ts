import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SendMessageCommand } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { createSqsClient } from '../../../shared/adapters/aws/sqs/sqs-queues.ts';
import { environmentOf, operatorsRuntime } from '../../support/test-wiring.ts';
import { type ALocalRuntime, aLocalRuntime } from '../a-local-runtime.ts';
import { JOBS, PATIENCE_MS, TEST_MS, eventually } from '../kube-calls.ts';
import { canLook } from '../processes-left.ts';
import { bundledInto, fromBundles } from './from-bundles.ts';

// Messages as AWS's services write them, through SQS to the function that would be deployed.
if (!canLook) console.warn('SKIPPED: the bundled handlers need the DynamoDB engine, which this machine has not');

const cdkOut = mkdtempSync(join(tmpdir(), 'muster-cdk-'));
let local: ALocalRuntime;
beforeAll(async () => {
  if (!canLook) return;
  const bundles = bundledInto(cdkOut);
  local = await aLocalRuntime({
    driver: 'simulated',
    script: { runMs: 10 },
    wiring: 'emulateAws',
    handlers: async (_own, options) => fromBundles(bundles, options!),
  });
}, PATIENCE_MS);
afterAll(async () => {
  await local?.close();
  vi.unstubAllEnvs();
  rmSync(cdkOut, { recursive: true, force: true });
});

const fixture = (name: string): string =>
  readFileSync(join(import.meta.dirname, '../../fixtures/submissions', `${name}.json`), 'utf8');
const CRONS = '/apis/batch/v1/namespaces/default/cronjobs';
const EVENTS = '/api/v1/namespaces/default/events?fieldSelector=involvedObject.kind=Namespace';
const cron = (name: string, annotations: object = {}) => ({
  apiVersion: 'batch/v1',
  kind: 'CronJob',
  metadata: { name, annotations },
  spec: {
    schedule: '@yearly',
    suspend: true,
    jobTemplate: {
      spec: {
        template: { spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'i', command: ['true'] }] } },
      },
    },
  },
});
type Shown = {
  readonly metadata: { readonly name: string; readonly labels: Record<string, string>; readonly annotations?: object };
  readonly status: { readonly succeeded?: number; readonly completionTime?: string };
};

test.runIf(canLook)('each service makes its Job, once, and what is refused is said', { timeout: TEST_MS }, async () => {
  const { kube, runtime } = local;
  const { region, endpoints, accessKey, queues } = environmentOf(runtime);
  const client = createSqsClient({ region, endpoint: endpoints.sqs, accessKey: accessKey! });
  const send = async (MessageBody: string): Promise<unknown> =>
    client.send(new SendMessageCommand({ QueueUrl: queues.submit!, MessageBody }));
  const itemsAt = async <T>(path: string): Promise<readonly T[]> =>
    (JSON.parse((await kube.ask('GET', path)).text) as { readonly items: readonly T[] }).items;
  const operators = operatorsRuntime(runtime);
  try {
    for (const each of [cron('report'), cron('load', { 'muster.run/on-object-created': 'uploads/incoming/*.csv' })])
      expect((await kube.ask('POST', CRONS, each)).status).toBe(201);
    const services = ['sns-notification', 'eventbridge-own', 'eventbridge-transformed', 'scheduler', 'step-functions'];
    const notifications = ['s3-notification', 's3-through-eventbridge', 's3-test-event'];
    for (let round = 0; round < 2; round++)
      for (const name of [...services, ...notifications]) await send(fixture(name));
    await send(fixture('eventbridge-other'));

    const expected = services.length + 1;
    await eventually(
      async () => {
        const done = (await itemsAt<Shown>(JOBS)).filter(({ status }) => status.completionTime !== undefined);
        return done.length >= expected ? true : null;
      },
      () => `not all Jobs succeed; said: ${local.said.join('\n')}`,
    );
    const events = await eventually(
      async () => {
        await runtime.handlers.sweep({ time: new Date().toISOString() }, {} as never);
        const found = await itemsAt<{ readonly reason: string; readonly message: string }>(EVENTS);
        return found.length > 0 ? found : null;
      },
      () => 'no Event says what was refused',
    );
    expect(events).toMatchObject([{ reason: 'SubmissionRefused' }]);
    expect(events[0]?.message).toMatch(/"Scheduled Event" of "aws.events"/);
    // All messages are worked on: the queue is empty, and nothing more can come.
    await eventually(
      async () => {
        const depths = await operators.queueDepths();
        const submit = depths.find(({ queue }) => queue === 'submit');
        return submit !== undefined && submit.waiting + submit.hidden + submit.dead === 0 ? true : null;
      },
      () => 'the submit queue is not drained',
    );
    const jobs = await itemsAt<Shown>(JOBS);
    const from = jobs.map(({ metadata }) => metadata.labels['muster.run/submitted-from'] ?? '').toSorted();
    expect(from).toEqual(['load', ...services.map(() => 'report')]);
    const waited = jobs.filter(({ metadata }) =>
      JSON.stringify(metadata.annotations ?? {}).includes('AQCEAAAAKgAAAAMAAAAAAAAAAdBu7qpTGHvL2example'),
    );
    expect(waited).toHaveLength(1);
    expect(waited[0]?.status.succeeded).toBe(2);
  } finally {
    operators.close();
    client.destroy();
  }
});
