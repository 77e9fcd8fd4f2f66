import { CLOSE_HOSTS, SYNC_HOSTS, formatSyncHosts } from '../hostnames/schema/index.ts';

/** What orders of capabilities look like in a message. */
export const ORDER_SCHEMAS = [SYNC_HOSTS, CLOSE_HOSTS] as const;

/** What of an order is written otherwise than it is read, by kind. */
export const ORDER_FORMATS = {
  hosts: formatSyncHosts,
};
