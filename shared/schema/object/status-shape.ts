import * as z from 'zod';
import { int32, opt, plainTime, text, texts } from './json-fields.ts';

/** The status of each kind as clients write it, with every field of Kubernetes 1.34. */

const jobCondition = z.strictObject({
  type: text,
  status: text,
  lastProbeTime: plainTime,
  lastTransitionTime: plainTime,
  reason: text,
  message: text,
});

export const jobStatusShape = z.strictObject({
  conditions: opt(z.array(jobCondition)),
  startTime: plainTime,
  completionTime: plainTime,
  active: int32,
  succeeded: int32,
  failed: int32,
  terminating: int32,
  completedIndexes: text,
  failedIndexes: text,
  uncountedTerminatedPods: opt(z.strictObject({ succeeded: texts, failed: texts })),
  ready: int32,
});

const namespaceCondition = z.strictObject({
  type: text,
  status: text,
  lastTransitionTime: plainTime,
  reason: text,
  message: text,
});

export const namespaceStatusShape = z.strictObject({
  phase: text,
  conditions: opt(z.array(namespaceCondition)),
});

export type JobStatusShape = z.output<typeof jobStatusShape>;
