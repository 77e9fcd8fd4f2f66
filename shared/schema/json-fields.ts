import * as z from 'zod';

/** Readers for the fields of a Kubernetes object, as Go's JSON decoder takes them. */

/** Go's JSON takes null for an absent field. */
export const opt = <S extends z.ZodType>(schema: S) => schema.nullish().transform((value) => value ?? undefined);

const some = z.unknown().optional();
/** Names of fields with any content. */
export const known = <const K extends string>(...names: readonly K[]): Record<K, typeof some> => {
  const fields = {} as Record<K, typeof some>;
  for (const name of names) fields[name] = some;
  return fields;
};

export const text = opt(z.string());
export const int32 = opt(z.int32());
export const int64 = opt(z.int());
export const flag = opt(z.boolean());
export const texts = opt(z.array(z.string()));
export const textMap = opt(
  z.record(
    z.string(),
    z
      .string()
      .nullable()
      .transform((value) => value ?? ''),
  ),
);
/** A quantity may be written as a number. */
export const quantities = opt(z.record(z.string(), z.union([z.string(), z.number()]).transform(String)));
