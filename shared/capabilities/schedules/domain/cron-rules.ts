import {
  CATCH_UPS,
  CRON_JOB_ANNOTATIONS,
  type CatchUp,
  parseCatchUp,
  parseJitter,
} from '../annotations/schedule-annotations.ts';
import type { Labels } from '../../../domain/manifests/manifest.ts';

/** What a CronJob's annotations add to Kubernetes' rules. */
export type CronRules = {
  readonly catchUp: CatchUp;
  /** Each slot's Job is created up to so much later, always the same for one slot. */
  readonly jitterSec: number;
};

/** The rules of an admitted CronJob. */
export const cronRulesOf = (annotations: Labels = {}): CronRules => ({
  catchUp: parseCatchUp(annotations[CRON_JOB_ANNOTATIONS.catchUp.key] ?? '') ?? CATCH_UPS.last,
  jitterSec: parseJitter(annotations[CRON_JOB_ANNOTATIONS.jitterSeconds.key] ?? '') ?? 0,
});
