import type { KindTable } from '../../../schema/kinds/kind-table.ts';
import { FURIKO_JOB_CONFIG_KINDS } from './job-config-shapes.ts';
import { FURIKO_JOB_KINDS } from './job-shapes.ts';

/** The shapes of Jobs and JobConfigs. */
export const FURIKO_SHAPES: KindTable = { ...FURIKO_JOB_KINDS, ...FURIKO_JOB_CONFIG_KINDS };
