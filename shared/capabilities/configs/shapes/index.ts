import { BOOL, CORE, STRING, STRING_MAP, ZERO_SHOWN, field, mapOf, object } from '../../../schema/kinds/field.ts';
import type { KindTable } from '../../../schema/kinds/kind-table.ts';

const BYTES_MAP = mapOf({ is: 'bytes' });
const IMMUTABLE = 'If true, its values cannot be changed any more, and this cannot be taken back. Its metadata can.';

/** The shapes of ConfigMaps and Secrets. */
export const CONFIG_SHAPES = {
  ConfigMap: {
    openapi: `${CORE}.ConfigMap`,
    description:
      'Values by key, which are no secrets. Every namespace has one, named kube-root-ca.crt, which cannot be changed.',
    apiVersion: 'v1',
    fields: {
      metadata: field(1, object('ObjectMeta'), 'Name and namespace, labels and annotations.'),
      immutable: field(4, BOOL, IMMUTABLE, ZERO_SHOWN),
      data: field(2, STRING_MAP, 'Values by key: texts. A key has letters, digits, -, _ and .'),
      binaryData: field(3, BYTES_MAP, 'Values by key that are no texts, in base64. No key may be in data, too.'),
    },
  },
  Secret: {
    openapi: `${CORE}.Secret`,
    description: 'Values by key that nobody should see who may not. It is stored sealed, with all that it has.',
    apiVersion: 'v1',
    fields: {
      metadata: field(1, object('ObjectMeta'), 'Name and namespace, labels and annotations.'),
      immutable: field(5, BOOL, IMMUTABLE, ZERO_SHOWN),
      data: field(2, BYTES_MAP, 'Values by key, in base64. A key has letters, digits, -, _ and .'),
      stringData: field(
        4,
        STRING_MAP,
        'Values by key, as texts: only written, never shown. They go into data, in the place of what is there.',
      ),
      type: field(
        3,
        STRING,
        'What kind of values it has, which says which keys it must have: kubernetes.io/tls, kubernetes.io/dockerconfigjson, and so on. Defaults to Opaque. It cannot be changed.',
      ),
    },
  },
} as const satisfies KindTable;
