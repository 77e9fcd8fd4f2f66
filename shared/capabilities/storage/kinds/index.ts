import { ALL, type ApiKind, READ, WRITE, WRITTEN, grant, statusOf } from '../../../domain/kinds/api-kind.ts';

const CORE = { group: '', version: 'v1' } as const;
const OF_CLUSTER = { isNamespaced: false, verbs: ALL } as const;

/** Storage, and claims of it. Volumes and their classes are in no namespace: only cluster-admin may write them. */
export const STORAGE_KINDS = {
  StorageClass: {
    group: 'storage.k8s.io',
    version: 'v1',
    ...OF_CLUSTER,
    kind: 'StorageClass',
    plural: 'storageclasses',
    shortNames: ['sc'],
    stored: true,
    showsDeleted: true,
    grants: [],
  },
  PersistentVolume: {
    ...CORE,
    ...OF_CLUSTER,
    kind: 'PersistentVolume',
    plural: 'persistentvolumes',
    shortNames: ['pv'],
    subresources: [statusOf('PersistentVolume', ['get'])],
    component: 'persistentvolume-controller',
    stored: true,
    showsDeleted: true,
    grants: [],
  },
  PersistentVolumeClaim: {
    ...CORE,
    ...WRITTEN,
    kind: 'PersistentVolumeClaim',
    plural: 'persistentvolumeclaims',
    shortNames: ['pvc'],
    subresources: [statusOf('PersistentVolumeClaim', ['get'])],
    component: 'persistentvolume-controller',
    stored: true,
    showsDeleted: true,
    keepsNews: true,
    counted: 'persistentVolumeClaims',
    grants: [grant('view', READ, '', 'status'), grant('edit', WRITE)],
  },
} as const satisfies Readonly<Record<string, ApiKind>>;
