import { expect, test } from 'vitest';
import { aProxy } from '../../../../test/proxy/a-proxy.ts';
import { FOLLOWED, FROM_PAGE } from './a-page.ts';

test('muster proxy has the page of a Muster on AWS, and asks AWS only for what the page asks', async () => {
  const { url, call, gateway } = await aProxy({ answer: (_, response) => void response.end('{}') });
  const page = await call('/ui/ns/default/jobs/sums', { headers: FOLLOWED });
  expect(page.headers['content-security-policy']).toContain("default-src 'none'");
  const links = await call('/ui/links', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{}',
  });
  expect(links.json).toEqual({ link: null });
  expect(gateway.received).toEqual([]);
  const cookie = `muster-page-${new URL(url).port}=x`;
  expect((await call('/apis/batch/v1/jobs', { headers: { ...FROM_PAGE, cookie } })).code).toBe(200);
  expect(gateway.received.map(({ url: target, message }) => [target, message.headers.cookie])).toEqual([
    ['/k8s/apis/batch/v1/jobs', undefined],
  ]);
  for (const headers of [{ host: 'evil.example' }, { 'sec-fetch-site': 'cross-site', 'sec-fetch-dest': 'script' }])
    expect((await call('/ui/', { headers })).code).toBe(403);
  expect(gateway.received).toHaveLength(1);
});
