export { LIMIT_RANGE_LIMIT, QUOTA_LIMIT } from './quota-limits.ts';
