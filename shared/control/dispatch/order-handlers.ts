import type { CapabilityOrders } from '../../ports/queues.ts';
import type { Deps } from '../process/deps.ts';

/** What carries out each kind of a capability's orders. */
export type OrderHandlers = {
  readonly [K in keyof CapabilityOrders]: (order: CapabilityOrders[K], deps: Deps) => Promise<void>;
};
