import { cpSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { App } from 'aws-cdk-lib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { MusterStack } from '../../../cdk/muster-stack.ts';
import { readSettings } from '../../../cdk/settings.ts';
import type { Handlers } from '../../../local/handlers.ts';
import { DEAD_QUEUE_ENV } from '../../../shared/names/dead-letter-queues.ts';
import { ENDPOINT_ENV } from '../../../shared/names/endpoints.ts';
import { ENV } from '../../../shared/names/env.ts';
import type { RuntimeOptions } from '../../../shared/runtime/create-runtime.ts';
import { type BundledHandlers, bundledHandlers } from '../../support/bundled-handlers.ts';
import { getThroughGateway, postThroughGateway, pretendLambda } from '../../support/lambda-stream.ts';
import { type ALocalRuntime, aLocalRuntime } from '../a-local-runtime.ts';
import { EXAMPLES, JOBS, PATIENCE_MS, conditionsOf, exampleJob, TEST_MS } from '../kube-calls.ts';
import { canLook } from '../processes-left.ts';

// What would be deployed, run on the embedded AWS. Each bundle makes its own runtime of its environment, as on Lambda,
// so it takes a DynamoDB that can be reached.
if (!canLook) console.warn('SKIPPED: the bundled handlers need the DynamoDB engine, which this machine has not');

const cdkOut = mkdtempSync(join(tmpdir(), 'muster-cdk-'));
const invocations = { reconcile: 0, dispatch: 0, sweep: 0 };
let bundles: BundledHandlers;
let local: ALocalRuntime;

beforeAll(async () => {
  if (!canLook) return;
  process.env['CDK_VALIDATION'] = 'false';
  const app = new App({ outdir: cdkOut });
  new MusterStack(app, 'Muster', { settings: readSettings(() => undefined) });
  app.synth();
  bundles = bundledHandlers(cdkOut);
  pretendLambda();
  local = await aLocalRuntime({ wiring: 'emulateAws', handlers: async (_own, options) => fromBundles(options!) });
  cpSync(join(EXAMPLES, 'mandelbrot'), local.workspaceDir, {
    recursive: true,
    filter: (path) => !path.startsWith(join(EXAMPLES, 'mandelbrot', 'tiles')),
  });
}, PATIENCE_MS);
afterAll(async () => {
  await local?.close();
  rmSync(cdkOut, { recursive: true, force: true });
});

test.runIf(canLook)('the bundled handlers run mandelbrot, all 64 tiles', { timeout: TEST_MS }, async () => {
  const api = await handlerIn(bundles.api);
  const created = await postThroughGateway(api, JOBS, exampleJob('mandelbrot'));
  expect(created.statusCode).toBe(201);
  const job = await local.kube.ended('mandelbrot');
  expect(conditionsOf(job)).toEqual(['SuccessCriteriaMet', 'Complete']);
  expect(job.status).toMatchObject({ succeeded: 64, failed: 0, active: 0, completedIndexes: '0-63' });
  const tiles = Array.from({ length: 64 }, (_, index) => `${index}.ppm`);
  expect(readdirSync(join(local.workspaceDir, 'tiles')).toSorted()).toEqual(tiles.toSorted());

  const read = await getThroughGateway(api, `${JOBS}/mandelbrot`);
  expect(JSON.parse(read.body)).toMatchObject({ status: { succeeded: 64, completedIndexes: '0-63' } });
  expect(invocations.reconcile).toBeGreaterThan(0);
  expect(invocations.dispatch).toBeGreaterThan(0);
});

/** The functions as Lambda would load them: environment first. */
async function fromBundles(options: RuntimeOptions): Promise<Handlers> {
  Object.assign(process.env, environmentOf(options));
  const load = async <T>(name: keyof Handlers): Promise<T> => {
    const handler = (await handlerIn(bundles[name])) as (...args: unknown[]) => unknown;
    return ((...args: unknown[]) => {
      invocations[name]++;
      return handler(...args);
    }) as T;
  };
  return {
    reconcile: await load<Handlers['reconcile']>('reconcile'),
    dispatch: await load<Handlers['dispatch']>('dispatch'),
    sweep: await load<Handlers['sweep']>('sweep'),
  };
}

async function handlerIn(file: string): Promise<unknown> {
  expect(existsSync(file)).toBe(true);
  return ((await import(/* @vite-ignore */ file)) as { readonly handler?: unknown }).handler;
}

/** The variables that the stack sets, and those that point at emulators. */
function environmentOf({ store, endpoints, queues, deadQueues, placement, names = null, ...options }: RuntimeOptions) {
  if (store.kind !== 'dynamodb') throw new Error('the bundles cannot share a store in memory');
  return {
    AWS_REGION: options.region,
    [ENV.table]: store.tableName,
    [ENV.wakeQueueUrl]: queues.wake,
    [ENV.factQueueUrl]: queues.facts,
    [ENV.dispatchQueueUrl]: queues.dispatch,
    [ENV.cluster]: placement.cluster,
    [ENV.subnets]: placement.subnets.join(','),
    [ENV.securityGroups]: placement.securityGroups.join(',') || 'sg-local',
    [ENV.assignPublicIp]: placement.assignPublicIp,
    [ENV.executionRoleArn]: options.executionRoleArn,
    [ENV.logGroup]: options.logGroup,
    [ENV.historyDays]: '7',
    [DEAD_QUEUE_ENV.wake]: deadQueues.wake,
    [DEAD_QUEUE_ENV.facts]: deadQueues.facts,
    [DEAD_QUEUE_ENV.dispatch]: deadQueues.dispatch,
    [ENDPOINT_ENV.dynamodb]: store.endpoint,
    [ENDPOINT_ENV.sqs]: endpoints.sqs,
    [ENDPOINT_ENV.ecs]: endpoints.ecs,
    [ENDPOINT_ENV.logs]: endpoints.logs,
    ...(names === null
      ? {}
      : {
          [ENV.hostsZone]: names.zone,
          [ENV.hostsNamespaceId]: names.namespaceId,
          [ENDPOINT_ENV.cloudmap]: names.endpoint,
        }),
    [ENDPOINT_ENV.accessKey]: options.accessKey,
  };
}
