import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { kubeconfigText } from '../../local/kubeconfig.ts';
import { type ALocalRuntime, aLocalRuntime } from '../e2e/a-local-runtime.ts';
import { JOBS, PATIENCE_MS, TEST_MS, indexed, kubeAt, shellJob } from '../e2e/kube-calls.ts';
import { findKubectls, gapsOf } from '../kubectl/kubectls.ts';
import { Terminal } from '../kubectl/terminal.ts';
import { type AnApiProcess, anApiProcess } from './an-api-process.ts';
import { isVerifying } from '../verify/verifying.ts';

const INDEXES = 10_000;
const PAGE = 500;
const MEMORY_MAX_MB = 300;
const WATCHERS = 5;
/** Somebody lists all for a fifth of the time: the Job needs the cores, too, and a busy machine must not get busier by lists. */
const PAUSE_PER_LIST = 4;
/** Three minutes alone; a busy machine may take ten times as long. */
const ENDS_WITHIN_MS = 3 * PATIENCE_MS;
const SCRIPT = { seed: 1, runMs: [200, 2_000] } as const;

const kubectl = findKubectls().at(-1);
if (kubectl === undefined && !isVerifying) console.warn(`SKIPPED: ${gapsOf([]).join('; ')}`);

test.runIf(isVerifying)('CI has a kubectl', () => {
  expect(kubectl).toBeDefined();
});

describe.runIf(kubectl !== undefined)(`a Job of ${INDEXES} indexes`, { timeout: ENDS_WITHIN_MS + TEST_MS }, () => {
  let local: ALocalRuntime;
  let api: AnApiProcess;
  let terminal: Terminal;
  beforeEach(async () => {
    local = await aLocalRuntime({ driver: 'simulated', script: SCRIPT, wiring: 'emulateAws' });
    api = await anApiProcess(local.runtime);
    const home = join(local.root, 'home');
    mkdirSync(home);
    const kubeconfig = join(local.root, 'kubeconfig');
    writeFileSync(kubeconfig, kubeconfigText({ server: api.url, name: 'api', namespace: 'default', user: {} }));
    terminal = new Terminal({ kubectl: kubectl!, namespace: 'default', home, kubeconfig });
    await terminal.run('get jobs'); // learns what there is, once
  }, PATIENCE_MS);
  afterEach(async () => {
    await api.close();
    await local.close();
  });

  test('kubectl pages through its Pods and hears of its end; those who list and watch everything cost little memory', async () => {
    const { url } = api;
    const kube = kubeAt(url);
    const watchers = Array.from({ length: WATCHERS }, () =>
      aReader(`${url}/api/v1/namespaces/default/pods?watch=true`),
    );
    await kube.create(shellJob('many', 'true', indexed(INDEXES, INDEXES)));
    const waiting = terminal.start(`wait --for=condition=complete job/many --timeout=${ENDS_WITHIN_MS / 1_000}s`);
    await untilComplete(url, async () => fetchLength(`${url}/api/v1/namespaces/default/pods`));
    expect(await waiting.ended).toBe('job.batch/many condition met');
    expect((await kube.job('many')).status).toMatchObject({ succeeded: INDEXES, completedIndexes: `0-${INDEXES - 1}` });

    // Page by page, as kubectl asks; its log shows each request.
    const paged = (await terminal.run('get pods --no-headers -v=6')).split('\n');
    expect(paged.filter((line) => line.includes('200 OK') && line.includes(`limit=${PAGE}`))).toHaveLength(
      INDEXES / PAGE,
    );
    expect(paged.filter((line) => /^many-\d+-xxxxx   0\/1   Completed   0   \S+$/.test(line))).toHaveLength(INDEXES);
    const names = (await terminal.json('get pods --chunk-size=0')) as { items: { metadata: { name: string } }[] };
    expect(new Set(names.items.map(({ metadata }) => metadata.name)).size).toBe(INDEXES);
    const some = await terminal.run('get pods --no-headers -l batch.kubernetes.io/job-completion-index=9999');
    expect(some).toMatch(/^many-9999-xxxxx   0\/1   Completed   0   \S+$/);

    const read = await Promise.all(watchers.map(async (watcher) => watcher.stop()));
    for (const bytes of read) expect(bytes).toBeGreaterThan(INDEXES * 500);
    expect(api.peakMemoryMb() ?? 0).toBeLessThan(MEMORY_MAX_MB);
  });
});

/** Resolves when a watch shows the Job as Complete, while `meanwhile` is done over and over. */
async function untilComplete(url: string, meanwhile: () => Promise<unknown>): Promise<void> {
  let done = false;
  const busy = (async () => {
    while (!done) {
      const startedMs = performance.now();
      await meanwhile();
      await sleep(PAUSE_PER_LIST * (performance.now() - startedMs));
    }
  })();
  const shown = (async () => {
    // The server ends a watch after 14 minutes.
    while (!(await isShownComplete(url)));
  })().finally(() => (done = true));
  await Promise.all([shown, busy]);
}

/** Whether a watch shows the Job as Complete before it ends. */
async function isShownComplete(url: string): Promise<boolean> {
  const body = await bodyOf(`${url}${JOBS}?watch=true&fieldSelector=metadata.name%3Dmany`);
  let rest = '';
  for await (const chunk of body.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop()!;
    if (lines.some((line) => line.includes('"type":"Complete"'))) return true;
  }
  return false;
}

/** An answer's body; throws if the server refuses, so that a loop of watches does not ask for ever. */
async function bodyOf(url: string, signal: AbortSignal | null = null): Promise<ReadableStream<Uint8Array>> {
  const { ok, status, body } = await fetch(url, { signal });
  if (!ok || body === null) throw new Error(`${url}: ${status}`);
  return body;
}

/** Bytes of an answer, which is not kept. */
async function fetchLength(url: string): Promise<number> {
  let length = 0;
  for await (const chunk of await bodyOf(url)) length += chunk.length;
  return length;
}

/** Reads a watch, and again when the server has ended it; `stop` tells how many bytes came. */
function aReader(url: string): { readonly stop: () => Promise<number> } {
  const stopping = new AbortController();
  let bytes = 0;
  const reading = (async () => {
    for (;;) {
      for await (const chunk of await bodyOf(url, stopping.signal)) bytes += chunk.length;
    }
  })().catch(() => undefined);
  return {
    async stop() {
      stopping.abort();
      await reading;
      return bytes;
    },
  };
}
