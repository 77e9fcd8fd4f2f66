import { FURIKO_KINDS } from './furiko/kinds/index.ts';

/** The kinds of all capabilities. A kind comes after those that its objects name. */
export const CAPABILITY_KINDS = {
  ...FURIKO_KINDS,
} as const;
