import type { NamespaceLimit } from '../../schema/namespace/namespace-limit.ts';
import { LIMIT_RANGE_LIMIT, QUOTA_LIMIT } from '../quotas/schema/index.ts';

/** What limits a namespace, and may be given beside a Job that is tried out in one. */
export const NAMESPACE_LIMITS: readonly NamespaceLimit[] = [LIMIT_RANGE_LIMIT, QUOTA_LIMIT];
