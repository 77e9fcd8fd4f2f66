import type { CapabilityState } from '../control/process/capability-state.ts';
import type { KeptPorts } from '../store/keep-kinds.ts';
import { createQuotaState } from './quotas/control/index.ts';

type Create<T> = (ports: KeptPorts, ageMs?: number) => T;

const CREATE: { readonly [K in keyof CapabilityState]: Create<CapabilityState[K]> } = {
  quotas: createQuotaState,
};

/**
 * What all capabilities keep in one process.
 *
 * @param ageMs how old what is kept of stored objects may be; default: as long as `keepKinds` says
 */
export const createCapabilityState = (ports: KeptPorts, ageMs?: number): CapabilityState =>
  Object.fromEntries(
    Object.entries<Create<unknown>>(CREATE).map(([name, create]) => [name, create(ports, ageMs)]),
  ) as unknown as CapabilityState; // a field for each
