import { type ApiKind, READ, WRITE, WRITTEN, grant } from '../../../domain/kinds/api-kind.ts';

const CORE = { group: '', version: 'v1' } as const;

/** As much as an API server takes: values of 1 MiB in base64, what is written twice, and who manages which key. */
const BODY_BYTES_MAX = 3 * 1024 * 1024;

/** What Pods take values from. */
export const CONFIG_KINDS = {
  ConfigMap: {
    ...CORE,
    ...WRITTEN,
    kind: 'ConfigMap',
    plural: 'configmaps',
    shortNames: ['cm'],
    stored: true,
    bodyBytesMax: BODY_BYTES_MAX,
    counted: 'configMaps',
    grants: [grant('view', READ), grant('edit', WRITE)],
  },
  // Who may change Secrets may read them, and nobody else: as in a cluster, `view` does not.
  Secret: {
    ...CORE,
    ...WRITTEN,
    kind: 'Secret',
    plural: 'secrets',
    stored: true,
    isConfidential: true,
    bodyBytesMax: BODY_BYTES_MAX,
    counted: 'secrets',
    grants: [grant('edit', READ), grant('edit', WRITE)],
  },
} as const satisfies Readonly<Record<string, ApiKind>>;
