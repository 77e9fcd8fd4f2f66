import type { KindTable } from '../../../schema/kinds/kind-table.ts';
import { LIMIT_RANGE_KINDS } from './limit-range-shapes.ts';
import { RESOURCE_QUOTA_KINDS } from './quota-shapes.ts';

/** The shapes of LimitRanges and ResourceQuotas. */
export const QUOTA_SHAPES: KindTable = { ...LIMIT_RANGE_KINDS, ...RESOURCE_QUOTA_KINDS };
