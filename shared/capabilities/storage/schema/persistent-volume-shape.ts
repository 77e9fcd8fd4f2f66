import * as z from 'zod';
import { flag, known, opt, quantities, text, textMap, texts } from '../../../schema/object/json-fields.ts';
import { objectMetadataShape } from '../../../schema/object/object-metadata.ts';

/** Sources that Kubernetes knows and no task here can mount. */
export const FOREIGN = [
  'awsElasticBlockStore',
  'azureDisk',
  'azureFile',
  'cephfs',
  'cinder',
  'fc',
  'flexVolume',
  'flocker',
  'gcePersistentDisk',
  'glusterfs',
  'iscsi',
  'photonPersistentDisk',
  'portworxVolume',
  'quobyte',
  'rbd',
  'scaleIO',
  'storageos',
  'vsphereVolume',
] as const;

const claimRefShape = z.strictObject({
  kind: text,
  namespace: text,
  name: text,
  uid: text,
  apiVersion: text,
  resourceVersion: text,
  fieldPath: text,
});

export const volumeSpecShape = z.strictObject({
  capacity: quantities,
  accessModes: texts,
  persistentVolumeReclaimPolicy: text,
  storageClassName: text,
  volumeMode: text,
  mountOptions: texts,
  claimRef: opt(claimRefShape),
  csi: opt(
    z.strictObject({
      driver: text,
      volumeHandle: text,
      readOnly: flag,
      fsType: text,
      volumeAttributes: textMap,
      ...known(
        'controllerPublishSecretRef',
        'nodeStageSecretRef',
        'nodePublishSecretRef',
        'controllerExpandSecretRef',
        'nodeExpandSecretRef',
      ),
    }),
  ),
  nfs: opt(z.strictObject({ server: text, path: text, readOnly: flag })),
  hostPath: opt(z.strictObject({ path: text, type: text })),
  local: opt(z.strictObject({ path: text, fsType: text })),
  // Tasks have no nodes to choose from.
  ...known('nodeAffinity', 'volumeAttributesClassName', ...FOREIGN),
});
export type VolumeSpecShape = z.output<typeof volumeSpecShape>;

export const VolumeShape = z.strictObject({
  apiVersion: text,
  kind: text,
  metadata: opt(objectMetadataShape),
  spec: opt(volumeSpecShape),
  // Nobody sets it here; a client may send back what it has read.
  ...known('status'),
});
