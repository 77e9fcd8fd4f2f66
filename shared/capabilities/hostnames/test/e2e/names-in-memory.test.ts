import { Resolver } from 'node:dns/promises';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { LocalRuntime } from '../../../../../local/runtime.ts';
import { type Asked, assertAllowed, startEnforcedRuntime } from '../../../../../test/rights/enforced-runtime.ts';
import { someFolders } from '../../../../../test/e2e/a-local-runtime.ts';
import { TEST_MS, eventually, indexed, kubeAt, shellJob } from '../../../../../test/e2e/kube-calls.ts';

const NAME = 'train-0.workers.default.muster.internal';

test('names go with the Jobs that are kept in memory: the next runtime on the folder knows none', {
  timeout: TEST_MS,
}, async () => {
  const folders = someFolders();
  const runtimes: LocalRuntime[] = [];
  const asked: Asked[] = [];
  const start = async (): Promise<LocalRuntime> => {
    const { dataDir, workspaceDir } = folders;
    const script = { runMs: 3_600_000 } as const;
    const started = await startEnforcedRuntime({
      port: null,
      dataDir,
      workspaceDir,
      driver: 'simulated',
      script,
      store: 'memory',
      say: () => undefined,
    });
    if (started.kind === 'refused') throw new Error(started.reason);
    runtimes.push(started);
    asked.push(started.asked);
    return started;
  };
  const lookUp = async (): Promise<readonly string[] | null> => {
    const resolver = new Resolver({ timeout: 5_000, tries: 3 });
    resolver.setServers([`127.0.0.1:${readFileSync(join(folders.dataDir, 'dns-port'), 'utf8').trim()}`]);
    return resolver.resolve4(NAME).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOTFOUND') return null;
      throw error;
    });
  };
  try {
    const { url } = await start();
    await kubeAt(url).create(shellJob('train', 'true', indexed(1, 1), { subdomain: 'workers' }));
    await eventually(lookUp, () => NAME);
    await runtimes.pop()?.stop();
    await start();
    expect(await lookUp()).toBeNull();
  } finally {
    for (const runtime of runtimes) await runtime.stop();
    folders.remove();
  }
  for (const each of asked) assertAllowed(each);
});
