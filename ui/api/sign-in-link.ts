import { ask } from './client.ts';

/**
 * Redeems the link that `muster ui` has opened: it signs this browser in, once. Nothing of it stays in the address. A link that was
 * used signs nobody in; then the page asks who the user is.
 */
export async function redeemLink(): Promise<void> {
  const link = new URLSearchParams(location.hash.slice(1)).get('link');
  if (link === null) return;
  history.replaceState(null, '', `${location.pathname}${location.search}`);
  await ask('/ui/session', { method: 'POST', body: { link } }).catch(() => undefined);
}
