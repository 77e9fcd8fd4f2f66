import { FURIKO_KINDS } from '../domain/furiko/furiko-kinds.ts';

/** The kinds of all capabilities. A kind comes after those that its objects name. */
export const CAPABILITY_KINDS = {
  ...FURIKO_KINDS,
} as const;
