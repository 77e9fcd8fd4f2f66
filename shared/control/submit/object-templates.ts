import type { CreatedObject, Submission } from '../../schema/submission/submission.ts';

/** What makes Jobs for objects of S3, as it is now. */
export type ObjectTemplates = {
  /** A submission for each that wants this object, in order of (namespace, name). */
  submissionsFor(object: CreatedObject): Promise<readonly Submission[]>;
  /** Why there is none: `no CronJob has the annotation …`. */
  readonly whyNone: string;
};
