import type { PartUpdate } from '../schema/job/job-update.ts';
import { admitBatchUpdateOfFuriko } from './furiko/schema/index.ts';

/** How documents of `batch/v1` may change Jobs of which capabilities keep a part. */
export const BATCH_UPDATES: readonly PartUpdate[] = [admitBatchUpdateOfFuriko];
