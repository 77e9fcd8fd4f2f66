export { CLOSE_HOSTS, SYNC_HOSTS, formatSyncHosts } from './written-orders.ts';
