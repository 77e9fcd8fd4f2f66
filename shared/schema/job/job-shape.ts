import * as z from 'zod';
import { flag, int32, int64, opt, text } from '../object/json-fields.ts';
import { labelSelectorShape } from '../object/label-selector-shape.ts';
import { objectMetadataShape } from '../object/object-metadata.ts';
import { templateShape } from '../pod/pod-shape.ts';
import { jobStatusShape } from '../object/status-shape.ts';

/** A `batch/v1` Job as clients write it, with every field of Kubernetes 1.34. Any other field is a spelling mistake. */

const podFailureRule = z.strictObject({
  action: text,
  onExitCodes: opt(z.strictObject({ containerName: text, operator: text, values: opt(z.array(z.int32())) })),
  onPodConditions: opt(z.array(z.strictObject({ type: text, status: text }))),
});

const successRule = z.strictObject({ succeededIndexes: text, succeededCount: int32 });

export const jobSpecShape = z.strictObject({
  parallelism: int32,
  completions: int32,
  completionMode: text,
  backoffLimit: int32,
  backoffLimitPerIndex: int32,
  maxFailedIndexes: int32,
  podFailurePolicy: opt(z.strictObject({ rules: opt(z.array(podFailureRule)) })),
  successPolicy: opt(z.strictObject({ rules: opt(z.array(successRule)) })),
  activeDeadlineSeconds: int64,
  ttlSecondsAfterFinished: int32,
  suspend: flag,
  podReplacementPolicy: text,
  managedBy: text,
  manualSelector: flag,
  selector: opt(labelSelectorShape),
  template: opt(templateShape),
});

export const JobShape = z.strictObject({
  apiVersion: text,
  kind: text,
  metadata: opt(objectMetadataShape),
  // As in Go, a missing spec is an empty one.
  spec: opt(jobSpecShape).transform((given) => given ?? jobSpecShape.parse({})),
  // Its rules apply only at the path `status`, but it must be readable everywhere.
  status: opt(jobStatusShape),
});

export type JobShape = z.output<typeof JobShape>;
export type JobSpecShape = z.output<typeof jobSpecShape>;
export type PodFailureRuleShape = z.output<typeof podFailureRule>;
export type SuccessRuleShape = z.output<typeof successRule>;
