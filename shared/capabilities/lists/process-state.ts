import type { CapabilityState } from '../../control/process/capability-state.ts';
import { type Makers, makeEach } from '../../control/process/make-each.ts';
import type { KeptPorts } from '../../store/keep-kinds.ts';
import { createQuotaState } from '../quotas/control/index.ts';

const CREATE: Makers<CapabilityState, [ports: KeptPorts, ageMs?: number]> = {
  quotas: createQuotaState,
};

/**
 * What all capabilities keep in one process.
 *
 * @param ageMs how old what is kept of stored objects may be; default: as long as `keepKinds` says
 */
export const createCapabilityState = (ports: KeptPorts, ageMs?: number): CapabilityState =>
  makeEach(CREATE, ports, ageMs);
