/**
 * A Pod that no Job owns is stored as a Job of one Pod, under a name that no Job of a user can have. So it is launched, counted, and
 * mended as every index is, and lists of Jobs leave it out.
 */
const PREFIX = 'pod:';

/** The name of the Job that a bare Pod is stored as. */
export const jobNameOfPod = (pod: string): string => `${PREFIX}${pod}`;

/** The name of the bare Pod that a stored Job is; null: it is a Job. */
export const barePodOf = (jobName: string): string | null =>
  jobName.startsWith(PREFIX) ? jobName.slice(PREFIX.length) : null;

/** Whether a stored Job is a bare Pod. */
export const isBarePod = ({ name }: { readonly name: string }): boolean => barePodOf(name) !== null;
