import { cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { BundledHandlers } from '../../support/built/bundled-handlers.ts';
import { getThroughGateway, postThroughGateway, pretendLambda } from '../../support/lambda-stream.ts';
import { type ALocalRuntime, aLocalRuntime } from '../a-local-runtime.ts';
import { EXAMPLES, JOBS, PATIENCE_MS, conditionsOf, exampleJob, TEST_MS } from '../kube-calls.ts';
import { canLook } from '../processes-left.ts';
import { bundledInto, fromBundles, handlerIn } from './from-bundles.ts';

// What would be deployed, run on the embedded AWS. Each bundle makes its own runtime of its environment, as on Lambda,
// so it takes a DynamoDB that can be reached.
if (!canLook) console.warn('SKIPPED: the bundled handlers need the DynamoDB engine, which this machine has not');

const cdkOut = mkdtempSync(join(tmpdir(), 'muster-cdk-'));
const invocations = { reconcile: 0, dispatch: 0, sweep: 0, submit: 0 };
let bundles: BundledHandlers;
let local: ALocalRuntime;

beforeAll(async () => {
  if (!canLook) return;
  bundles = bundledInto(cdkOut);
  pretendLambda();
  local = await aLocalRuntime({
    wiring: 'emulateAws',
    handlers: async (_own, options) => fromBundles(bundles, options!, (name) => void invocations[name]++),
  });
  cpSync(join(EXAMPLES, 'mandelbrot'), local.workspaceDir, {
    recursive: true,
    filter: (path) => !path.startsWith(join(EXAMPLES, 'mandelbrot', 'tiles')),
  });
}, PATIENCE_MS);
afterAll(async () => {
  await local?.close();
  vi.unstubAllEnvs();
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
