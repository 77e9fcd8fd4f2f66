import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ALocalRuntime, aLocalRuntime } from '../e2e/a-local-runtime.ts';
import { PATIENCE_MS, TEST_MS } from '../e2e/kube-calls.ts';
import { CHAPTERS } from './chapters.ts';
import { findKubectls, gapsOf } from './kubectls.ts';
import { Terminal } from './terminal.ts';
import { isVerifying } from '../verify/verifying.ts';

const kubectls = findKubectls();
const gaps = gapsOf(kubectls);
if (gaps.length > 0 && !isVerifying) console.warn(`SKIPPED, as far as it needs them: ${gaps.join('; ')}`);

test.runIf(isVerifying)('CI has the kubectls that the session is promised for', () => {
  expect(gaps).toEqual([]);
});

/** One runtime for all: what each prints is in namespaces of its own. A test that is tried again gets a fresh one. */
describe.runIf(kubectls.length > 0)('a session', { timeout: TEST_MS }, () => {
  let local: ALocalRuntime;
  let namespaces = 0;
  beforeAll(async () => {
    local = await aLocalRuntime();
    for (const { name } of kubectls) mkdirSync(join(local.root, name));
  }, PATIENCE_MS);
  afterAll(async () => local.close());

  describe.each(kubectls)('with kubectl $name', (kubectl) => {
    test.concurrent.for(Object.entries(CHAPTERS))('%s', async ([name, chapter], { expect }) => {
      const namespace = `${name}-1-${kubectl.minor}-${++namespaces}`.replaceAll(/[^a-z0-9]+/g, '-');
      const home = join(local.root, kubectl.name);
      const terminal = new Terminal({ kubectl, namespace, home, kubeconfig: local.runtime.kubeconfig });
      expect(await terminal.run(`create namespace ${namespace}`)).toBe(`namespace/${namespace} created`);
      await chapter(terminal, local);
      expect(terminal.differences.join('\n\n')).toBe('');
    });
  });
});
