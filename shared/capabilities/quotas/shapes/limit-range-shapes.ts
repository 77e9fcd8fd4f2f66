import { CORE, QUANTITY_MAP, REQUIRED, STRING, field, listOf, object } from '../../../schema/kinds/field.ts';
import type { KindTable } from '../../../schema/kinds/kind-table.ts';

/** What each container of a namespace gets and may have. */
export const LIMIT_RANGE_KINDS = {
  LimitRange: {
    openapi: `${CORE}.LimitRange`,
    description:
      'What the containers and Pods of a namespace get if they say nothing, and what they may say. It counts when a Job is created; those that exist are left as they are.',
    apiVersion: 'v1',
    fields: {
      metadata: field(1, object('ObjectMeta'), 'Name and namespace, labels and annotations.'),
      spec: field(2, object('LimitRangeSpec'), 'The limits.'),
    },
  },
  LimitRangeSpec: {
    openapi: `${CORE}.LimitRangeSpec`,
    description: 'Limits of a namespace.',
    fields: {
      limits: field(1, listOf(object('LimitRangeItem')), 'Limits for containers, and for Pods.', REQUIRED),
    },
  },
  LimitRangeItem: {
    openapi: `${CORE}.LimitRangeItem`,
    description: 'Limits of cpu, memory, and ephemeral-storage.',
    fields: {
      type: field(1, STRING, 'What is limited: each Container, or each Pod as a whole.', REQUIRED),
      max: field(2, QUANTITY_MAP, 'The most that may be requested, and the highest limit.'),
      min: field(3, QUANTITY_MAP, 'The least that must be requested, and the lowest limit.'),
      default: field(4, QUANTITY_MAP, 'The limits of a container that says none; by default max. Not for a Pod.'),
      defaultRequest: field(
        5,
        QUANTITY_MAP,
        'What a container requests that says neither a request nor a limit; by default its default limit, or min. Not for a Pod.',
      ),
      maxLimitRequestRatio: field(6, QUANTITY_MAP, 'How many times its request a limit may be.'),
    },
  },
} as const satisfies KindTable;
