import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ANNOTATIONS } from '../../shared/domain/spec/annotations.ts';
import { NEW_ANNOTATIONS } from '../../shared/domain/spec/new-in-release.ts';
import { type ALocalRuntime, aLocalRuntime } from '../e2e/a-local-runtime.ts';
import { JOBS, PATIENCE_MS, TEST_MS, indexed, shellJob } from '../e2e/kube-calls.ts';
import { canLook } from '../e2e/processes-left.ts';
import { CONFIGS, FURIKO_JOBS } from '../kube/furiko/a-furiko-world.ts';
import { configDocument, furikoDocument } from '../support/furiko-document.ts';
import { getThroughGateway, postThroughGateway, pretendLambda } from '../support/lambda-stream.ts';
import { operatorsRuntime } from '../support/test-wiring.ts';
import { annotated, expectExact, fiveJobs, fly } from './five-jobs.ts';
import { type FunctionName, type MixedFunctions, type Release, mixedFunctions } from './mixed-functions.ts';
import {
  type ReleaseBefore,
  THIS_RELEASE,
  bundleFunctions,
  checkOutReleaseBefore,
  hasReleaseBefore,
} from './release-before.ts';

// The functions of the release before, and those of this one, on one table, with Jobs in flight: a deployment replaces one
// function after the other, and a rollback does so in the other direction.
const canRun = canLook && hasReleaseBefore;
if (!hasReleaseBefore) console.warn('SKIPPED: the release before (.ci/release-before) is not in this clone');
if (!canLook) console.warn('SKIPPED: functions of two releases need the DynamoDB engine, which this machine has not');

/** What is deployed, one after the other, and what runs meanwhile. */
const DEPLOYMENTS: readonly (readonly [FunctionName, Release] | null)[] = [
  null,
  ['reconcile', 'this'],
  ['api', 'this'],
  ['dispatch', 'this'],
  ['sweep', 'this'],
  // All is of this release now. Back again, in another order:
  ['dispatch', 'before'],
  ['sweep', 'before'],
  ['reconcile', 'before'],
  ['api', 'before'],
];
const folder = mkdtempSync(join(tmpdir(), 'muster-upgrade-'));
let before: ReleaseBefore;
let mixed: MixedFunctions;
let local: ALocalRuntime;

beforeAll(async () => {
  if (!canRun) return;
  before = checkOutReleaseBefore(join(folder, 'before'));
  pretendLambda();
  mixed = mixedFunctions({
    before: await bundleFunctions(before.folder, join(folder, 'bundles-before')),
    this: await bundleFunctions(THIS_RELEASE, join(folder, 'bundles-this')),
  });
  local = await aLocalRuntime({
    wiring: 'emulateAws',
    handlers: async (_own, options) => mixed.handlers(options!),
  });
}, PATIENCE_MS);
afterAll(async () => {
  before?.remove();
  await local?.close();
  rmSync(folder, { recursive: true, force: true });
});

async function deadLetters(): Promise<readonly object[]> {
  const operators = operatorsRuntime(local.runtime);
  try {
    return (await operators.deadLetters.deadLetters.newest(100)).deadLetters;
  } finally {
    operators.close();
  }
}

/** While the installation may go back, it stores nothing that the release before cannot read. */
async function refusesWhatIsNew(): Promise<void> {
  const later = annotated(shellJob('later', 'true', indexed(3, 1)), { 'muster.run/after': 'plain' });
  const refused = await postThroughGateway(mixed.api(), JOBS, later);
  expect([refused.statusCode, refused.body]).toEqual([422, expect.stringContaining('formats=previous')]);
  const service = { metadata: { name: 'names' }, spec: { clusterIP: 'None', selector: { 'job-name': 'plain' } } };
  for (const [path, document] of [
    ['/api/v1/namespaces/default/services', { apiVersion: 'v1', kind: 'Service', ...service }],
    [CONFIGS, configDocument()],
    [FURIKO_JOBS, furikoDocument()],
  ] as const) {
    const answer = await postThroughGateway(mixed.api(), path, document);
    expect([answer.statusCode, answer.body]).toEqual([422, expect.stringContaining('formats=previous')]);
  }
  const action = { action: 'hold', indexes: '26' };
  const held = await postThroughGateway(mixed.api(), '/muster/v1/namespaces/default/jobs/plain/indexes', action);
  expect([held.statusCode, held.body]).toEqual([422, expect.stringContaining('formats=previous')]);
}

test.runIf(canRun)(
  'the annotations that only this release knows are those that the one before does not have',
  async () => {
    const { ANNOTATIONS: old } = (await import(
      /* @vite-ignore */ join(before.folder, 'shared/domain/spec/annotations.ts')
    )) as { readonly ANNOTATIONS: Readonly<Record<string, string>> };
    const known = new Set(Object.values(old));
    expect([...NEW_ANNOTATIONS].toSorted()).toEqual(
      Object.values(ANNOTATIONS)
        .filter((name) => !known.has(name))
        .toSorted(),
    );
  },
);

test.runIf(canRun)(
  'five Jobs in flight survive an upgrade and a rollback, function by function, exactly',
  {
    timeout: 3 * TEST_MS,
  },
  async () => {
    const five = fiveJobs(DEPLOYMENTS.length, local.workspaceDir);
    for (const { name, job } of five.all) {
      const created = await postThroughGateway(mixed.api(), JOBS, job);
      expect([name, created.statusCode, created.statusCode === 201 ? '' : created.body]).toEqual([name, 201, '']);
    }
    for (const [stage, deployment] of DEPLOYMENTS.entries()) {
      if (deployment !== null) mixed.deploy(...deployment);
      await fly(five, stage, local.kube);
      if (deployment?.[0] === 'api' && deployment[1] === 'this') await refusesWhatIsNew();
      const listed = await getThroughGateway(mixed.api(), JOBS);
      expect([stage, deployment, listed.statusCode]).toEqual([stage, deployment, 200]);
    }
    await expectExact(five, local.kube);
    expect(await deadLetters()).toEqual([]);
    for (const release of ['before', 'this'] as const)
      for (const name of ['reconcile', 'dispatch'] as const)
        expect([release, name, (mixed.invocations[release].get(name) ?? 0) > 0]).toEqual([release, name, true]);
  },
);
