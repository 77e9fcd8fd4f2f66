import type { KindTable } from '../../../schema/kinds/kind-table.ts';
import { CLAIM_SHAPES } from './claim-shapes.ts';
import { FOREIGN_SOURCE_SHAPES } from './foreign-source-shapes.ts';
import { STORAGE_CLASS_SHAPES } from './storage-class-shapes.ts';
import { VOLUME_SHAPES } from './volume-shapes.ts';

/** The shapes of volumes, claims, and classes of storage. */
export const STORAGE_SHAPES: KindTable = {
  ...CLAIM_SHAPES,
  ...STORAGE_CLASS_SHAPES,
  ...VOLUME_SHAPES,
  ...FOREIGN_SOURCE_SHAPES,
};
