import type { JobUid } from '../base/ids.ts';

/** Which Pod a container belongs to. */
export type PodPlace = { readonly uid: JobUid; readonly index: number; readonly attempt: number };

/** What a container that runs has used. */
export type ContainerUsage = {
  readonly pod: PodPlace;
  readonly taskId: string;
  readonly container: string;
  /** CPU time of all of its programs since it started. */
  readonly cpuNanos: number;
  /** The memory that they work with now. */
  readonly memoryBytes: number;
};
