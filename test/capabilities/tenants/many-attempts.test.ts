import { describe, expect, it } from 'vitest';
import { type Forgets, attack } from './attack.ts';

const SEED = 20_261_129;

describe('two tenants', () => {
  it('see, change, and find out nothing of each other', async () => {
    const { violation, codes } = await attack(2_000, SEED);
    expect(violation).toBeNull();
    // Their own requests are carried out.
    for (const code of [200, 201, 400, 403, 404, 422]) expect(codes.get(code) ?? 0, `${code}`).toBeGreaterThan(0);
  });
});

/** A check that is forgotten for some requests, by what they are. */
const FAULTS: readonly (readonly [name: string, forgets: Forgets])[] = [
  ['watches', ({ path }) => /[?&]watch=/.test(path)],
  ['parts of objects', ({ path }) => /\/(status|eviction|parts|seal)(\?|$)/.test(path)],
  ["Muster's own paths", ({ path }) => path.startsWith('/muster/v1/namespaces')],
  ['logs', ({ path }) => /\/log(\?|$)/.test(path)],
  ['server-side apply', ({ headers }) => headers['content-type'] === 'application/apply-patch+yaml'],
  [
    'deletion of collections',
    ({ method, path }) =>
      method === 'DELETE' && /\/(jobs|cronjobs|pods|services|worklists|jobconfigs)(\?|$)/.test(path),
  ],
  ['lists of all namespaces', ({ method, path }) => method === 'GET' && !path.includes('/namespaces/')],
  ['reviews', ({ path }) => path.includes('accessreviews')],
  ['rules reviews', ({ path }) => path.includes('rulesreviews')],
  ['lists that go on', ({ path }) => path.includes('continue=')],
  ['paths with escapes', ({ path }) => path.replace(/\?.*/, '').includes('%')],
  ['HEAD', ({ method }) => method === 'HEAD'],
  ['dry runs', ({ path }) => path.includes('dryRun=All')],
  ['lists by name', ({ path }) => path.includes('metadata.name')],
  [
    'evictions and deletions of Pods',
    ({ method, path }) => path.includes('/pods/') && (method === 'DELETE' || path.includes('/eviction')),
  ],
  ['PUT', ({ method }) => method === 'PUT'],
  ['Events', ({ path }) => path.includes('/events')],
  ['submissions', ({ path }) => path.includes('/submissions')],
  ['namespaces', ({ path }) => /^\/api\/v1\/namespaces\/?[^/]*$/.test(path)],
];

describe('a check that is forgotten shows', () => {
  it.each(FAULTS)('for %s', async (_, forgets) => {
    expect((await attack(2_000, SEED, forgets)).violation).not.toBeNull();
  });
});
