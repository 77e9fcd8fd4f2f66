import { LIMIT_RANGE_KINDS } from '../schema/kinds/limit-range-kinds.ts';
import { RESOURCE_QUOTA_KINDS } from '../schema/kinds/resource-quota.ts';
import { FURIKO_SHAPES } from './furiko/shapes/index.ts';

/** The shapes of what capabilities serve, by the names of their types. */
export const CAPABILITY_SHAPES = {
  ...FURIKO_SHAPES,
  ...LIMIT_RANGE_KINDS,
  ...RESOURCE_QUOTA_KINDS,
};
