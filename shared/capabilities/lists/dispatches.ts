import type { OrderHandlers } from '../../control/dispatch/order-handlers.ts';
import type { LaunchNeed } from '../../control/process/launch-need.ts';
import { TASK_NAMES, closeHostsOf, syncHosts } from '../hostnames/control/index.ts';

/** What tasks must have before they are launched. */
export const LAUNCH_NEEDS: readonly LaunchNeed[] = [TASK_NAMES];

/** What carries out the orders of capabilities, by kind. */
export const ORDER_HANDLERS: OrderHandlers = {
  hosts: syncHosts,
  closeHosts: closeHostsOf,
};
