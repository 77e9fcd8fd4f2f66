import type { Context } from 'hono';

/** Kubernetes compresses answers from this size on. */
const GZIP_MIN_CHARS = 128 * 1024;
const HEADERS = { 'content-type': 'application/json', 'cache-control': 'no-cache, private', vary: 'Accept' } as const;

/** A whole answer in JSON, compressed if it is large and the client accepts that. */
export function jsonAnswer(c: Context, value: unknown, status = 200, gzipMinChars = GZIP_MIN_CHARS): Response {
  const text = JSON.stringify(value);
  if (text.length < gzipMinChars || !acceptsGzip(c)) return new Response(text, { status, headers: HEADERS });
  const plain = new Response(text).body;
  if (plain === null) throw new Error('no body');
  const headers = { ...HEADERS, 'content-encoding': 'gzip', vary: 'Accept, Accept-Encoding' };
  return new Response(plain.pipeThrough(new CompressionStream('gzip')), { status, headers });
}

/** `gzip` is listed, and not with the weight 0. */
const acceptsGzip = (c: Context): boolean =>
  (c.req.header('accept-encoding') ?? '')
    .toLowerCase()
    .split(',', 32)
    .some((coding) => /^\s*gzip\s*(;|$)/.test(coding) && !/;\s*q=0(\.0*)?\s*$/.test(coding));
