/**
 * What a browser may do with the page: run and show what lies beside it, talk to its own server, and nothing else. A name, an item, or a
 * log that became HTML by mistake could load nothing, run nothing, and send nothing anywhere.
 */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "font-src 'self'",
  "connect-src 'self'",
  "manifest-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** Of every answer under /ui. */
export const PAGE_HEADERS = {
  'content-security-policy': POLICY,
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
} as const;

/**
 * Of what the API answers at the same address: a log or an object is whatever somebody has written, and a browser that is led there
 * shows it as text, without a right to anything.
 */
export const DATA_HEADERS = {
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'; sandbox",
  'x-content-type-options': 'nosniff',
} as const;

/** The page is asked for each time, and its assets once: their names change with what is in them. */
export const cachingOf = (file: string): string =>
  file.startsWith(ASSETS) ? 'private, max-age=31536000, immutable' : 'no-cache';

const ASSETS = 'assets/';
export const INDEX = 'index.html';

const TYPES: ReadonlyMap<string, string> = new Map([
  ['html', 'text/html; charset=utf-8'],
  ['js', 'text/javascript; charset=utf-8'],
  ['css', 'text/css; charset=utf-8'],
  ['svg', 'image/svg+xml'],
  ['png', 'image/png'],
  ['ico', 'image/x-icon'],
  ['woff2', 'font/woff2'],
  ['webmanifest', 'application/manifest+json'],
]);

/** null: no file of the page is like that, and it is not served. */
export const typeOf = (file: string): string | null => TYPES.get(file.split('.').at(-1) ?? '') ?? null;

/** What a path of the page is about. A view has a path of its own, and its file is always the same. */
export type PagePath =
  | { readonly kind: 'links' | 'session' | 'moved' | 'elsewhere' }
  | { readonly kind: 'file'; readonly file: string };

export function pagePath(path: string, files: { has(file: string): boolean }): PagePath {
  if (path === '/ui') return { kind: 'moved' };
  if (!path.startsWith('/ui/')) return { kind: 'elsewhere' };
  if (path === '/ui/links') return { kind: 'links' };
  if (path === '/ui/session') return { kind: 'session' };
  const file = path.slice('/ui/'.length);
  return { kind: 'file', file: files.has(file) || file.startsWith(ASSETS) ? file : INDEX };
}
