import { gunzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { FOLLOWED, FROM_PAGE, KIM, aPage } from './a-page.ts';

const JOBS = '/apis/batch/v1/jobs';
type Page = Awaited<ReturnType<typeof aPage>>;

describe('the files of the page', () => {
  test('are there for each of its paths, without a token, and may do nothing elsewhere', async () => {
    const page = await aPage();
    for (const path of ['/ui/', '/ui/index.html', '/ui/ns/default/jobs/a.b/index/3?zoom=2', '/ui/graph']) {
      const { status, headers, body } = await page.ask(path);
      expect([path, status, headers['content-type']]).toEqual([path, 200, 'text/html; charset=utf-8']);
      expect(body).toContain('<title>Muster</title>');
      expect(headers).toMatchObject({
        'cache-control': 'no-cache',
        'x-content-type-options': 'nosniff',
        'x-frame-options': 'DENY',
        'referrer-policy': 'no-referrer',
        'cross-origin-resource-policy': 'same-origin',
      });
      const policy = String(headers['content-security-policy']);
      expect(policy).toMatch(/default-src 'none'; script-src 'self'; .*frame-ancestors 'none'/);
      expect(policy).not.toMatch(/unsafe|\*|https?:/);
    }
    const moved = await page.ask('/ui?x=1');
    expect([moved.status, moved.headers['location']]).toEqual([308, '/ui/?x=1']);
    expect((await page.ask('/ui/', { method: 'HEAD' })).body).toBe('');
    expect((await page.ask('/ui/', { method: 'POST' })).status).toBe(405);
  });

  test('keep for a year under a name that has their hash, compressed where a client takes that', async () => {
    const page = await aPage();
    const { headers, body } = await page.ask('/ui/assets/main-ABC.js');
    expect(body).toBe('run()');
    expect(headers['content-type']).toBe('text/javascript; charset=utf-8');
    expect(headers['cache-control']).toBe('private, max-age=31536000, immutable');
    const gzip = await page.ask('/ui/assets/main-ABC.js', { headers: { 'accept-encoding': 'br, gzip' } });
    expect(gzip.headers['content-encoding']).toBe('gzip');
    expect(gzip.headers['vary']).toBe('Accept-Encoding');
    expect(gunzipSync(gzip.bytes).toString()).toBe('run()');
  });

  test('are those of its folder and no others', async () => {
    const page = await aPage();
    for (const path of [
      '/ui/assets/gone.js',
      '/ui/assets/link.js',
      '/ui/assets/notes.txt',
      '/ui/assets/../../secret.js',
      '/ui/assets/%2e%2e/%2e%2e/secret.js',
      '/ui/assets/..%2f..%2fsecret.js',
      '/ui/assets/..\\..\\secret.js',
      '/ui/../secret.js',
      '/ui//etc/passwd',
      '//ui/assets/main-ABC.js',
    ]) {
      const { status, body } = await page.ask(path);
      expect(body, path).not.toContain('secret');
      expect(status >= 400 || body.includes('<title>Muster</title>'), `${path} ${status}`).toBe(true);
    }
  });

  test('are answered to links of other sites, but not to their frames and scripts, nor under another name', async () => {
    const page = await aPage();
    expect((await page.ask('/ui/ns/default/jobs/sums', { headers: FOLLOWED })).status).toBe(200);
    for (const headers of [
      { ...FOLLOWED, 'sec-fetch-dest': 'iframe' },
      { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'script' },
      { 'sec-fetch-site': 'same-site', 'sec-fetch-mode': 'cors', 'sec-fetch-dest': 'empty' },
      { origin: 'http://evil.example' },
      { host: `evil.example:${page.port}` },
      { ...FOLLOWED, host: `evil.example:${page.port}` },
    ])
      expect((await page.ask('/ui/', { headers })).status, JSON.stringify(headers)).toBe(403);
    expect((await page.ask('/ui/links', { method: 'POST', headers: { ...FOLLOWED, authorization: KIM } })).status).toBe(
      403,
    );
  });
});

test('what the API answers is shown as what it is, and may do nothing', async () => {
  const page = await aPage();
  for (const path of [JOBS, '/api/v1/namespaces/default/pods/x/log', '/version', '/nothing']) {
    const { headers } = await page.ask(path, { headers: { authorization: KIM } });
    expect(headers['x-content-type-options'], path).toBe('nosniff');
    expect(headers['content-security-policy'], path).toBe("default-src 'none'; frame-ancestors 'none'; sandbox");
    expect(headers['content-type'], path).not.toContain('html');
  }
});

describe('a link', () => {
  const linkOf = async (page: Page, authorization: string | null) =>
    page.ask('/ui/links', { method: 'POST', headers: authorization === null ? {} : { authorization } });
  const redeem = async (page: Page, link: unknown, headers: Readonly<Record<string, string>> = FROM_PAGE) =>
    page.ask('/ui/session', { method: 'POST', headers, body: JSON.stringify({ link }) });
  const madeLink = async (page: Page): Promise<string> =>
    (JSON.parse((await linkOf(page, KIM)).body) as { readonly link: string }).link;

  test('signs in as its maker, once, within a minute', async () => {
    const page = await aPage();
    const link = await madeLink(page);
    const answer = await redeem(page, link);
    expect(answer.status).toBe(204);
    const [cookie, ...attributes] = String(answer.headers['set-cookie']).split('; ');
    expect(cookie).toMatch(new RegExp(`^muster-page-${page.port}=[\\w-]{43}$`));
    expect(attributes).toEqual(['Path=/', 'HttpOnly', 'SameSite=Strict', 'Max-Age=43200']);
    expect(answer.body).toBe('');
    expect((await redeem(page, link)).status).toBe(401);
    const late = await madeLink(page);
    page.clock.nowMs += 60_000;
    expect((await redeem(page, late)).status).toBe(401);
    for (const wrong of ['', 'x', null, 3, { a: 1 }, 'x'.repeat(10_000)])
      expect((await redeem(page, wrong)).status).toBe(401);
  });

  test('is made for users whom the API knows, and redeemed by the page alone', async () => {
    const page = await aPage();
    for (const authorization of [null, 'Bearer wrong', 'Basic eDp5'])
      expect((await linkOf(page, authorization)).status).toBe(401);
    expect((await page.ask('/ui/links', { headers: { authorization: KIM } })).status).toBe(405);
    const link = await madeLink(page);
    for (const headers of [
      {},
      { ...FROM_PAGE, 'sec-fetch-dest': 'document' },
      { ...FROM_PAGE, 'sec-fetch-site': 'none' },
    ])
      expect((await redeem(page, link, headers)).status).toBe(403);
    expect((await redeem(page, link)).status).toBe(204);
  });

  test('is not needed where the API knows everybody', async () => {
    const open = await aPage({ asksWho: false });
    const { status, body } = await open.ask('/ui/links', { method: 'POST' });
    expect([status, body]).toEqual([200, '{"link":null}']);
    expect((await open.ask(JOBS)).status).toBe(200);
  });
});

describe('a session', () => {
  test('is its user, for what the page sends and nothing else', async () => {
    const page = await aPage();
    const cookie = await page.signIn();
    expect((await page.ask(JOBS, { headers: { ...FROM_PAGE, cookie } })).status).toBe(200);
    for (const headers of [
      { cookie },
      { ...FROM_PAGE },
      { ...FROM_PAGE, cookie: 'muster-page-1=x' },
      { ...FROM_PAGE, cookie: `${cookie}x` },
      { 'sec-fetch-site': 'none', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document', cookie },
      { ...FROM_PAGE, 'sec-fetch-dest': 'iframe', cookie },
    ])
      expect((await page.ask(JOBS, { headers })).status, JSON.stringify(headers)).toBe(401);
    for (const site of ['cross-site', 'same-site'])
      expect((await page.ask(JOBS, { headers: { ...FROM_PAGE, 'sec-fetch-site': site, cookie } })).status).toBe(403);
    const wrong = { ...FROM_PAGE, cookie, authorization: 'Bearer wrong' };
    expect((await page.ask(JOBS, { headers: wrong })).status).toBe(401);
  });

  test('says who it is', async () => {
    const page = await aPage();
    const cookie = await page.signIn();
    const review = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' };
    const { body } = await page.ask('/apis/authentication.k8s.io/v1/selfsubjectreviews', {
      method: 'POST',
      headers: { ...FROM_PAGE, cookie, 'content-type': 'application/json' },
      body: JSON.stringify(review),
    });
    expect(body).toContain('"username":"kim"');
  });

  test('ends after twelve hours, or when its user signs out', async () => {
    const page = await aPage();
    const [first, second] = [await page.signIn(), await page.signIn()];
    const statusWith = async (cookie: string) => (await page.ask(JOBS, { headers: { ...FROM_PAGE, cookie } })).status;
    const out = await page.ask('/ui/session', { method: 'DELETE', headers: { ...FROM_PAGE, cookie: first } });
    expect([out.status, String(out.headers['set-cookie'])]).toEqual([204, expect.stringContaining('Max-Age=0')]);
    expect([await statusWith(first), await statusWith(second)]).toEqual([401, 200]);
    page.clock.nowMs += 12 * 3_600_000;
    expect(await statusWith(second)).toBe(401);
  });
});
