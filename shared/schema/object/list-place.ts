import * as z from 'zod';
import { EVENTFUL } from '../../domain/kinds/api-kinds.ts';

const count = z.int().min(0);

/** A namespace, a separator, and the longest name, which a role may have (`path-segment-names.ts`). */
const KEY_BYTES_MAX = 63 + 1 + 512;

/** A part of a store's key: other texts are not from us, and a store would refuse some of them as an error of its own. */
const keyPart = z
  .string()
  .refine((text) => !/[\p{Cc}\p{Cs}]/u.test(text) && new TextEncoder().encode(text).length <= KEY_BYTES_MAX);

const PlaceShape = z
  .strictObject({
    version: count,
    after: keyPart.nullable(),
    job: z.strictObject({ namespace: keyPart, name: keyPart }).readonly(),
    pod: z.strictObject({ uid: keyPart, index: count, attempt: count }).readonly().nullable(),
    skip: count.optional(),
    of: z.enum(['Namespace', ...EVENTFUL.map(({ name }) => name)]).optional(),
  })
  .readonly();

/**
 * Where the next page of a list begins.
 *
 * - `version`: the feed's number when the first page was read, so that a watch from it misses nothing;
 * - `after`: the store's cursor; the next Job is on the page after it;
 * - `job`: the next Job; if it is gone, the one after it;
 * - `pod`: for Pods, the next attempt, if the next Job is still this one;
 * - `skip`: for Events, how many Events of the next object were on the previous page;
 * - `of`: for Events, `after` and `job` are about objects of a kind that make Jobs, which come before all Jobs, or about namespaces, which come
 *   first.
 */
export type ListPlace = z.output<typeof PlaceShape>;

/** As a `continue` token, opaque to clients. */
export const encodePlace = (place: ListPlace): string => Buffer.from(JSON.stringify(place)).toString('base64url');

/** null: not one of our tokens. */
export function decodePlace(token: string): ListPlace | null {
  try {
    const place = PlaceShape.safeParse(JSON.parse(Buffer.from(token, 'base64url').toString('utf8')));
    return place.success ? place.data : null;
  } catch {
    return null;
  }
}
