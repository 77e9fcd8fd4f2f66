import {
  BOOL,
  CORE,
  INT32,
  INT64,
  QUANTITY,
  REQUIRED,
  STRING,
  ZERO_SHOWN,
  bare,
  field,
  inlined,
  listOf,
  object,
  unserved,
} from './field.ts';
import type { KindTable } from './kind-table.ts';

/** Volumes of a Pod: emptyDir, and those that show keys as files, which are refused. */
export const VOLUME_KINDS = {
  Volume: {
    openapi: `${CORE}.Volume`,
    description: 'A directory that containers of a Pod share.',
    fields: {
      name: field(1, STRING, 'Unique in the Pod. Volume mounts refer to it.', REQUIRED),
      volumeSource: inlined(2, object('VolumeSource')),
    },
  },
  VolumeSource: {
    openapi: `${CORE}.VolumeSource`,
    description: 'The source of a volume.',
    fields: {
      hostPath: field(
        1,
        object('HostPathVolumeSource'),
        'What is at a path of this machine, within the folders of muster local --allow-host-path. Refused on AWS.',
      ),
      emptyDir: field(
        2,
        object('EmptyDirVolumeSource'),
        'An empty directory. Also the default of a volume without a source.',
      ),
      gcePersistentDisk: unserved(3, object('GCEPersistentDiskVolumeSource')),
      awsElasticBlockStore: unserved(4, object('AWSElasticBlockStoreVolumeSource')),
      gitRepo: unserved(5, object('GitRepoVolumeSource')),
      secret: unserved(6, object('SecretVolumeSource')),
      nfs: unserved(7, object('NFSVolumeSource')),
      iscsi: unserved(8, object('ISCSIVolumeSource')),
      glusterfs: unserved(9, object('GlusterfsVolumeSource')),
      persistentVolumeClaim: unserved(10, object('PersistentVolumeClaimVolumeSource')),
      rbd: unserved(11, object('RBDVolumeSource')),
      flexVolume: unserved(12, object('FlexVolumeSource')),
      cinder: unserved(13, object('CinderVolumeSource')),
      cephfs: unserved(14, object('CephFSVolumeSource')),
      flocker: unserved(15, object('FlockerVolumeSource')),
      downwardAPI: unserved(16, object('DownwardAPIVolumeSource')),
      fc: unserved(17, object('FCVolumeSource')),
      azureFile: unserved(18, object('AzureFileVolumeSource')),
      configMap: unserved(19, object('ConfigMapVolumeSource')),
      vsphereVolume: unserved(20, object('VsphereVirtualDiskVolumeSource')),
      quobyte: unserved(21, object('QuobyteVolumeSource')),
      azureDisk: unserved(22, object('AzureDiskVolumeSource')),
      photonPersistentDisk: unserved(23, object('PhotonPersistentDiskVolumeSource')),
      projected: unserved(26, object('ProjectedVolumeSource')),
      portworxVolume: unserved(24, object('PortworxVolumeSource')),
      scaleIO: unserved(25, object('ScaleIOVolumeSource')),
      storageos: unserved(27, object('StorageOSVolumeSource')),
      csi: unserved(28, object('CSIVolumeSource')),
      ephemeral: unserved(29, object('EphemeralVolumeSource')),
      image: unserved(30, object('ImageVolumeSource')),
    },
  },
  EmptyDirVolumeSource: {
    openapi: `${CORE}.EmptyDirVolumeSource`,
    description: "An empty directory on the task's disk, or in memory.",
    fields: {
      medium: field(
        1,
        STRING,
        'Memory: a tmpfs, which one container mounts, and which counts as its memory. Omitted: on disk.',
      ),
      sizeLimit: field(
        2,
        QUANTITY,
        "Added to the task's disk, which has 20 GiB by default and at most 200 GiB. Not enforced for each volume. In memory it is enforced, and defaults to the memory limit of the container.",
      ),
    },
  },
  ConfigMapVolumeSource: {
    openapi: `${CORE}.ConfigMapVolumeSource`,
    description: '',
    fields: {
      localObjectReference: inlined(1, object('LocalObjectReference')),
      items: bare(2, listOf(object('KeyToPath'))),
      defaultMode: bare(3, INT32, ZERO_SHOWN),
      optional: bare(4, BOOL, ZERO_SHOWN),
    },
  },
  SecretVolumeSource: {
    openapi: `${CORE}.SecretVolumeSource`,
    description: '',
    fields: {
      secretName: bare(1, STRING),
      items: bare(2, listOf(object('KeyToPath'))),
      defaultMode: bare(3, INT32, ZERO_SHOWN),
      optional: bare(4, BOOL, ZERO_SHOWN),
    },
  },
  DownwardAPIVolumeSource: {
    openapi: `${CORE}.DownwardAPIVolumeSource`,
    description: '',
    fields: {
      items: bare(1, listOf(object('DownwardAPIVolumeFile'))),
      defaultMode: bare(2, INT32, ZERO_SHOWN),
    },
  },
  DownwardAPIVolumeFile: {
    openapi: `${CORE}.DownwardAPIVolumeFile`,
    description: '',
    fields: {
      path: bare(1, STRING, REQUIRED),
      fieldRef: bare(2, object('ObjectFieldSelector')),
      resourceFieldRef: bare(3, object('ResourceFieldSelector')),
      mode: bare(4, INT32, ZERO_SHOWN),
    },
  },
  ProjectedVolumeSource: {
    openapi: `${CORE}.ProjectedVolumeSource`,
    description: '',
    fields: {
      sources: bare(1, listOf(object('VolumeProjection')), REQUIRED),
      defaultMode: bare(2, INT32, ZERO_SHOWN),
    },
  },
  VolumeProjection: {
    openapi: `${CORE}.VolumeProjection`,
    description: '',
    fields: {
      secret: bare(1, object('SecretProjection')),
      downwardAPI: bare(2, object('DownwardAPIProjection')),
      configMap: bare(3, object('ConfigMapProjection')),
      serviceAccountToken: bare(4, object('ServiceAccountTokenProjection')),
      clusterTrustBundle: bare(5, object('ClusterTrustBundleProjection')),
      podCertificate: bare(6, object('PodCertificateProjection')),
    },
  },
  ConfigMapProjection: {
    openapi: `${CORE}.ConfigMapProjection`,
    description: '',
    fields: {
      localObjectReference: inlined(1, object('LocalObjectReference')),
      items: bare(2, listOf(object('KeyToPath'))),
      optional: bare(4, BOOL, ZERO_SHOWN),
    },
  },
  SecretProjection: {
    openapi: `${CORE}.SecretProjection`,
    description: '',
    fields: {
      localObjectReference: inlined(1, object('LocalObjectReference')),
      items: bare(2, listOf(object('KeyToPath'))),
      optional: bare(4, BOOL, ZERO_SHOWN),
    },
  },
  DownwardAPIProjection: {
    openapi: `${CORE}.DownwardAPIProjection`,
    description: '',
    fields: {
      items: bare(1, listOf(object('DownwardAPIVolumeFile'))),
    },
  },
  ServiceAccountTokenProjection: {
    openapi: `${CORE}.ServiceAccountTokenProjection`,
    description: '',
    fields: {
      audience: bare(1, STRING),
      expirationSeconds: bare(2, INT64, ZERO_SHOWN),
      path: bare(3, STRING, REQUIRED),
    },
  },
  ClusterTrustBundleProjection: {
    openapi: `${CORE}.ClusterTrustBundleProjection`,
    description: '',
    fields: {
      name: bare(1, STRING, ZERO_SHOWN),
      signerName: bare(2, STRING, ZERO_SHOWN),
      labelSelector: bare(3, object('LabelSelector')),
      optional: bare(5, BOOL, ZERO_SHOWN),
      path: bare(4, STRING, REQUIRED),
    },
  },
  PodCertificateProjection: {
    openapi: `${CORE}.PodCertificateProjection`,
    description: '',
    fields: {
      signerName: bare(1, STRING),
      keyType: bare(2, STRING),
      maxExpirationSeconds: bare(3, INT32, ZERO_SHOWN),
      credentialBundlePath: bare(4, STRING),
      keyPath: bare(5, STRING),
      certificateChainPath: bare(6, STRING),
    },
  },
  KeyToPath: {
    openapi: `${CORE}.KeyToPath`,
    description: '',
    fields: {
      key: bare(1, STRING, REQUIRED),
      path: bare(2, STRING, REQUIRED),
      mode: bare(3, INT32, ZERO_SHOWN),
    },
  },
} as const satisfies KindTable;
