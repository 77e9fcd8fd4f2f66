export { LIMIT_RANGE_KIND, QUOTA_KIND } from './quota-kinds.ts';
