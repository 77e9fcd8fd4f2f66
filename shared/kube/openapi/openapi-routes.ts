import { Hono } from 'hono';
import { errorResponse, noSuchPath } from '../http/status-error.ts';
import { DOCUMENT_PATHS, openApiDocument } from './documents.ts';

/**
 * Routes that clients learn the schemas of objects from: an index of OpenAPI 3.0 documents, one document per group version, and
 * an empty OpenAPI 2.0 document. A document's address contains a hash of its content, so it may be cached forever; an address
 * with another hash redirects to the current one.
 */
export function openApiRoutes(): Hono {
  const app = new Hono();
  const printed = new Map<string, Promise<Printed>>();
  const printedAt = (path: string): Promise<Printed> => {
    const known = printed.get(path) ?? print(path);
    printed.set(path, known);
    return known;
  };

  app.get('/openapi/v3', async (c) => {
    const entries = await Promise.all(
      DOCUMENT_PATHS.map(async (path) => {
        const { hash } = await printedAt(path);
        return [path, { serverRelativeURL: `/openapi/v3/${path}?hash=${hash}` }] as const;
      }),
    );
    return c.json({ paths: Object.fromEntries(entries) }, 200, { 'cache-control': 'no-cache, private' });
  });

  for (const path of DOCUMENT_PATHS) {
    app.get(`/openapi/v3/${path}`, async (c) => {
      const document = await printedAt(path);
      const asked = c.req.query('hash');
      // Relative, so that a prefix before our paths is kept.
      if (asked !== undefined && asked !== document.hash) return c.redirect(`?hash=${document.hash}`, 301);
      const headers = { ...cacheHeaders(asked !== undefined), etag: `"${document.hash}"`, vary: 'Accept-Encoding' };
      if (isKnown(c.req.header('if-none-match'), document.hash)) return new Response(null, { status: 304, headers });
      const zipped = takesGzip(c.req.header('accept-encoding'));
      return new Response(zipped ? document.gzip : document.plain, {
        headers: { ...headers, 'content-type': 'application/json', ...(zipped ? { 'content-encoding': 'gzip' } : {}) },
      });
    });
  }
  app.get('/openapi/v3/*', () => errorResponse(noSuchPath()));

  // An empty document means "no schema known": old clients then skip their own validation. Newer ones read v3.
  app.get('/openapi/v2', () => new Response(new Uint8Array(), { headers: { 'content-type': OPENAPI_V2 } }));
  return app;
}

/** The form with `@`, which clients ask for, is not a valid media type. */
const OPENAPI_V2 = 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf';

/** A document as it is sent. `hash`: SHA-256 of its text, in hexadecimal. */
type Printed = {
  readonly plain: Uint8Array<ArrayBuffer>;
  readonly gzip: Uint8Array<ArrayBuffer>;
  readonly hash: string;
};

async function print(path: string): Promise<Printed> {
  const plain = new TextEncoder().encode(JSON.stringify(openApiDocument(path)));
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', plain));
  const hash = Array.from(digest, (byte) => byte.toString(16).padStart(2, '0').toUpperCase()).join('');
  const zipped = new Blob([plain]).stream().pipeThrough(new CompressionStream('gzip'));
  return { plain, hash, gzip: new Uint8Array(await new Response(zipped).arrayBuffer()) };
}

/** Without the hash, the same address will have another document one day. */
const cacheHeaders = (forEver: boolean): Record<string, string> =>
  forEver
    ? { 'cache-control': 'public, immutable', expires: 'Fri, 31 Dec 2100 23:59:59 GMT' }
    : { 'cache-control': 'no-cache, private' };

const isKnown = (ifNoneMatch: string | undefined, hash: string): boolean =>
  (ifNoneMatch ?? '').split(',').some((tag) => tag.trim() === '*' || tag.trim().replace(/^W\//, '') === `"${hash}"`);

/** Whether an Accept-Encoding header lists gzip, and not with a weight of zero. */
const takesGzip = (header: string | undefined): boolean =>
  (header ?? '').split(',').some((coding) => /^\s*gzip\s*(;\s*q=(1|0?\.\d*[1-9]).*)?$/i.test(coding));
