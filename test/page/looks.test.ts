import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { AxeResults } from 'axe-core';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ALocalRuntime, aLocalRuntime } from '../e2e/a-local-runtime.ts';
import { shellJob } from '../e2e/kube-calls.ts';
import { aBrowser, lookAt } from './a-browser.ts';
import { HOSTILE, longJob, mixedJob } from './some-jobs.ts';

const HOSTILE_ITEMS = `TEXT\n${JSON.stringify([HOSTILE])}\nplain\n`;
const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js');

let local: ALocalRuntime;
let browser: Browser;
beforeAll(async () => {
  local = await aLocalRuntime();
  browser = await aBrowser();
  await makeObjects();
});
afterAll(async () => {
  await browser.close();
  await local.close();
});

/** Something of everything that the page shows. */
async function makeObjects(): Promise<void> {
  const { kube } = local;
  const made = async (path: string, object: object): Promise<void> => {
    const { status, text } = await kube.ask('POST', path, object);
    if (status >= 300) throw new Error(text);
  };
  await kube.create(mixedJob('mixed'));
  await kube.create({
    ...shellJob('hostile', `echo '${HOSTILE.replaceAll("'", '')}'; exit 3`, {
      completionMode: 'Indexed',
      backoffLimitPerIndex: 0,
    }),
    metadata: { name: 'hostile', annotations: { 'muster.run/items': HOSTILE_ITEMS } },
  });
  await kube.create(longJob('upstream'));
  await kube.create({
    ...longJob('downstream'),
    metadata: { name: 'downstream', annotations: { 'muster.run/after': 'upstream' } },
  });
  const { spec } = shellJob('x', 'true') as { spec: object };
  await made('/apis/batch/v1/namespaces/default/cronjobs', {
    apiVersion: 'batch/v1',
    kind: 'CronJob',
    metadata: { name: 'report' },
    spec: { schedule: '0 4 * * *', jobTemplate: { spec } },
  });
  await made('/apis/muster.run/v1/namespaces/default/worklists', {
    apiVersion: 'muster.run/v1',
    kind: 'WorkList',
    metadata: { name: 'texts' },
    spec: { matrix: { TEXT: ['a', HOSTILE] } },
  });
  await made('/api/v1/namespaces/default/resourcequotas', {
    apiVersion: 'v1',
    kind: 'ResourceQuota',
    metadata: { name: 'room' },
    spec: { hard: { 'count/jobs.batch': '20' } },
  });
  await kube.ended('mixed');
  await kube.ended('hostile');
}

/** Each view, and what it shows when it is there. */
type View = readonly [path: string, role: 'row' | 'article' | 'button' | 'link' | 'heading', name: RegExp];
const VIEWS: readonly View[] = [
  ['/ui/', 'row', /hostile/],
  ['/ui/ns/default/jobs/mixed', 'article', /exit code 42/],
  ['/ui/ns/default/jobs/hostile', 'article', /exit code 3/],
  ['/ui/ns/default/jobs/upstream', 'button', /running 4/],
  ['/ui/ns/default/jobs/hostile/index/0', 'row', /exit code 3/],
  ['/ui/graph', 'link', /downstream/],
  ['/ui/schedules', 'row', /report/],
  ['/ui/worklists', 'row', /texts/],
  ['/ui/quotas', 'row', /count\/jobs.batch/],
  ['/ui/furiko', 'heading', /Furiko/],
  ['/ui/doctor', 'row', /hostile/],
];

async function show(page: Page, [path, role, name]: View): Promise<void> {
  await page.goto(path);
  await page
    .getByRole(role, { name })
    .or(page.getByRole(role).filter({ hasText: name }))
    .first()
    .waitFor();
}

describe.each(['light', 'dark'] as const)('in %s colours', (colorScheme) => {
  test.each([...VIEWS])('%s has nothing that axe finds', async (...view) => {
    const looked = await lookAt(browser, local.runtime.url, { colorScheme, bypassCSP: true });
    await show(looked.page, view);
    await looked.page.evaluate(await readFile(AXE, 'utf8'));
    const { violations } = await looked.page.evaluate<AxeResults>('axe.run()');
    const found = violations.flatMap(({ id, nodes }) =>
      nodes.map(({ html, failureSummary }) => `${id}: ${html}: ${failureSummary}`),
    );
    expect(found).toEqual([]);
    await looked.close();
  });
});

test.each([...VIEWS])(
  '%s fits a narrow screen: nothing has to be moved sideways but tables and pictures',
  async (...view) => {
    const looked = await lookAt(browser, local.runtime.url, { viewport: { width: 390, height: 844 } });
    await show(looked.page, view);
    const [whole, seen] = await looked.page.evaluate<[number, number]>(
      '[document.documentElement.scrollWidth, document.documentElement.clientWidth]',
    );
    expect(whole).toBe(seen);
    await looked.close();
  },
);

test.each([...VIEWS])(
  'on %s items, logs, and messages are text, and the policy of the server refuses nothing',
  async (...view) => {
    const looked = await lookAt(browser, local.runtime.url);
    await show(looked.page, view);
    await looked.page.waitForTimeout(300);
    expect(await looked.page.evaluate<unknown>('window.harmed')).toBeUndefined();
    expect(await looked.page.locator('main img, main script, main iframe').count()).toBe(0);
    expect(looked.faults).toEqual([]);
    await looked.close();
  },
);

test('a hostile item and line are shown as they are, without what turns their direction round', async () => {
  const looked = await lookAt(browser, local.runtime.url);
  await looked.page.goto('/ui/ns/default/jobs/hostile/index/0');
  await looked.page.locator('.log-line', { hasText: '<script>window.harmed=1</script>' }).waitFor();
  const item = await looked.page.locator('.item code').textContent();
  expect(item).toBe(HOSTILE.replace('\u202e', ''));
  await looked.close();
});
