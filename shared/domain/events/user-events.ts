import type { JobManifestSpec } from '../manifests/manifest.ts';
import type { Status } from '../scoreboard/status.ts';
import { normal, withEvent, withFew } from './job-events.ts';

// What a user has asked for, and Kubernetes has no Event for. Where nobody is named there is none either: the Job itself shows what
// was changed.

/** A program may resize a Job each minute. */
const RESIZES_MAX = 3;
const SIZES = ['parallelism', 'completions'] as const;

type Sized = Pick<JobManifestSpec, (typeof SIZES)[number]>;

/** `status`, with an Event that says who has made the Job larger or smaller; null: not known, so there is none. */
export function withResize(status: Status, before: Sized, after: Sized, by: string | null): Status {
  const changed = SIZES.filter((each) => before[each] !== after[each]);
  if (by === null || changed.length === 0) return status;
  const sizes = changed.map((each) => `${each} ${before[each] ?? 'unset'} to ${after[each] ?? 'unset'}`);
  return withFew(RESIZES_MAX, status, normal('Resized', `Job resized by ${by}: ${sizes.join(', ')}`));
}

/** The same for a deletion: the Job is shown until it has ended or its finalizers are removed. */
export const withDeletion = (status: Status, by: string | null): Status =>
  by === null ? status : withEvent(status, normal('Deleted', `Job deleted by ${by}`));
