import type { LimitRange } from '../domain/limit-range.ts';

/** Reads what containers of a namespace get and may have, in the order of names. The answer may be some seconds old. */
export type LimitRangeReader = { limitRanges(namespace: string): Promise<readonly LimitRange[]> };
