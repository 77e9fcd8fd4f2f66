import { CORE, QUANTITY_MAP, STRINGS, field, object, unserved } from '../../../schema/kinds/field.ts';
import type { KindTable } from '../../../schema/kinds/kind-table.ts';

/** What a namespace may use. */
export const RESOURCE_QUOTA_KINDS = {
  ResourceQuota: {
    openapi: `${CORE}.ResourceQuota`,
    description:
      'What the Jobs of a namespace may use together, and how many objects it may have. What would take more than is left is refused; what is there already is never stopped.',
    apiVersion: 'v1',
    fields: {
      metadata: field(1, object('ObjectMeta'), 'Name and namespace, labels and annotations.'),
      spec: field(2, object('ResourceQuotaSpec'), 'The limits.'),
      status: field(3, object('ResourceQuotaStatus'), 'The limits, and how much of them is used.'),
    },
  },
  ResourceQuotaSpec: {
    openapi: `${CORE}.ResourceQuotaSpec`,
    description: 'Limits of a namespace.',
    fields: {
      hard: field(
        1,
        QUANTITY_MAP,
        'Limits by name: count/jobs.batch, count/worklists.muster.run, count/services (or services), and so on count objects; pods, requests.cpu (or cpu) and requests.memory (or memory) count the Pods that all Jobs that may run may have at a time, and what these request. limits.cpu and limits.memory must be the same as the requests.',
      ),
      scopes: unserved(2, STRINGS),
      scopeSelector: unserved(3, object('ScopeSelector')),
    },
  },
  ResourceQuotaStatus: {
    openapi: `${CORE}.ResourceQuotaStatus`,
    description: 'What is used of the limits.',
    fields: {
      hard: field(1, QUANTITY_MAP, 'The limits.'),
      used: field(2, QUANTITY_MAP, 'What is used of each: at most a minute too high, and never too low.'),
    },
  },
  ScopeSelector: { openapi: `${CORE}.ScopeSelector`, description: 'Not supported by Muster.', fields: {} },
} as const satisfies KindTable;
