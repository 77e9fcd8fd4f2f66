import type { Policy } from '../domain/policy.ts';

/** Reads who may do what. The answer may be some seconds old. */
export type PolicyReader = { policy(): Promise<Policy> };
