import type { AttemptValues, ItemValues } from '../base/late-text.ts';
import type { JobIdentity } from '../manifests/job.ts';
import type { JobManifest } from '../manifests/manifest.ts';
import { podName, podUid } from './pod-name.ts';

/**
 * What an attempt of a Job fills into its variables and words. It is a function of what is stored, so a repeated launch is the
 * same, and what a task was given can be derived later.
 *
 * @param before how often its index had failed, and been ignored, when it was launched
 * @param item null: the Job has no work list
 * @param completions how many indexes the Job has, as its launch template has it; null: that says none
 */
export const attemptValues = (
  { identity, manifest }: { readonly identity: JobIdentity; readonly manifest: JobManifest },
  { index, attempt }: { readonly index: number; readonly attempt: number },
  before: { readonly failures: number; readonly ignored: number },
  item: ItemValues | null,
  completions: number | null,
): AttemptValues => ({
  podName: podName({ ...identity, completionMode: manifest.spec.completionMode }, index, attempt),
  podUid: podUid(identity.uid, index, attempt),
  completionIndex: index,
  completions,
  retryIndex: attempt - 1,
  labels: manifest.spec.template.metadata.labels,
  failureCount: before.failures,
  ignoredFailureCount: before.ignored,
  item,
});
