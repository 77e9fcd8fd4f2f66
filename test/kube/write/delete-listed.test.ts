import { Hono } from 'hono';
import { expect, test } from 'vitest';
import type { PageRequest } from '../../../shared/kube/list/list-page.ts';
import { API_KINDS } from '../../../shared/domain/kinds/api-kinds.ts';
import { notFound } from '../../../shared/kube/http/status-error.ts';
import { deleteListed } from '../../../shared/kube/write/delete-listed.ts';

/** A list of numbers, and the answers to deleting them; `stuck` cannot be deleted. */
async function deleted(path: string, count: number, stuck = -1) {
  const [limits, gone]: [number[], number[]] = [[], []];
  let atOnce = 0;
  let atOnceMax = 0;
  const list = async ({ limit, from }: PageRequest) => {
    limits.push(limit);
    const first = from?.pod?.index ?? 0;
    const items = Array.from({ length: Math.min(limit, count - first) }, (_, i) => first + i);
    const place = { version: 1, after: null, job: { namespace: 'default', name: 'a' } };
    const next = first + limit;
    return { version: 1, items, next: next < count ? { ...place, pod: { uid: 'u', index: next, attempt: 1 } } : null };
  };
  const remove = async (n: number) => {
    atOnceMax = Math.max(atOnceMax, ++atOnce);
    await new Promise((resolve) => setImmediate(resolve));
    atOnce--;
    if (n === stuck) return notFound(API_KINDS.Job, String(n));
    gone.push(n);
    return null;
  };
  const app = new Hono().delete('/', (c) => deleteListed(c, API_KINDS.Job, list, remove));
  const { status } = await app.request(path, { method: 'DELETE' });
  return { status, limits, gone: gone.length, atOnceMax };
}

test.each([
  // request    objects  stuck  answer
  ['/', 0, -1, { status: 200, limits: [500], gone: 0, atOnceMax: 0 }],
  ['/', 3, -1, { status: 200, limits: [500], gone: 3, atOnceMax: 3 }],
  ['/', 1_200, -1, { status: 200, limits: [500, 500, 500], gone: 1_200, atOnceMax: 8 }],
  ['/?limit=20', 1_200, -1, { status: 200, limits: [20], gone: 20, atOnceMax: 8 }],
  ['/?limit=x', 1_200, -1, { status: 400, limits: [], gone: 0, atOnceMax: 0 }],
  ['/', 1_200, 10, { status: 404, limits: [500], gone: 15, atOnceMax: 8 }],
])('DELETE %s of %i objects, of which %i is stuck', async (path, count, stuck, expected) => {
  expect(await deleted(path, count, stuck)).toEqual(expected);
});
