import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { TYPICAL_RUNS } from '../containers/typical-runs.ts';
import { completionsOf } from '../fixtures/typical-manifests.ts';
import { type ALocalRuntime, aLocalRuntime } from './a-local-runtime.ts';
import { PATIENCE_MS, TEST_MS, conditionsOf } from './kube-calls.ts';
import { makeAll, podsByIndex, submitTypical } from './typical-jobs.ts';

/** Those that mount nothing at a path of their choice, and whose programs are on this machine. */
const WITH_PROCESSES = ['affinity', 'priority', 'release-hook', 'tolerations'];

// With containers, all of them: test/containers/manifests.test.ts.
describe('typical manifests, applied as they are, with processes', { timeout: TEST_MS }, () => {
  let local: ALocalRuntime;
  beforeAll(async () => {
    local = await aLocalRuntime();
    const { manage = '' } = TYPICAL_RUNS['release-hook']?.images?.['example.com/shop:4.1'] ?? {};
    writeFileSync(join(local.workspaceDir, 'manage'), `#!/bin/sh\n${manage}\n`, { mode: 0o755 });
  }, PATIENCE_MS);
  afterAll(async () => local.close());

  test.each(WITH_PROCESSES)('%s ends, and each Pod printed what it should', async (name) => {
    const { kube } = local;
    const { objects, prints = () => 'nothing' } = TYPICAL_RUNS[name] ?? {};
    await makeAll(kube, objects?.(local.root) ?? []);
    await submitTypical(kube, name);
    expect(conditionsOf(await kube.ended(name))).toContain('Complete');
    const pods = await podsByIndex(kube, name);
    expect(pods).toHaveLength(completionsOf(name));
    for (const [index, pod] of pods) expect([index, await kube.log(pod.metadata.name)]).toEqual([index, prints(index)]);
  });
});
