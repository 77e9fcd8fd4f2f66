import * as z from 'zod';
import { firstFaults } from '../../../schema/object/field-error.ts';

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
  if (read.success) return { kind: 'read', value: read.data };
  const { told, more } = firstFaults(read.error.issues);
  const words = z.prettifyError({ issues: [...told] });
  return { kind: 'unreadable', message: more === 0 ? words : `${words}\nand ${more} more` };
}
