import { describe, expect, test } from 'vitest';
import { JOBS, aWorld, manifest } from '../a-world.ts';

const request = async (headers: Record<string, string>, embedded = true) => {
  const world = await aWorld({ embedded });
  const answer = await world.app.request(JOBS, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(manifest('sums')),
  });
  return { code: answer.status, stored: await world.feed.head() };
};

describe('the embedded API answers only clients on this machine', () => {
  test.each([
    [{ host: '127.0.0.1:8001' }],
    [{ host: 'localhost' }],
    [{ host: 'LOCALHOST:80' }],
    [{ host: '[::1]:8001' }],
    [{ host: '127.0.0.1:8001', origin: 'http://127.0.0.1:8001', 'sec-fetch-site': 'same-origin' }],
    [{ host: '127.0.0.1:8001', 'sec-fetch-site': 'none' }],
  ])('%j may', async (headers) => {
    expect(await request(headers as Record<string, string>)).toEqual({ code: 201, stored: 1 });
  });

  test.each([
    [{}],
    [{ host: 'evil.example' }],
    [{ host: 'evil.example:8001' }],
    [{ host: '127.0.0.1.evil.example:8001' }],
    [{ host: 'localhost.evil.example' }],
    [{ host: 'x@127.0.0.1' }],
    [{ host: '10.0.0.7:8001' }],
    [{ host: '127.0.0.1:8001', origin: 'https://evil.example' }],
    [{ host: '127.0.0.1:8001', origin: 'null' }],
    [{ host: '127.0.0.1:8001', origin: 'http://127.0.0.1:9999' }],
    [{ host: '127.0.0.1:8001', origin: 'http://localhost:8001' }],
    [{ host: '127.0.0.1:8001', 'sec-fetch-site': 'cross-site' }],
    [{ host: '127.0.0.1:8001', 'sec-fetch-site': 'same-site' }],
  ])('%j may not, and nothing happens', async (headers) => {
    expect(await request(headers as Record<string, string>)).toEqual({ code: 403, stored: 0 });
  });

  test('elsewhere the gateway decides', async () => {
    expect(await request({ host: 'abc.execute-api.us-east-1.amazonaws.com' }, false)).toEqual({ code: 201, stored: 1 });
  });

  test('the answer is a Status, for every path', async () => {
    const world = await aWorld({ embedded: true });
    for (const path of ['/version', '/nowhere', JOBS]) {
      const answer = await world.get(path, { host: 'evil.example' });
      expect(await answer.json()).toMatchObject({ kind: 'Status', reason: 'Forbidden', code: 403 });
    }
  });
});
