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

/** What volumes of ConfigMaps and of Secrets have alike. */
const KEY_FILES = {
  items: field(2, listOf(object('KeyToPath')), 'The keys that become files. Omitted: all keys, each under its name.'),
  defaultMode: field(
    3,
    INT32,
    'Permissions of files without a mode, from 0 to 511 (0777). Defaults to 420 (0644).',
    ZERO_SHOWN,
  ),
  optional: field(4, BOOL, 'True: the object and its keys may be missing.', ZERO_SHOWN),
};

/** Volumes of a Pod: emptyDir, and those that show keys and fields as files. */
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
      secret: field(6, object('SecretVolumeSource'), 'Files of the keys of a Secret.'),
      nfs: field(7, object('NFSVolumeSource'), 'A file system of EFS, by its DNS name. Refused on this machine.'),
      iscsi: unserved(8, object('ISCSIVolumeSource')),
      glusterfs: unserved(9, object('GlusterfsVolumeSource')),
      persistentVolumeClaim: field(
        10,
        object('PersistentVolumeClaimVolumeSource'),
        'The volume of a claim in the namespace of the Job.',
      ),
      rbd: unserved(11, object('RBDVolumeSource')),
      flexVolume: unserved(12, object('FlexVolumeSource')),
      cinder: unserved(13, object('CinderVolumeSource')),
      cephfs: unserved(14, object('CephFSVolumeSource')),
      flocker: unserved(15, object('FlockerVolumeSource')),
      downwardAPI: field(16, object('DownwardAPIVolumeSource'), 'Files of fields of the Pod.'),
      fc: unserved(17, object('FCVolumeSource')),
      azureFile: unserved(18, object('AzureFileVolumeSource')),
      configMap: field(19, object('ConfigMapVolumeSource'), 'Files of the keys of a ConfigMap.'),
      vsphereVolume: unserved(20, object('VsphereVirtualDiskVolumeSource')),
      quobyte: unserved(21, object('QuobyteVolumeSource')),
      azureDisk: unserved(22, object('AzureDiskVolumeSource')),
      photonPersistentDisk: unserved(23, object('PhotonPersistentDiskVolumeSource')),
      projected: field(
        26,
        object('ProjectedVolumeSource'),
        'Files of several ConfigMaps, Secrets, and fields, in one folder.',
      ),
      portworxVolume: unserved(24, object('PortworxVolumeSource')),
      scaleIO: unserved(25, object('ScaleIOVolumeSource')),
      storageos: unserved(27, object('StorageOSVolumeSource')),
      csi: unserved(28, object('CSIVolumeSource')),
      ephemeral: field(29, object('EphemeralVolumeSource'), 'A volume of a claim that lives as long as the Pod.'),
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
    description: 'The keys of a ConfigMap, as files.',
    fields: {
      localObjectReference: inlined(1, object('LocalObjectReference')),
      ...KEY_FILES,
    },
  },
  SecretVolumeSource: {
    openapi: `${CORE}.SecretVolumeSource`,
    description: 'The keys of a Secret, as files.',
    fields: {
      secretName: field(1, STRING, 'Name of the Secret.'),
      ...KEY_FILES,
    },
  },
  DownwardAPIVolumeSource: {
    openapi: `${CORE}.DownwardAPIVolumeSource`,
    description: 'Fields of the Pod, as files.',
    fields: {
      items: field(1, listOf(object('DownwardAPIVolumeFile')), 'The files.'),
      defaultMode: field(
        2,
        INT32,
        'Permissions of files without a mode, from 0 to 511 (0777). Defaults to 420 (0644).',
        ZERO_SHOWN,
      ),
    },
  },
  DownwardAPIVolumeFile: {
    openapi: `${CORE}.DownwardAPIVolumeFile`,
    description: 'A field of the Pod, and the file that it becomes.',
    fields: {
      path: field(1, STRING, 'The file, within the volume.', REQUIRED),
      fieldRef: field(
        2,
        object('ObjectFieldSelector'),
        "metadata.name, namespace, uid, labels, annotations, or a single label or annotation, as metadata.labels['KEY'].",
      ),
      resourceFieldRef: field(3, object('ResourceFieldSelector'), 'A resource of the container containerName.'),
      mode: field(4, INT32, 'Permissions of the file, from 0 to 511 (0777). Defaults to defaultMode.', ZERO_SHOWN),
    },
  },
  ProjectedVolumeSource: {
    openapi: `${CORE}.ProjectedVolumeSource`,
    description: 'Files of several sources, in one folder.',
    fields: {
      sources: field(1, listOf(object('VolumeProjection')), 'What the files are of.', REQUIRED),
      defaultMode: field(
        2,
        INT32,
        'Permissions of files without a mode, from 0 to 511 (0777). Defaults to 420 (0644).',
        ZERO_SHOWN,
      ),
    },
  },
  VolumeProjection: {
    openapi: `${CORE}.VolumeProjection`,
    description: 'Where files of a projected volume come from: exactly one of these.',
    fields: {
      secret: field(1, object('SecretProjection'), 'Files of the keys of a Secret.'),
      downwardAPI: field(2, object('DownwardAPIProjection'), 'Files of fields of the Pod.'),
      configMap: field(3, object('ConfigMapProjection'), 'Files of the keys of a ConfigMap.'),
      serviceAccountToken: field(
        4,
        object('ServiceAccountTokenProjection'),
        "A token of the Pod's ServiceAccount, on this machine.",
      ),
      clusterTrustBundle: unserved(5, object('ClusterTrustBundleProjection')),
      podCertificate: unserved(6, object('PodCertificateProjection')),
    },
  },
  ConfigMapProjection: {
    openapi: `${CORE}.ConfigMapProjection`,
    description: 'The keys of a ConfigMap, as files.',
    fields: {
      localObjectReference: inlined(1, object('LocalObjectReference')),
      items: field(
        2,
        listOf(object('KeyToPath')),
        'The keys that become files. Omitted: all keys, each under its name.',
      ),
      optional: field(4, BOOL, 'True: the object and its keys may be missing.', ZERO_SHOWN),
    },
  },
  SecretProjection: {
    openapi: `${CORE}.SecretProjection`,
    description: 'The keys of a Secret, as files.',
    fields: {
      localObjectReference: inlined(1, object('LocalObjectReference')),
      items: field(
        2,
        listOf(object('KeyToPath')),
        'The keys that become files. Omitted: all keys, each under its name.',
      ),
      optional: field(4, BOOL, 'True: the object and its keys may be missing.', ZERO_SHOWN),
    },
  },
  DownwardAPIProjection: {
    openapi: `${CORE}.DownwardAPIProjection`,
    description: 'Fields of the Pod, as files.',
    fields: {
      items: field(1, listOf(object('DownwardAPIVolumeFile')), 'The files.'),
    },
  },
  ServiceAccountTokenProjection: {
    openapi: `${CORE}.ServiceAccountTokenProjection`,
    description: 'A token of a ServiceAccount, as a file that is renewed while the Pod runs.',
    fields: {
      audience: field(1, STRING, 'Who may take it for a sign of its bearer. Omitted: this API.'),
      expirationSeconds: field(
        2,
        INT64,
        'How long it holds: from 600 on. Defaults to 3600. It is renewed before.',
        ZERO_SHOWN,
      ),
      path: field(3, STRING, 'The file, within the volume.', REQUIRED),
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
    description: 'A key, and the file that it becomes.',
    fields: {
      key: field(1, STRING, 'The key.', REQUIRED),
      path: field(2, STRING, 'The file, within the volume.', REQUIRED),
      mode: field(3, INT32, 'Permissions of the file, from 0 to 511 (0777). Defaults to defaultMode.', ZERO_SHOWN),
    },
  },
} as const satisfies KindTable;
