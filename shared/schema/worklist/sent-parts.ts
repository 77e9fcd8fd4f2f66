import * as z from 'zod';

const SentPart = z.strictObject({ items: z.array(z.array(z.string())), sha256: z.string().optional() });
const SealShape = z.strictObject({ items: z.int().optional(), sha256: z.string().optional() });

/** What a sender says of the whole list; it is checked. */
export type Seal = z.output<typeof SealShape>;

export type SentBody<T> =
  | { readonly kind: 'read'; readonly value: T }
  /** With the path of whatever is wrong. */
  | { readonly kind: 'unreadable'; readonly message: string };

/** Reads a part of a list: its items, and the hash that they had when they were sent. */
export const readSentPart = (value: unknown): SentBody<z.output<typeof SentPart>> => readAs(SentPart, value);

export const readSeal = (value: unknown): SentBody<Seal> => readAs(SealShape, value);

function readAs<S extends z.ZodType>(shape: S, value: unknown): SentBody<z.output<S>> {
  const read = shape.safeParse(value);
  return read.success
    ? { kind: 'read', value: read.data }
    : { kind: 'unreadable', message: z.prettifyError(read.error) };
}
