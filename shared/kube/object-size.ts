import { HTTPException } from 'hono/http-exception';
import { OBJECT_BYTES_MAX, type StoredDocument } from '../ports/object-store.ts';
import { errorResponse, tooLarge } from './status-error.ts';

/**
 * Lets an object pass that fits into a row. What a request sends is smaller than that, but who manages which of its
 * fields is stored as well, and every manager adds to it. Throws an answer (413) for what does not fit.
 */
export function fitting<T extends StoredDocument>(document: T): T {
  if (new TextEncoder().encode(JSON.stringify(document)).length <= OBJECT_BYTES_MAX) return document;
  throw new HTTPException(413, { res: errorResponse(tooLarge(OBJECT_BYTES_MAX)) });
}
