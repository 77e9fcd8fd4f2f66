import {
  BOOL,
  CORE,
  INT32,
  REQUIRED,
  STRING,
  STRINGS,
  STRING_MAP,
  ZERO_SHOWN,
  bare,
  object,
} from '../../../schema/kinds/field.ts';
import type { KindTable, ObjectType } from '../../../schema/kinds/kind-table.ts';

const source = (name: string, fields: ObjectType['fields']): ObjectType => ({
  openapi: `${CORE}.${name}`,
  description: '',
  fields,
});
const secretRef = (no: number) => bare(no, object('SecretReference'));

/** Sources that only PersistentVolumes have. Read from protobuf, then refused. */
export const FOREIGN_SOURCE_SHAPES: KindTable = {
  SecretReference: {
    openapi: `${CORE}.SecretReference`,
    description: '',
    atomic: true,
    fields: { name: bare(1, STRING), namespace: bare(2, STRING) },
  },
  AzureFilePersistentVolumeSource: source('AzureFilePersistentVolumeSource', {
    secretName: bare(1, STRING, REQUIRED),
    shareName: bare(2, STRING, REQUIRED),
    readOnly: bare(3, BOOL),
    secretNamespace: bare(4, STRING, ZERO_SHOWN),
  }),
  CephFSPersistentVolumeSource: source('CephFSPersistentVolumeSource', {
    monitors: bare(1, STRINGS, REQUIRED),
    path: bare(2, STRING),
    user: bare(3, STRING),
    secretFile: bare(4, STRING),
    secretRef: secretRef(5),
    readOnly: bare(6, BOOL),
  }),
  CinderPersistentVolumeSource: source('CinderPersistentVolumeSource', {
    volumeID: bare(1, STRING, REQUIRED),
    fsType: bare(2, STRING),
    readOnly: bare(3, BOOL),
    secretRef: secretRef(4),
  }),
  FlexPersistentVolumeSource: source('FlexPersistentVolumeSource', {
    driver: bare(1, STRING, REQUIRED),
    fsType: bare(2, STRING),
    secretRef: secretRef(3),
    readOnly: bare(4, BOOL),
    options: bare(5, STRING_MAP),
  }),
  GlusterfsPersistentVolumeSource: source('GlusterfsPersistentVolumeSource', {
    endpoints: bare(1, STRING, REQUIRED),
    path: bare(2, STRING, REQUIRED),
    readOnly: bare(3, BOOL),
    endpointsNamespace: bare(4, STRING, ZERO_SHOWN),
  }),
  ISCSIPersistentVolumeSource: source('ISCSIPersistentVolumeSource', {
    targetPortal: bare(1, STRING, REQUIRED),
    iqn: bare(2, STRING, REQUIRED),
    lun: bare(3, INT32, REQUIRED),
    iscsiInterface: bare(4, STRING),
    fsType: bare(5, STRING),
    readOnly: bare(6, BOOL),
    portals: bare(7, STRINGS),
    chapAuthDiscovery: bare(8, BOOL),
    secretRef: secretRef(10),
    chapAuthSession: bare(11, BOOL),
    initiatorName: bare(12, STRING, ZERO_SHOWN),
  }),
  RBDPersistentVolumeSource: source('RBDPersistentVolumeSource', {
    monitors: bare(1, STRINGS, REQUIRED),
    image: bare(2, STRING, REQUIRED),
    fsType: bare(3, STRING),
    pool: bare(4, STRING),
    user: bare(5, STRING),
    keyring: bare(6, STRING),
    secretRef: secretRef(7),
    readOnly: bare(8, BOOL),
  }),
  ScaleIOPersistentVolumeSource: source('ScaleIOPersistentVolumeSource', {
    gateway: bare(1, STRING, REQUIRED),
    system: bare(2, STRING, REQUIRED),
    secretRef: bare(3, object('SecretReference'), REQUIRED),
    sslEnabled: bare(4, BOOL),
    protectionDomain: bare(5, STRING),
    storagePool: bare(6, STRING),
    storageMode: bare(7, STRING),
    volumeName: bare(8, STRING),
    fsType: bare(9, STRING),
    readOnly: bare(10, BOOL),
  }),
  StorageOSPersistentVolumeSource: source('StorageOSPersistentVolumeSource', {
    volumeName: bare(1, STRING),
    volumeNamespace: bare(2, STRING),
    fsType: bare(3, STRING),
    readOnly: bare(4, BOOL),
    secretRef: bare(5, object('ObjectReference')),
  }),
};
