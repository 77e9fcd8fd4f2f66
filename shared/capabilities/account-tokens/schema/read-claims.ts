import * as z from 'zod';
import { ISSUER, type TokenClaims } from '../domain/token-claims.ts';

const named = z.object({ name: z.string(), uid: z.string() });

const CLAIMS = z.object({
  iss: z.literal(ISSUER),
  sub: z.string(),
  aud: z.array(z.string()),
  iat: z.number(),
  nbf: z.number(),
  exp: z.number(),
  jti: z.string(),
  'kubernetes.io': z.object({ namespace: z.string(), serviceaccount: named, pod: named.optional() }),
});

/** What a signed payload says; null: it is of another form. */
export const readClaims = (payload: unknown): TokenClaims | null => CLAIMS.safeParse(payload).data ?? null;
