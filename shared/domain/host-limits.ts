import { HOSTS_MAX } from './host-names.ts';

/** How many names of tasks there may be, and how fast they may change; rates are calls a second, null: no limit of ours. */
export type HostLimits = {
  /** All Jobs together. */
  readonly max: number;
  /** Making and deleting names. */
  readonly servicesPerSec: number | null;
  /** Moving names to tasks and away from them. */
  readonly tasksPerSec: number | null;
};

/** AWS has not published Cloud Map's rates; these are what a controller of its own keeps to (aws.md 4.1). */
export const AWS_HOST_LIMITS: HostLimits = { max: HOSTS_MAX, servicesPerSec: 5, tasksPerSec: 50 };
