import { POLICY, field, object } from './field.ts';
import type { KindTable } from './kind-table.ts';

/** A request that is answered but not stored. */
export const EVICTION_KINDS = {
  Eviction: {
    openapi: `${POLICY}.Eviction`,
    description: 'Deletes a Pod and marks it as disrupted, which podFailurePolicy can match.',
    apiVersion: 'policy/v1',
    fields: {
      metadata: field(1, object('ObjectMeta'), "The Pod's name and namespace."),
      deleteOptions: field(2, object('DeleteOptions'), 'How the Pod is deleted.'),
    },
  },
} as const satisfies KindTable;
