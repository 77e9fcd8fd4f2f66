import * as z from 'zod';

const opt = <S extends z.ZodType>(schema: S) => schema.nullish().transform((value) => value ?? undefined);

export const deleteOptionsShape = z.strictObject({
  apiVersion: opt(z.string()),
  kind: opt(z.literal('DeleteOptions')),
  /** Has no effect on a Job. Its Pod template has the grace period. */
  gracePeriodSeconds: opt(z.int()),
  propagationPolicy: opt(z.string()),
  orphanDependents: opt(z.boolean()),
  dryRun: opt(z.array(z.string())),
  preconditions: opt(z.strictObject({ uid: opt(z.string()), resourceVersion: opt(z.string()) })),
});

export type DeleteOptions = z.output<typeof deleteOptionsShape>;

/** Reads a `meta/v1` DeleteOptions; null: it is not one, or has an unknown field. */
export function decodeDeleteOptions(document: unknown): DeleteOptions | null {
  const decoded = deleteOptionsShape.safeParse(document);
  return decoded.success ? decoded.data : null;
}
