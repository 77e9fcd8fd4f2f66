import type { CapabilityState } from '../control/process/capability-state.ts';
import type { KeptPorts } from '../store/keep-kinds.ts';
import { createQuotaState } from './quotas/control/index.ts';

/**
 * What all capabilities keep in one process.
 *
 * @param ageMs how old what is kept of stored objects may be; default: as long as `keepKinds` says
 */
export const createCapabilityState = (ports: KeptPorts, ageMs?: number): CapabilityState => ({
  quotas: createQuotaState(ports, ageMs),
});
