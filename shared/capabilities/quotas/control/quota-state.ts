import type { LimitRangeReader } from '../ports/limit-range-reader.ts';
import type { KeptPorts } from '../../../store/keep-kinds.ts';
import { createLimitRangeReader } from '../store/read-limit-ranges.ts';
import { type QuotaTurns, createQuotaTurns } from './quota-turns.ts';

declare module '../../../control/process/capability-state.ts' {
  interface CapabilityState {
    readonly quotas: QuotaState;
  }
}

/** What one process keeps of quotas and LimitRanges. */
export type QuotaState = LimitRangeReader & { readonly turns: QuotaTurns };

/** See {@link createLimitRangeReader}. */
export const createQuotaState = (ports: KeptPorts, ageMs?: number): QuotaState => ({
  ...createLimitRangeReader(ports, ageMs),
  turns: createQuotaTurns(),
});
