import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ALocalRuntime, aLocalRuntime } from '../e2e/a-local-runtime.ts';
import { indexed, shellJob } from '../e2e/kube-calls.ts';
import { type Looked, PATIENCE_MS, aBrowser, lookAt } from './a-browser.ts';
import { longJob, mixedJob } from './some-jobs.ts';

// One runtime, one browser, one window; each test goes where it wants to be.

let local: ALocalRuntime;
let browser: Browser;
let looked: Looked;
beforeAll(async () => {
  local = await aLocalRuntime();
  browser = await aBrowser();
  looked = await lookAt(browser, local.runtime.url);
  await local.kube.create(mixedJob('mixed'));
  await local.kube.ended('mixed');
});
afterAll(async () => {
  await browser.close();
  await local.close();
});

const text = async (selector: string): Promise<string> => (await looked.page.textContent(selector)) ?? '';

test('the list shows a Job at once that is made elsewhere, and how it ends', async () => {
  const { page } = looked;
  await page.goto('/ui/');
  await page.getByRole('row', { name: /mixed/ }).waitFor();
  await local.kube.create(shellJob('made-later', 'sleep 1', indexed(3, 3)));
  const row = page.getByRole('row', { name: /made-later/ });
  await row.waitFor();
  await row.getByText('Complete').waitFor();
  expect(await row.innerText()).toContain('3/3');
});

test('a filter is in the address, so that it can be sent to somebody', async () => {
  const { page } = looked;
  await page.goto('/ui/');
  await page.getByLabel('Filter Jobs').fill('mix');
  await page.getByRole('button', { name: /^Failed/ }).click();
  await expect.poll(() => new URL(page.url()).search).toBe('?q=mix&state=failed');
  await page.goto(page.url());
  await page.getByRole('row', { name: /mixed/ }).waitFor();
  expect(await page.locator('.jobs tbody tr').count()).toBe(1);
  await page.getByLabel('Filter Jobs').fill('nothing is called so');
  await page.getByText('No Job is as you ask.').waitFor();
});

test('a Job shows what failed, by which rule, and which indexes', async () => {
  const { page } = looked;
  await page.goto('/ui/ns/default/jobs/mixed');
  await page.getByRole('button', { name: /^failed by a rule 1/ }).waitFor();
  await page.getByRole('article').filter({ hasText: 'exit code 42' }).waitFor();
  const failures = await text('section[aria-label="Failures"]');
  expect(failures).toContain('exit code 3');
  expect(failures).toContain('broken');
  expect(await text('section[aria-label="Rules"]')).toContain('FailIndex if the exit code is 42 · decided about 1');
  await page.getByRole('button', { name: /^failed \d/ }).click();
  await expect.poll(() => page.locator('.named a').allInnerTexts()).toEqual(['1', '4']);
});

test('a cell is found with the keys, says what is known of it, and opens', async () => {
  const { page } = looked;
  await page.goto('/ui/ns/default/jobs/mixed');
  const cells = page.getByRole('application');
  await cells.focus();
  for (const key of ['Home', 'ArrowRight', 'ArrowRight', 'ArrowRight']) await page.keyboard.press(key);
  await page.getByText('index 3').first().waitFor();
  await page.getByText(/attempt 1: failedForGood/).waitFor();
  await page.keyboard.press('Enter');
  await expect.poll(() => new URL(page.url()).pathname).toBe('/ui/ns/default/jobs/mixed/index/3');
});

test('a cell that is pointed at is the one that is meant', async () => {
  const { page } = looked;
  await page.goto('/ui/ns/default/jobs/mixed');
  const box = await page.getByRole('application').boundingBox();
  await page.mouse.move((box?.x ?? 0) + 4 * 20 + 9, (box?.y ?? 0) + 9);
  await page.getByText('index 4').first().waitFor();
  await page.mouse.move(0, 0);
  await page.getByText(/Point at a cell/).waitFor();
  expect(await page.locator('.grid-cursor').count()).toBe(0);
});

test('the grid follows the Job', async () => {
  const { page } = looked;
  await local.kube.create(
    shellJob('steps', 'until [ -e go-$JOB_COMPLETION_INDEX ]; do sleep 0.1; done', indexed(3, 3)),
  );
  await page.goto('/ui/ns/default/jobs/steps');
  await page.getByRole('button', { name: /running 3/ }).waitFor();
  await local.kube.create(shellJob('opener', 'touch go-0 go-1'));
  await page.getByRole('button', { name: /succeeded 2/ }).waitFor();
  await page.getByRole('button', { name: /running 1/ }).waitFor();
  expect(await text('.figures')).toContain('2 of 3');
});

test('a log is followed line by line, and searched', async () => {
  const { page } = looked;
  const script = 'i=0; while :; do i=$((i+1)); echo "line $i"; sleep 0.2; done';
  await local.kube.create(shellJob('chatty', script, indexed(1, 1)));
  await page.goto('/ui/ns/default/jobs/chatty/index/0');
  await page.getByText('● live').waitFor();
  const count = async (): Promise<number> => page.locator('.log-line').count();
  await expect.poll(count, { timeout: PATIENCE_MS }).toBeGreaterThan(2);
  const before = await count();
  await expect.poll(count, { timeout: PATIENCE_MS }).toBeGreaterThan(before);
  await page.getByLabel('Find in the log').fill('line 2');
  await page.locator('mark', { hasText: 'line 2' }).first().waitFor();
  expect(await text('section[aria-label="Log"]')).toContain('muster logs chatty --index 0 --attempt 1 -f');
});

test('an attempt of the past has its log, its verdict, and its events', async () => {
  const { page } = looked;
  await page.goto('/ui/ns/default/jobs/mixed/index/1/attempt/1');
  await page.locator('.log-line', { hasText: 'broken' }).waitFor();
  expect(await text('section[aria-label="Attempts"]')).toContain('failedForGood: exit code 3');
  await page.getByText('Container main exited with code 3').waitFor();
});

test('search finds a Job by its name, and an index of it by its number', async () => {
  const { page } = looked;
  await page.goto('/ui/doctor');
  await page.getByRole('heading', { name: 'Doctor' }).waitFor();
  await page.keyboard.press('/');
  await page.getByRole('textbox', { name: 'Search' }).fill('mixed 4');
  await page.getByRole('option', { name: /default\/mixed 4/ }).waitFor();
  await page.keyboard.press('Enter');
  await expect.poll(() => new URL(page.url()).pathname).toBe('/ui/ns/default/jobs/mixed/index/4');
});

test('keys go to views, and ? shows them', async () => {
  const { page } = looked;
  await page.goto('/ui/');
  await page.getByRole('heading', { name: 'Jobs' }).waitFor();
  for (const key of ['g', 's']) await page.keyboard.press(key);
  await page.getByRole('heading', { name: 'Schedules' }).waitFor();
  await page.keyboard.press('?');
  await page.getByRole('dialog', { name: 'Keys' }).waitFor();
  await page.keyboard.press('Escape');
  expect(await page.getByRole('dialog').count()).toBe(0);
});

test('the way back leads to what was before', async () => {
  const { page } = looked;
  await page.goto('/ui/');
  await page.getByRole('link', { name: 'default/mixed' }).click();
  await page.getByRole('heading', { name: 'mixed' }).waitFor();
  await page.goBack();
  await page.getByRole('heading', { name: 'Jobs' }).waitFor();
  expect(await page.title()).toBe('Jobs · Muster');
});

test('what is not there says so', async () => {
  const { page } = looked;
  await page.goto('/ui/ns/default/jobs/nobody');
  await page.getByText('There is no Job nobody in default.').waitFor();
  await page.goto('/ui/nowhere');
  await page.getByText('There is no such page.').waitFor();
  expect(await page.getByRole('link', { name: 'All Jobs' }).getAttribute('href')).toBe('/ui/');
});

test('Jobs that wait for each other are a picture', async () => {
  const { page } = looked;
  await local.kube.create({
    ...(longJob('second') as { metadata: object }),
    metadata: { name: 'second', annotations: { 'muster.run/after': 'first' } },
  });
  await local.kube.create(longJob('first'));
  await page.goto('/ui/graph');
  const boxes = page.locator('.graph-job');
  await expect.poll(async () => boxes.count()).toBe(2);
  const [first, second] = await Promise.all(
    ['first', 'second'].map(async (name) => boxes.filter({ hasText: name }).boundingBox()),
  );
  expect((first?.x ?? 0) < (second?.x ?? 0)).toBe(true);
  expect(await page.locator('.graph-edge').count()).toBe(1);
});

test('colours are chosen, and stay chosen', async () => {
  const { page } = looked;
  const background = async (): Promise<string> =>
    page.evaluate<string>('getComputedStyle(document.body).backgroundColor');
  await page.goto('/ui/');
  const light = await background();
  const button = page.getByRole('button', { name: /^Colours/ });
  await button.click();
  await button.click();
  await expect.poll(background).not.toBe(light);
  const dark = await background();
  await page.reload();
  expect(await background()).toBe(dark);
  await button.click();
});

test('all the while nothing went wrong in the browser', () => {
  expect(looked.faults).toEqual([]);
});
