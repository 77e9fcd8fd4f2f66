import type { OrderHandlers } from '../../control/dispatch/order-handlers.ts';
import type { LaunchNeed } from '../../control/process/launch-need.ts';
import type { PodSource } from '../../control/process/pod-source.ts';
import { CONFIG_SOURCE } from '../configs/control/index.ts';
import { CLAIM_SOURCE } from '../storage/control/index.ts';
import { TASK_NAMES, closeHostsOf, syncHosts } from '../hostnames/control/index.ts';

/** What tasks must have before they are launched. */
export const LAUNCH_NEEDS: readonly LaunchNeed[] = [TASK_NAMES];

/** Where what Pods name outside of themselves is read. */
export const POD_SOURCES: readonly PodSource[] = [CONFIG_SOURCE, CLAIM_SOURCE];

/** What carries out the orders of capabilities, by kind. */
export const ORDER_HANDLERS: OrderHandlers = {
  hosts: syncHosts,
  closeHosts: closeHostsOf,
};
