import * as z from 'zod';

/** A refusal of the server. */
export const StatusSchema = z.object({
  kind: z.literal('Status'),
  message: z.string().default(''),
  reason: z.string().default(''),
  code: z.int(),
  details: z
    .object({
      name: z.string().optional(),
      kind: z.string().optional(),
      causes: z
        .array(
          z.object({
            reason: z.string().default(''),
            message: z.string().default(''),
            field: z.string().default(''),
          }),
        )
        .default([]),
    })
    .optional(),
});
export type ApiStatus = z.output<typeof StatusSchema>;
