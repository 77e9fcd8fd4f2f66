import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ALocalRuntime, aLocalRuntime } from '../e2e/a-local-runtime.ts';
import { conditionsOf, indexed, shellJob } from '../e2e/kube-calls.ts';
import { type Looked, aBrowser, lookAt } from './a-browser.ts';
import { longJob } from './some-jobs.ts';

let local: ALocalRuntime;
let browser: Browser;
let looked: Looked;
beforeAll(async () => {
  local = await aLocalRuntime();
  browser = await aBrowser();
  looked = await lookAt(browser, local.runtime.url);
});
afterAll(async () => {
  await browser.close();
  await local.close();
});

/** Presses a button of a Job's page, says what is asked for, and does it. Returns the command line that the page shows. */
async function act(label: string, value: string | null = null): Promise<string> {
  const { page } = looked;
  await page.getByRole('button', { name: label, exact: true }).first().click();
  const dialog = page.getByRole('dialog');
  if (value !== null) await dialog.getByRole('textbox').fill(value);
  const command = (await dialog.locator('.command code').textContent()) ?? '';
  await dialog.getByRole('button', { name: label, exact: true }).click();
  await page.getByText(`${label}: done`).waitFor();
  return command;
}

test('a Job is suspended and resumed', async () => {
  const { page } = looked;
  await local.kube.create(longJob('tides'));
  await page.goto('/ui/ns/default/jobs/tides');
  expect(await act('Suspend')).toBe('muster suspend tides');
  await local.kube.until('tides', (job) => conditionsOf(job).includes('Suspended'));
  expect(await act('Resume')).toBe('muster resume tides');
  await local.kube.until('tides', ({ status }) => status.active === 4);
});

test('a Job is scaled, and its indexes are held, released, requeued, and cancelled', async () => {
  const { page } = looked;
  await local.kube.create(longJob('herd', 6));
  await page.goto('/ui/ns/default/jobs/herd');
  expect(await act('Scale', '2')).toBe('muster scale herd --parallelism 2');
  await local.kube.until('herd', ({ status }) => status.active === 2);
  expect(await act('Hold indexes', '4-5')).toBe('muster hold herd --indexes 4-5');
  await page.getByRole('button', { name: /^held 2/ }).waitFor();
  expect(await act('Release indexes', '5')).toBe('muster release herd --indexes 5');
  await page.getByRole('button', { name: /^held 1/ }).waitFor();
  expect(await act('Cancel indexes', '4')).toBe('muster cancel herd --indexes 4');
  await page.getByRole('button', { name: /cancelled 1/ }).waitFor();
  expect(await act('Requeue indexes', '0')).toBe('muster requeue herd --indexes 0');
});

test('what the server refuses is said in its words, and nothing is lost of what was typed', async () => {
  const { page } = looked;
  await page.goto('/ui/ns/default/jobs/herd');
  await page.getByRole('button', { name: 'Hold indexes' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('textbox').fill('99');
  await dialog.getByRole('button', { name: 'Hold indexes' }).click();
  await dialog.getByText(/index 99 does not exist/).waitFor();
  expect(await dialog.getByRole('textbox').inputValue()).toBe('99');
  await dialog.getByRole('button', { name: 'Leave it' }).click();
});

test('what failed is run again, and a Job is deleted after a warning', async () => {
  const { page } = looked;
  const script = '[ -e mended ] || [ $JOB_COMPLETION_INDEX != 1 ]';
  await local.kube.create(shellJob('once', script, { ...indexed(3, 3), backoffLimitPerIndex: 0 }));
  await local.kube.ended('once');
  await local.kube.create(shellJob('mend', 'touch mended', indexed(1, 1)));
  await local.kube.ended('mend');
  await page.goto('/ui/ns/default/jobs/once');
  expect(await act('Run failed again')).toBe('muster rerun once --name once-rerun');
  expect(conditionsOf(await local.kube.ended('once-rerun'))).toContain('Complete');
  expect((await local.kube.job('once-rerun')).status.succeeded).toBe(3);
  await page.getByRole('button', { name: 'Delete' }).click();
  await page.getByText('This cannot be undone.').waitFor();
  await page.keyboard.press('Escape');
  expect((await local.kube.job('once')).metadata.uid).not.toBe('');
  expect(await act('Delete')).toBe('muster delete once');
  await page.getByText('There is no Job once in default.').waitFor();
});

test('a CronJob runs now, pauses, and resumes', async () => {
  const { page } = looked;
  const { spec } = shellJob('x', 'true') as { spec: object };
  await local.kube.ask('POST', '/apis/batch/v1/namespaces/default/cronjobs', {
    apiVersion: 'batch/v1',
    kind: 'CronJob',
    metadata: { name: 'report' },
    spec: { schedule: '0 4 * * *', jobTemplate: { spec } },
  });
  await page.goto('/ui/schedules');
  expect(await act('Run now')).toBe('muster cron run-now report');
  expect(await act('Pause')).toBe('muster cron pause report');
  await page.getByText('paused').waitFor();
  expect(await act('Resume')).toBe('muster cron resume report');
  await page.goto('/ui/');
  await page.getByRole('row', { name: /report-manual-/ }).waitFor();
});

test('a command line is copied', async () => {
  const { page } = looked;
  await page.goto('/ui/ns/default/jobs/herd');
  await page.getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('button', { name: 'Copy' }).last().click();
  expect(await page.evaluate<string>('navigator.clipboard.readText()')).toBe('muster delete herd');
});

test('all the while nothing went wrong in the browser', () => {
  expect(looked.faults).toEqual([]);
});
