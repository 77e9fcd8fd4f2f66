import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Folders, someFolders } from '../e2e/a-local-runtime.ts';
import { answeringServer } from '../e2e/a-runtime-process.ts';
import { JOBS, PATIENCE_MS, TEST_MS, eventually, indexed, kubeAt, shellJob } from '../e2e/kube-calls.ts';
import { findKubectls, gapsOf } from '../kubectl/kubectls.ts';
import { Terminal } from '../kubectl/terminal.ts';

const INDEXES = 10_000;
const PAGE = 500;
const WITHIN_MS = 2_000;
const MEMORY_MAX_MB = 300;
const WATCHERS = 5;
/** V8 takes what it is given before it tidies up: so what is needed is seen, not what is free. Who needs more dies. */
const THRIFT = ['--max-old-space-size=160', '--max-semi-space-size=8'];
const ROOT = join(import.meta.dirname, '../..');

const kubectl = findKubectls().at(-1);
const inCi = (process.env['CI'] ?? '') !== '';
if (kubectl === undefined && !inCi) console.warn(`SKIPPED: ${gapsOf([]).join('; ')}`);

test.runIf(inCi)('CI has a kubectl', () => {
  expect(kubectl).toBeDefined();
});

describe.runIf(kubectl !== undefined)(`a Job of ${INDEXES} indexes`, { timeout: TEST_MS }, () => {
  let folders: Folders;
  let runtime: ChildProcess;
  let url = '';
  let terminal: Terminal;
  beforeAll(async () => {
    folders = someFolders();
    runtime = startSimulated(folders);
    const kubeconfig = join(folders.dataDir, 'kubeconfig');
    url = await eventually(
      async () => answeringServer(kubeconfig),
      () => 'the runtime does not answer',
    );
    const home = join(folders.root, 'home');
    mkdirSync(home);
    terminal = new Terminal({ kubectl: kubectl!, namespace: 'default', home, kubeconfig });
    await terminal.run('get jobs'); // learns what there is, once
  }, PATIENCE_MS);
  afterAll(async () => {
    const ended = new Promise((resolve) => runtime.once('exit', resolve));
    runtime.kill('SIGTERM');
    await ended;
    folders.remove();
  });

  test('kubectl pages through its Pods and hears of its end at once; those who list and watch everything cost little memory', async () => {
    const kube = kubeAt(url);
    const watchers = Array.from({ length: WATCHERS }, () =>
      aReader(`${url}/api/v1/namespaces/default/pods?watch=true`),
    );
    await kube.create(shellJob('many', 'true', indexed(INDEXES, INDEXES)));
    const waiting = terminal.start(`wait --for=condition=complete job/many --timeout=${PATIENCE_MS / 1000}s`);
    const waited = waiting.ended.then((screen) => ({ screen, atMs: performance.now() }));
    const shownAtMs = await completeShownAt(url, async () => fetchLength(`${url}/api/v1/namespaces/default/pods`));
    const { screen, atMs } = await waited;
    expect(screen).toBe('job.batch/many condition met');
    expect(atMs - shownAtMs).toBeLessThan(WITHIN_MS);
    expect((await kube.job('many')).status).toMatchObject({ succeeded: INDEXES, completedIndexes: `0-${INDEXES - 1}` });

    // Page by page, as kubectl asks; its log tells of each request.
    const paged = (await terminal.run('get pods --no-headers -v=6')).split('\n');
    expect(paged.filter((line) => line.includes(' 200 OK') && line.includes(`limit=${PAGE}`))).toHaveLength(
      INDEXES / PAGE,
    );
    expect(paged.filter((line) => /^many-\d+-xxxxx   0\/1   Completed   0   \S+$/.test(line))).toHaveLength(INDEXES);
    const names = (await terminal.json('get pods --chunk-size=0')) as { items: { metadata: { name: string } }[] };
    expect(new Set(names.items.map(({ metadata }) => metadata.name)).size).toBe(INDEXES);
    const some = await terminal.run('get pods --no-headers -l batch.kubernetes.io/job-completion-index=9999');
    expect(some).toMatch(/^many-9999-xxxxx   0\/1   Completed   0   \S+$/);

    const read = await Promise.all(watchers.map(async (watcher) => watcher.stop()));
    for (const bytes of read) expect(bytes).toBeGreaterThan(INDEXES * 500);
    expect(peakMemoryMb(runtime.pid) ?? 0).toBeLessThan(MEMORY_MAX_MB);
  });
});

/** `muster local` with tasks that only take time, as a process of its own. */
function startSimulated({ root, dataDir, workspaceDir }: Folders): ChildProcess {
  const options = ['--driver', 'simulated', '--task-ms', '200-2000', '--data', dataDir, '--workspace', workspaceDir];
  return spawn(process.execPath, [...THRIFT, '--import', 'tsx', join(ROOT, 'cli/main.ts'), 'local', ...options], {
    cwd: ROOT,
    stdio: 'ignore',
    env: { PATH: process.env['PATH'], HOME: root },
  });
}

/** When the API first shows the Job as Complete, while `meanwhile` is done over and over. */
async function completeShownAt(url: string, meanwhile: () => Promise<unknown>): Promise<number> {
  let done = false;
  const busy = (async () => {
    while (!done) await meanwhile();
  })();
  const shown = (async () => {
    const response = await fetch(`${url}${JOBS}?watch=true&fieldSelector=metadata.name%3Dmany`);
    let rest = '';
    for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
      const lines = (rest + chunk).split('\n');
      rest = lines.pop()!;
      if (lines.some((line) => line.includes('"type":"Complete"'))) return performance.now();
    }
    throw new Error('the watch has ended before the Job');
  })().finally(() => (done = true));
  const [shownAtMs] = await Promise.all([shown, busy]);
  return shownAtMs;
}

/** Bytes of an answer, which is not kept. */
async function fetchLength(url: string): Promise<number> {
  let length = 0;
  for await (const chunk of (await fetch(url)).body!) length += (chunk as Uint8Array).length;
  return length;
}

/** Reads a stream that does not end by itself; `stop` tells how many bytes came. */
function aReader(url: string): { readonly stop: () => Promise<number> } {
  const stopping = new AbortController();
  let bytes = 0;
  const reading = (async () => {
    const response = await fetch(url, { signal: stopping.signal });
    for await (const chunk of response.body!) bytes += (chunk as Uint8Array).length;
  })().catch(() => undefined);
  return {
    async stop() {
      stopping.abort();
      await reading;
      return bytes;
    },
  };
}

/** The most that a process has had in memory so far; only Linux tells. */
function peakMemoryMb(pid: number | undefined): number | null {
  const file = `/proc/${pid}/status`;
  const kb = existsSync(file) ? /VmHWM:\s+(\d+) kB/.exec(readFileSync(file, 'utf8'))?.[1] : undefined;
  return kb === undefined ? null : Number(kb) / 1024;
}
