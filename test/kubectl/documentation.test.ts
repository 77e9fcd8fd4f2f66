import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ALocalRuntime, aLocalRuntime } from '../e2e/a-local-runtime.ts';
import { PATIENCE_MS, TEST_MS } from '../e2e/kube-calls.ts';
import { findKubectls, gapsOf } from './kubectls.ts';
import { Terminal } from './terminal.ts';
import { isVerifying } from '../verify/verifying.ts';

/** The manifests of Kubernetes' documentation on Jobs, field for field. */
const MANIFESTS = join(import.meta.dirname, '../fixtures/kubernetes-docs');

/** What cannot be: the screen of `kubectl apply`. Everything else is taken as it is. */
const REFUSED: Readonly<Record<string, string>> = {
  'work-queue-pod':
    '! The Pod "redis-master" is invalid: spec.restartPolicy: Invalid value: "Always": a Pod runs to its end here, as nothing takes it away when it is idle: write "Never" or "OnFailure" (kubectl run --restart=Never)\nexit 1',
  'work-queue-service':
    '! The Service "rabbitmq-service" is invalid: spec.clusterIP: Required value: must be None: only headless Services are accepted here, beside a Job; nothing routes to the tasks of a Job\nexit 1',
};
/** What is taken, with a warning that something of it means nothing here. */
const WARNED: Readonly<Record<string, RegExp>> = {
  'pod-to-pod':
    /^! Warning: a Service has no effect here: .+\n! Warning: spec\.template\.spec\.subdomain: tasks have no search domain, .+\n/,
  'pod-failure-policy-config-issue':
    /^! Warning: spec\.podFailurePolicy\.rules\[0\]\.onPodConditions\[0\]\.type: this rule never matches, because Muster sets only the condition DisruptionTarget\n/,
};

/** kubectl sends lists without a key whole if the server has filled in a default, as in a cluster; nothing changes by it. */
const SENT_AGAIN: readonly string[] = ['indexed-job-vol'];

const kubectl = findKubectls().at(-1);
if (kubectl === undefined && !isVerifying) console.warn(`SKIPPED: ${gapsOf([]).join('; ')}`);

test.runIf(isVerifying)('CI has a kubectl', () => {
  expect(kubectl).toBeDefined();
});

type Manifest = { readonly kind: string; readonly metadata: { readonly name: string } };

describe.runIf(kubectl !== undefined)("Kubernetes' documentation", { timeout: TEST_MS }, () => {
  let local: ALocalRuntime;
  beforeAll(async () => {
    local = await aLocalRuntime({ driver: 'simulated', store: 'memory' });
    mkdirSync(join(local.root, 'home'));
  }, PATIENCE_MS);
  afterAll(async () => local.close());

  const files = readdirSync(MANIFESTS).map((file) => file.replace(/\.yaml$/, ''));
  let namespaces = 0;
  test.for(files)('apply -f %s.yaml', async (name) => {
    const path = join(MANIFESTS, `${name}.yaml`);
    const given = parseAllDocuments(readFileSync(path, 'utf8')).map((each) => each.toJS() as Manifest);
    const namespace = `docs-${++namespaces}`;
    const home = join(local.root, 'home');
    const terminal = new Terminal({ kubectl: kubectl!, namespace, home, kubeconfig: local.runtime.kubeconfig });
    await terminal.run(`create namespace ${namespace}`);
    const created = given
      .map(
        ({ kind, metadata }) => `${kind.toLowerCase()}${kind === 'Service' ? '' : '.batch'}/${metadata.name} created`,
      )
      .join('\n');
    const screen = (await terminal.run(`apply -f ${path}`)).replaceAll(path, 'FILE');
    const warning = WARNED[name] ?? /^/;
    expect(screen).toMatch(warning);
    expect(screen.replace(warning, '')).toBe(REFUSED[name] ?? created);
    if (REFUSED[name] !== undefined) return;
    const again = SENT_AGAIN.includes(name) ? 'configured' : 'unchanged';
    expect(await terminal.run(`apply -f ${path}`)).toBe(created.replaceAll('created', again));
    expect(await terminal.run(`diff -f ${path}`)).toBe('');
    // Nothing that it says was dropped on the way.
    for (const document of given) {
      expect(await terminal.json(`get ${document.kind} ${document.metadata.name}`)).toMatchObject(document);
    }
  });
});
