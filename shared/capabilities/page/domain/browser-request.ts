/** The headers of a request. */
export type Headers = { get(name: string): string | null };

/**
 * Somebody follows a link to the page, wherever it is written: what he gets is files that hold no secret. Other sites may not put
 * it into a frame, or read it.
 */
export const isNavigation = (method: string, headers: Headers): boolean =>
  (method === 'GET' || method === 'HEAD') &&
  headers.get('sec-fetch-mode') === 'navigate' &&
  headers.get('sec-fetch-dest') === 'document';

/**
 * A script of the page itself has sent it: no form, no frame, no link, and no other site, even one at another port of this machine.
 * Browsers have said so themselves since 2023, and no script can change it. Only then a cookie counts.
 */
export const isFromPage = (headers: Headers): boolean =>
  headers.get('sec-fetch-site') === 'same-origin' && headers.get('sec-fetch-dest') === 'empty';

/** Cookies know no ports: each runtime of this machine has a name of its own, so that one does not sign out of another. */
export const cookieName = (port: string): string => `muster-page-${port === '' ? '80' : port}`;

/** The value of a cookie (RFC 6265, 5.4); null: it is not there. */
export function cookieIn(header: string | null, name: string): string | null {
  const pairs = (header ?? '').split(';').map((pair) => pair.trim());
  return pairs.find((pair) => pair.startsWith(`${name}=`))?.slice(name.length + 1) ?? null;
}

/** Out of reach of scripts, and never sent for another site. */
export const sessionCookie = (name: string, value: string, maxAgeSec: number): string =>
  `${name}=${value}; Path=/; HttpOnly; SameSite=Strict; Max-Age=${maxAgeSec}`;
