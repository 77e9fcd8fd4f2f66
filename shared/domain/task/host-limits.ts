import { HOSTS_MAX } from './host-names.ts';

/** How many task names may exist, and how fast they may change; rates are calls per second, null: no limit of ours. */
export type HostLimits = {
  /** All Jobs together. */
  readonly max: number;
  /** Creating and deleting names. */
  readonly servicesPerSec: number | null;
  /** Pointing names to tasks and away from them. */
  readonly tasksPerSec: number | null;
};

/** AWS has not published Cloud Map's rates; AWS's own controller keeps to these (aws.md 4.1). */
export const AWS_HOST_LIMITS: HostLimits = { max: HOSTS_MAX, servicesPerSec: 5, tasksPerSec: 50 };
