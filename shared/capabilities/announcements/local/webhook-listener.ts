import { createHmac } from 'node:crypto';
import { type Announcement, eventOf } from '../domain/announcement.ts';
import type { Listener, Told } from './listener.ts';

const ANSWER_MS = 10_000;
const REDIRECTS_MAX = 3;

/**
 * An address to which each change is posted as JSON. Any answer of 2xx: it has taken it. A redirect is followed on the same
 * host only: an event is for whom the user has named, and so is its signature.
 *
 * @param key signs each body: `X-Muster-Signature: sha256=<hex>`, an HMAC; null: nothing is signed
 */
export const webhookListener = (url: string, key: string | null, answerMs = ANSWER_MS): Listener => ({
  name: '--on-event-url',
  async tell(change, signal) {
    try {
      return await post(new URL(url), change, key, AbortSignal.any([signal, AbortSignal.timeout(answerMs)]));
    } catch (error) {
      return { kind: 'refused', why: whyOf(error, answerMs) };
    }
  },
});

async function post(first: URL, change: Announcement, key: string | null, signal: AbortSignal): Promise<Told> {
  const body = JSON.stringify(eventOf(change));
  const signature = key === null ? {} : { 'x-muster-signature': `sha256=${signatureOf(body, key)}` };
  const headers = { 'content-type': 'application/json', 'x-muster-event-id': change.id, ...signature };
  let url = first;
  for (let redirects = 0; ; redirects++) {
    const answer = await fetch(url, { method: 'POST', headers, body, redirect: 'manual', signal });
    await answer.body?.cancel();
    if (answer.ok) return { kind: 'taken' };
    const location = answer.headers.get('location');
    if (answer.status < 300 || answer.status > 399 || location === null)
      return { kind: 'refused', why: `it answered ${answer.status}` };
    if (redirects === REDIRECTS_MAX) return { kind: 'refused', why: `it redirected ${REDIRECTS_MAX + 1} times` };
    const next = new URL(location, url);
    if (next.host !== first.host || next.protocol !== first.protocol)
      return { kind: 'refused', why: `it redirected to ${next.protocol}//${next.host}, which nobody has named` };
    url = next;
  }
}

const signatureOf = (body: string, key: string): string => createHmac('sha256', key).update(body).digest('hex');

function whyOf(error: unknown, answerMs: number): string {
  if (!(error instanceof Error)) return String(error);
  if (error.name === 'TimeoutError') return `it did not answer within ${answerMs / 1_000} s`;
  return error.cause instanceof Error ? error.cause.message : error.message;
}
