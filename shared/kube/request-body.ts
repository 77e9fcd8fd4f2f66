import type { Context } from 'hono';
import { type ParsedDocument, MANIFEST_BYTES_MAX, parseDocument } from '../schema/document.ts';
import { type StatusError, badRequest, tooLarge, unsupportedMediaType } from './status-error.ts';

/** Body formats that are read; protobuf is not among them yet. */
const FORMATS = new Map<string, 'json' | 'yaml'>([
  ['application/json', 'json'],
  ['application/yaml', 'yaml'],
]);

export type Body =
  | { readonly kind: 'read'; readonly document: ParsedDocument }
  | { readonly kind: 'empty' }
  | { readonly kind: 'refused'; readonly error: StatusError };

const refused = (error: StatusError): Body => ({ kind: 'refused', error });

/** Reads a request's body, never more of it than a manifest may have. No Content-Type means JSON, as in Kubernetes. */
export async function readBody(c: Context): Promise<Body> {
  const [type = ''] = (c.req.header('content-type') ?? 'application/json').split(';');
  const format = FORMATS.get(type.trim().toLowerCase());
  const encoding = c.req.header('content-encoding') ?? 'identity';
  if (format === undefined || encoding !== 'identity') return refused(unsupportedMediaType([...FORMATS.keys()]));
  const bytes = await readAtMost(c.req.raw, MANIFEST_BYTES_MAX);
  if (bytes === null) return refused(tooLarge(MANIFEST_BYTES_MAX));
  if (bytes.length === 0) return { kind: 'empty' };
  try {
    return {
      kind: 'read',
      document: parseDocument(new TextDecoder('utf-8', { fatal: true }).decode(bytes), format),
    };
  } catch {
    return refused(badRequest('the body of the request is not UTF-8'));
  }
}

/** null: there was more. What is over the limit is not read. */
async function readAtMost(request: Request, bytesMax: number): Promise<Uint8Array | null> {
  if (Number(request.headers.get('content-length') ?? 0) > bytesMax) return null;
  const parts: Uint8Array[] = [];
  let length = 0;
  const reader: ReadableStreamDefaultReader<Uint8Array> | undefined = request.body?.getReader();
  for (let part = await reader?.read(); part?.value !== undefined; part = await reader?.read()) {
    length += part.value.length;
    if (length > bytesMax) {
      await reader?.cancel();
      return null;
    }
    parts.push(part.value);
  }
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}
