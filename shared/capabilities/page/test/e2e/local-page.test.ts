import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ALocalRuntime, aLocalRuntime } from '../../../../../test/e2e/a-local-runtime.ts';
import { PATIENCE_MS, TEST_MS } from '../../../../../test/e2e/kube-calls.ts';
import { FROM_PAGE } from '../a-page.ts';

const KIM = { token: 'kims-token-0123456789', username: 'kim', groups: ['system:masters', 'system:authenticated'] };
const LEE = { token: 'lees-token-0123456789', username: 'lee', groups: ['system:authenticated'] };
const GRID = '/muster/v1/namespaces/default/jobs/sums/grid';

describe('the page of muster local', { timeout: TEST_MS }, () => {
  let local: ALocalRuntime;
  beforeAll(async () => {
    local = await aLocalRuntime({ store: 'memory', driver: 'simulated', users: [KIM, LEE] });
  }, PATIENCE_MS);
  afterAll(async () => local.close());
  const ask = async (path: string, init: RequestInit = {}): Promise<Response> => fetch(local.runtime.url + path, init);

  /** What a browser of this user has after `muster ui`. */
  async function cookieOf({ token }: { readonly token: string }): Promise<string> {
    const made = await ask('/ui/links', { method: 'POST', headers: { authorization: `Bearer ${token}` } });
    const { link } = (await made.json()) as { readonly link: string };
    const redeemed = await ask('/ui/session', { method: 'POST', headers: FROM_PAGE, body: JSON.stringify({ link }) });
    expect(redeemed.status).toBe(204);
    return redeemed.headers.get('set-cookie')?.split(';')[0] ?? '';
  }

  test('is there for everybody, and shows to each user what the roles let that user see', async () => {
    expect((await ask('/ui/')).headers.get('content-security-policy')).toContain("default-src 'none'");
    const [kim, lee] = [await cookieOf(KIM), await cookieOf(LEE)];
    const seenBy = async (cookie: string, path: string): Promise<number> =>
      (await ask(path, { headers: { ...FROM_PAGE, cookie } })).status;
    const manifest = {
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: { name: 'sums' },
      spec: {
        completionMode: 'Indexed',
        completions: 3,
        suspend: true,
        template: { spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'any', command: ['true'] }] } },
      },
    };
    const created = await ask('/apis/batch/v1/namespaces/default/jobs', {
      method: 'POST',
      headers: { ...FROM_PAGE, cookie: kim, 'content-type': 'application/json' },
      body: JSON.stringify(manifest),
    });
    expect(created.status).toBe(201);
    for (const path of [GRID, GRID.replace('grid', 'durations'), GRID.replace('grid', 'timeline')])
      expect([await seenBy(kim, path), await seenBy(lee, path), (await ask(path)).status], path).toEqual([
        200, 403, 401,
      ]);
  });
});
