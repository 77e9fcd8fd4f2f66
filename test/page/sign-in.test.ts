import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ALocalRuntime, aLocalRuntime } from '../e2e/a-local-runtime.ts';
import { indexed, shellJob } from '../e2e/kube-calls.ts';
import { aBrowser, lookAt } from './a-browser.ts';

const OPS = { username: 'ops', groups: ['system:masters'], token: 'the-token-of-ops-0123' };
const KIM = { username: 'kim', groups: [], token: 'the-token-of-kim-0123' };
const TEAM = '/apis/rbac.authorization.k8s.io/v1/namespaces/default/rolebindings';

let local: ALocalRuntime;
let browser: Browser;
beforeAll(async () => {
  local = await aLocalRuntime({ users: [OPS, KIM] });
  browser = await aBrowser();
  await asOps('POST', '/apis/batch/v1/namespaces/default/jobs', shellJob('theirs', 'true', indexed(1, 1)));
  await asOps('POST', TEAM, {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'RoleBinding',
    metadata: { name: 'kim-looks' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'view' },
    subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'kim' }],
  });
});
afterAll(async () => {
  await browser.close();
  await local.close();
});

async function asOps(method: string, path: string, body?: object): Promise<unknown> {
  const response = await fetch(local.runtime.url + path, {
    method,
    headers: { authorization: `Bearer ${OPS.token}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(text);
  return JSON.parse(text);
}

test('who is not known is asked, a wrong token is asked again, and a right one shows what there is', async () => {
  const { page, close } = await lookAt(browser, local.runtime.url);
  await page.goto('/ui/');
  for (const token of ['not-the-token-of-anybody', OPS.token]) {
    await page.getByRole('heading', { name: 'Who are you?' }).waitFor();
    await page.getByLabel('Token').fill(token);
    await page.getByRole('button', { name: 'Sign in' }).click();
  }
  await page.getByRole('row', { name: /theirs/ }).waitFor();
  const kept = await page.evaluate<string>(
    'JSON.stringify([{ ...sessionStorage }, { ...localStorage }, document.cookie])',
  );
  expect(kept).not.toContain('token');
  await page.reload();
  await page.getByRole('heading', { name: 'Who are you?' }).waitFor();
  await close();
});

test('a link signs in once, leaves nothing in the address, and the browser stays signed in', async () => {
  const { link } = (await asOps('POST', '/ui/links')) as { link: string };
  const { page, close } = await lookAt(browser, local.runtime.url);
  await page.goto(`/ui/ns/default/jobs/theirs#link=${link}`);
  await page.getByRole('heading', { name: 'theirs' }).waitFor();
  await page.getByRole('button', { name: 'Delete' }).waitFor();
  expect(page.url()).toBe(`${local.runtime.url}/ui/ns/default/jobs/theirs`);
  await page.reload();
  await page.getByRole('button', { name: 'Delete' }).waitFor();
  const other = await lookAt(browser, local.runtime.url);
  await other.page.goto(`/ui/#link=${link}`);
  await other.page.getByRole('heading', { name: 'Who are you?' }).waitFor();
  await other.close();
  await close();
});

test('who may see one namespace names it, and sees that one in every view', async () => {
  const { page, close } = await lookAt(browser, local.runtime.url);
  await page.goto('/ui/');
  await page.getByLabel('Token').fill(KIM.token);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByLabel('A namespace in which you may').fill('default');
  await page.getByRole('button', { name: 'Look there' }).click();
  await page.getByRole('row', { name: /theirs/ }).waitFor();
  await page.getByRole('link', { name: 'Work lists' }).click();
  await page.getByText('There are no work lists yet.').waitFor();
  await page.goBack();
  await page.getByRole('link', { name: /theirs/ }).click();
  await page.getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await page.getByText(/User "kim" cannot delete/).waitFor();
  expect(await asOps('GET', '/apis/batch/v1/namespaces/default/jobs/theirs')).toMatchObject({ kind: 'Job' });
  await close();
});
