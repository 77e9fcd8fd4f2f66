import type { Context } from 'hono';
import { PROTOBUF_TYPE, decodeProtobuf } from '../../schema/protobuf/decode-protobuf.ts';
import { type ParsedDocument, MANIFEST_BYTES_MAX, parseDocument } from '../../schema/text/document.ts';
import { type StatusError, badRequest, tooLarge, unsupportedMediaType } from './status-error.ts';

/** Accepted body formats of an object. kubectl and Go programs send protobuf, whatever they accept in return. */
const FORMATS = new Map<string, 'json' | 'yaml' | 'protobuf'>([
  ['application/json', 'json'],
  ['application/yaml', 'yaml'],
  [PROTOBUF_TYPE, 'protobuf'],
]);

/** How a document was written. */
export type DocumentText = { readonly format: 'json' | 'yaml'; readonly text: string };

export type Body =
  /** `text`: null for protobuf. */
  | { readonly kind: 'read'; readonly document: ParsedDocument; readonly text: DocumentText | null }
  | { readonly kind: 'empty' }
  | { readonly kind: 'refused'; readonly error: StatusError };

const refused = (error: StatusError): Body => ({ kind: 'refused', error });

/**
 * Parses the object in a request's body. No Content-Type means JSON, as in Kubernetes.
 *
 * @param bytesMax more is refused
 */
export async function readBody(c: Context, bytesMax = MANIFEST_BYTES_MAX): Promise<Body> {
  const [type = ''] = (c.req.header('content-type') ?? 'application/json').split(';');
  const format = FORMATS.get(type.trim().toLowerCase());
  if (format === undefined) return refused(unsupportedMediaType([...FORMATS.keys()]));
  if (format !== 'protobuf') return readText(c, format, bytesMax);
  const bytes = await bytesOf(c, bytesMax);
  if (!(bytes instanceof Uint8Array)) return refused(bytes);
  if (bytes.length === 0) return { kind: 'empty' };
  const decoded = decodeProtobuf(bytes, { bytesMax });
  const document: ParsedDocument = decoded.kind === 'decoded' ? { kind: 'parsed', value: decoded.value } : decoded;
  return { kind: 'read', document, text: null };
}

/** The bytes, never more than they may be. */
async function bytesOf(c: Context, bytesMax: number): Promise<Uint8Array | StatusError> {
  const encoding = c.req.header('content-encoding') ?? 'identity';
  if (encoding !== 'identity') return unsupportedMediaType([...FORMATS.keys()]);
  return (await readAtMost(c.req.raw, bytesMax)) ?? tooLarge(bytesMax);
}

/** Parses a body of JSON or YAML, whatever its Content-Type. */
export async function readText(c: Context, format: 'json' | 'yaml', bytesMax = MANIFEST_BYTES_MAX): Promise<Body> {
  const bytes = await bytesOf(c, bytesMax);
  if (!(bytes instanceof Uint8Array)) return refused(bytes);
  if (bytes.length === 0) return { kind: 'empty' };
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    return { kind: 'read', document: parseDocument(text, format, bytesMax), text: { format, text } };
  } catch {
    return refused(badRequest('the body of the request is not UTF-8'));
  }
}

/** null: there was more. Bytes above the limit are not read. */
export async function readAtMost(request: Request, bytesMax: number): Promise<Uint8Array | null> {
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
