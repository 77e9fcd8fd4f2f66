import { FRESH_CONFIG } from './furiko/domain/index.ts';

/** What the schedulers of all capabilities keep of an object at which nobody has looked, by kind. */
export const CAPABILITY_FRESH = {
  JobConfig: FRESH_CONFIG,
};
