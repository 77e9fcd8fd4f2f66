import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Folders, someFolders } from '../e2e/a-local-runtime.ts';
import { indexed, kubeAt, shellJob } from '../e2e/kube-calls.ts';
import { type EnforcedRuntime, startEnforcedRuntime } from '../rights/enforced-runtime.ts';
import { aBrowser, lookAt } from './a-browser.ts';

let browser: Browser;
let folders: Folders;
beforeAll(async () => {
  folders = someFolders();
  browser = await aBrowser();
});
afterAll(async () => {
  await browser.close();
  folders.remove();
});

async function started(port: number | null): Promise<EnforcedRuntime> {
  const { dataDir, workspaceDir } = folders;
  const runtime = await startEnforcedRuntime({ port, dataDir, workspaceDir, driver: 'process', say: () => undefined });
  if (runtime.kind === 'refused') throw new Error(runtime.reason);
  return runtime;
}

test('while the runtime is away the page says so, and goes on by itself when it is back', async () => {
  const first = await started(null);
  const kube = kubeAt(first.url);
  await kube.create(shellJob('before', 'true', indexed(1, 1)));
  const { page } = await lookAt(browser, first.url);
  await page.goto('/ui/');
  await page.getByRole('row', { name: /before/ }).waitFor();
  await first.stop();
  await page.getByText('The connection to the server is gone.').waitFor();
  expect(await page.getByRole('row', { name: /before/ }).count()).toBe(1);
  const second = await started(Number(new URL(first.url).port));
  expect(second.url).toBe(first.url);
  await kube.create(shellJob('after', 'true', indexed(1, 1)));
  await page.getByRole('row', { name: /after/ }).waitFor();
  await expect.poll(async () => page.getByText('The connection to the server is gone.').count()).toBe(0);
  await second.stop();
});
