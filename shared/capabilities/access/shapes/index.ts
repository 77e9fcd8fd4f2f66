import type { KindTable } from '../../../schema/kinds/kind-table.ts';
import { REVIEW_SHAPES } from './review-shapes.ts';
import { ROLE_SHAPES } from './role-shapes.ts';

/** The shapes of roles, bindings, and reviews. */
export const ACCESS_SHAPES: KindTable = { ...REVIEW_SHAPES, ...ROLE_SHAPES };
