import { FURIKO_JOB_CONFIG_KINDS } from '../schema/kinds/furiko-job-config.ts';
import { FURIKO_JOB_KINDS } from '../schema/kinds/furiko-job-kinds.ts';

/** The shapes of what capabilities serve, by the names of their types. */
export const CAPABILITY_SHAPES = {
  ...FURIKO_JOB_KINDS,
  ...FURIKO_JOB_CONFIG_KINDS,
};
