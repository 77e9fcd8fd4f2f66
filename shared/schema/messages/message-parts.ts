import * as z from 'zod';
import { asEpochMs } from '../../domain/base/time.ts';
import { asJobUid, asTaskArn } from '../../domain/base/ids.ts';
import type { AttemptId } from '../../domain/base/fact.ts';

// What messages of all kinds are made of.

export const VERSION = 1;
export const v = z.literal(VERSION);

export const Uid = z
  .string()
  .regex(/^[\w-]{1,64}$/)
  .transform(asJobUid);
export const Arn = z.string().startsWith('arn:').transform(asTaskArn);
export const At = z.number().transform(asEpochMs);
export const Count = z.int().nonnegative();

/** An attempt, as [index, attempt, nonce]. */
export const Id = z
  .tuple([Count, Count, Count])
  .transform(([index, attempt, nonce]): AttemptId => ({ index, attempt, nonce }));
export const idOf = ({ index, attempt, nonce }: AttemptId) => [index, attempt, nonce] as const;
