import type { PodSource } from '../../control/process/pod-source.ts';
import { CONFIG_SOURCE } from '../configs/control/index.ts';
import { CLAIM_SOURCE } from '../storage/control/index.ts';

/** Where what Pods name outside of themselves is read. */
export const POD_SOURCES: readonly PodSource[] = [CONFIG_SOURCE, CLAIM_SOURCE];
