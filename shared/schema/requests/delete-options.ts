import * as z from 'zod';

const opt = <S extends z.ZodType>(schema: S) => schema.nullish().transform((value) => value ?? undefined);

export const deleteOptionsShape = z.strictObject({
  apiVersion: opt(z.string()),
  kind: opt(z.literal('DeleteOptions')),
  /** A Job has no grace of its own; its Pods' templates say theirs. */
  gracePeriodSeconds: opt(z.int()),
  propagationPolicy: opt(z.string()),
  orphanDependents: opt(z.boolean()),
  dryRun: opt(z.array(z.string())),
  preconditions: opt(z.strictObject({ uid: opt(z.string()), resourceVersion: opt(z.string()) })),
});

export type DeleteOptions = z.output<typeof deleteOptionsShape>;

/** Reads a `meta/v1` DeleteOptions; null: it is none, or has a field that we do not know. */
export function decodeDeleteOptions(document: unknown): DeleteOptions | null {
  const decoded = deleteOptionsShape.safeParse(document);
  return decoded.success ? decoded.data : null;
}
