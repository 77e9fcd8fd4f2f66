import type { PodSource } from '../../control/process/pod-source.ts';

/** Where what Pods name outside of themselves is read. */
export const POD_SOURCES: readonly PodSource[] = [];
