import {
  BOOL,
  CORE,
  INT32,
  QUANTITY_MAP,
  REQUIRED,
  STRING,
  STRINGS,
  STRING_MAP,
  ZERO_SHOWN,
  bare,
  field,
  object,
  unserved,
} from './field.ts';
import type { KindTable } from './kind-table.ts';

/** Volumes that are attached to a node: claims, file systems, and what is read from protobuf and then refused. */
export const ATTACHED_VOLUME_KINDS = {
  AWSElasticBlockStoreVolumeSource: {
    openapi: `${CORE}.AWSElasticBlockStoreVolumeSource`,
    description: '',
    fields: {
      volumeID: bare(1, STRING, REQUIRED),
      fsType: bare(2, STRING),
      partition: bare(3, INT32),
      readOnly: bare(4, BOOL),
    },
  },
  AzureDiskVolumeSource: {
    openapi: `${CORE}.AzureDiskVolumeSource`,
    description: '',
    fields: {
      diskName: bare(1, STRING, REQUIRED),
      diskURI: bare(2, STRING, REQUIRED),
      cachingMode: bare(3, STRING, ZERO_SHOWN),
      fsType: bare(4, STRING, ZERO_SHOWN),
      readOnly: bare(5, BOOL, ZERO_SHOWN),
      kind: bare(6, STRING, ZERO_SHOWN),
    },
  },
  AzureFileVolumeSource: {
    openapi: `${CORE}.AzureFileVolumeSource`,
    description: '',
    fields: {
      secretName: bare(1, STRING, REQUIRED),
      shareName: bare(2, STRING, REQUIRED),
      readOnly: bare(3, BOOL),
    },
  },
  CSIVolumeSource: {
    openapi: `${CORE}.CSIVolumeSource`,
    description: '',
    fields: {
      driver: bare(1, STRING, REQUIRED),
      readOnly: bare(2, BOOL, ZERO_SHOWN),
      fsType: bare(3, STRING, ZERO_SHOWN),
      volumeAttributes: bare(4, STRING_MAP),
      nodePublishSecretRef: bare(5, object('LocalObjectReference')),
    },
  },
  CephFSVolumeSource: {
    openapi: `${CORE}.CephFSVolumeSource`,
    description: '',
    fields: {
      monitors: bare(1, STRINGS, REQUIRED),
      path: bare(2, STRING),
      user: bare(3, STRING),
      secretFile: bare(4, STRING),
      secretRef: bare(5, object('LocalObjectReference')),
      readOnly: bare(6, BOOL),
    },
  },
  CinderVolumeSource: {
    openapi: `${CORE}.CinderVolumeSource`,
    description: '',
    fields: {
      volumeID: bare(1, STRING, REQUIRED),
      fsType: bare(2, STRING),
      readOnly: bare(3, BOOL),
      secretRef: bare(4, object('LocalObjectReference')),
    },
  },
  EphemeralVolumeSource: {
    openapi: `${CORE}.EphemeralVolumeSource`,
    description: 'A volume of a claim that lives as long as the Pod.',
    fields: {
      volumeClaimTemplate: field(1, object('PersistentVolumeClaimTemplate'), 'What the claim asks for.'),
    },
  },
  FCVolumeSource: {
    openapi: `${CORE}.FCVolumeSource`,
    description: '',
    fields: {
      targetWWNs: bare(1, STRINGS),
      lun: bare(2, INT32, ZERO_SHOWN),
      fsType: bare(3, STRING),
      readOnly: bare(4, BOOL),
      wwids: bare(5, STRINGS),
    },
  },
  FlexVolumeSource: {
    openapi: `${CORE}.FlexVolumeSource`,
    description: '',
    fields: {
      driver: bare(1, STRING, REQUIRED),
      fsType: bare(2, STRING),
      secretRef: bare(3, object('LocalObjectReference')),
      readOnly: bare(4, BOOL),
      options: bare(5, STRING_MAP),
    },
  },
  FlockerVolumeSource: {
    openapi: `${CORE}.FlockerVolumeSource`,
    description: '',
    fields: {
      datasetName: bare(1, STRING),
      datasetUUID: bare(2, STRING),
    },
  },
  GCEPersistentDiskVolumeSource: {
    openapi: `${CORE}.GCEPersistentDiskVolumeSource`,
    description: '',
    fields: {
      pdName: bare(1, STRING, REQUIRED),
      fsType: bare(2, STRING),
      partition: bare(3, INT32),
      readOnly: bare(4, BOOL),
    },
  },
  GitRepoVolumeSource: {
    openapi: `${CORE}.GitRepoVolumeSource`,
    description: '',
    fields: {
      repository: bare(1, STRING, REQUIRED),
      revision: bare(2, STRING),
      directory: bare(3, STRING),
    },
  },
  GlusterfsVolumeSource: {
    openapi: `${CORE}.GlusterfsVolumeSource`,
    description: '',
    fields: {
      endpoints: bare(1, STRING, REQUIRED),
      path: bare(2, STRING, REQUIRED),
      readOnly: bare(3, BOOL),
    },
  },
  HostPathVolumeSource: {
    openapi: `${CORE}.HostPathVolumeSource`,
    description: 'What is at a path of the machine that tasks run on.',
    fields: {
      path: field(1, STRING, 'The path. Links are followed, and may not lead out of the allowed folders.', REQUIRED),
      type: field(
        2,
        STRING,
        'What has to be there: DirectoryOrCreate, Directory, FileOrCreate, File, Socket, CharDevice, BlockDevice. Empty: anything.',
        ZERO_SHOWN,
      ),
    },
  },
  ISCSIVolumeSource: {
    openapi: `${CORE}.ISCSIVolumeSource`,
    description: '',
    fields: {
      targetPortal: bare(1, STRING, REQUIRED),
      iqn: bare(2, STRING, REQUIRED),
      lun: bare(3, INT32, REQUIRED),
      iscsiInterface: bare(4, STRING),
      fsType: bare(5, STRING),
      readOnly: bare(6, BOOL),
      portals: bare(7, STRINGS),
      chapAuthDiscovery: bare(8, BOOL),
      chapAuthSession: bare(11, BOOL),
      secretRef: bare(10, object('LocalObjectReference')),
      initiatorName: bare(12, STRING, ZERO_SHOWN),
    },
  },
  ImageVolumeSource: {
    openapi: `${CORE}.ImageVolumeSource`,
    description: '',
    fields: {
      reference: bare(1, STRING),
      pullPolicy: bare(2, STRING),
    },
  },
  NFSVolumeSource: {
    openapi: `${CORE}.NFSVolumeSource`,
    description: 'A file system of EFS.',
    fields: {
      server: field(1, STRING, 'Its DNS name: fs-ID.efs.REGION.amazonaws.com.', REQUIRED),
      path: field(2, STRING, 'The folder of it that is mounted.', REQUIRED),
      readOnly: field(3, BOOL, 'Mounts it for reading only.'),
    },
  },
  PersistentVolumeClaimSpec: {
    openapi: `${CORE}.PersistentVolumeClaimSpec`,
    description: 'What a claim asks for.',
    fields: {
      accessModes: field(1, STRINGS, 'ReadWriteOnce, ReadOnlyMany, ReadWriteMany, or ReadWriteOncePod.'),
      selector: field(4, object('LabelSelector'), 'Labels of the volume. Not of an ephemeral one.'),
      resources: field(2, object('VolumeResourceRequirements'), 'The size: requests.storage.'),
      volumeName: field(3, STRING, 'Name of the volume. Not of an ephemeral one.'),
      storageClassName: field(
        5,
        STRING,
        'The class of the volume. Of an ephemeral one omitted: disk of the task.',
        ZERO_SHOWN,
      ),
      volumeMode: field(6, STRING, 'Only Filesystem, the default.', ZERO_SHOWN),
      dataSource: unserved(7, object('TypedLocalObjectReference')),
      dataSourceRef: unserved(8, object('TypedObjectReference')),
      volumeAttributesClassName: unserved(9, STRING, ZERO_SHOWN),
    },
  },
  PersistentVolumeClaimTemplate: {
    openapi: `${CORE}.PersistentVolumeClaimTemplate`,
    description: 'The claim of an ephemeral volume.',
    fields: {
      metadata: field(1, object('ObjectMeta'), 'Labels and annotations. They are kept, and have no effect.'),
      spec: field(2, object('PersistentVolumeClaimSpec'), 'What the claim asks for.', REQUIRED),
    },
  },
  PersistentVolumeClaimVolumeSource: {
    openapi: `${CORE}.PersistentVolumeClaimVolumeSource`,
    description: 'The volume of a claim.',
    fields: {
      claimName: field(1, STRING, 'Name of the PersistentVolumeClaim, in the namespace of the Job.', REQUIRED),
      readOnly: field(2, BOOL, 'Mounts it for reading only.'),
    },
  },
  PhotonPersistentDiskVolumeSource: {
    openapi: `${CORE}.PhotonPersistentDiskVolumeSource`,
    description: '',
    fields: {
      pdID: bare(1, STRING, REQUIRED),
      fsType: bare(2, STRING),
    },
  },
  PortworxVolumeSource: {
    openapi: `${CORE}.PortworxVolumeSource`,
    description: '',
    fields: {
      volumeID: bare(1, STRING, REQUIRED),
      fsType: bare(2, STRING),
      readOnly: bare(3, BOOL),
    },
  },
  QuobyteVolumeSource: {
    openapi: `${CORE}.QuobyteVolumeSource`,
    description: '',
    fields: {
      registry: bare(1, STRING, REQUIRED),
      volume: bare(2, STRING, REQUIRED),
      readOnly: bare(3, BOOL),
      user: bare(4, STRING),
      group: bare(5, STRING),
      tenant: bare(6, STRING),
    },
  },
  RBDVolumeSource: {
    openapi: `${CORE}.RBDVolumeSource`,
    description: '',
    fields: {
      monitors: bare(1, STRINGS, REQUIRED),
      image: bare(2, STRING, REQUIRED),
      fsType: bare(3, STRING),
      pool: bare(4, STRING),
      user: bare(5, STRING),
      keyring: bare(6, STRING),
      secretRef: bare(7, object('LocalObjectReference')),
      readOnly: bare(8, BOOL),
    },
  },
  ScaleIOVolumeSource: {
    openapi: `${CORE}.ScaleIOVolumeSource`,
    description: '',
    fields: {
      gateway: bare(1, STRING, REQUIRED),
      system: bare(2, STRING, REQUIRED),
      secretRef: bare(3, object('LocalObjectReference'), REQUIRED),
      sslEnabled: bare(4, BOOL),
      protectionDomain: bare(5, STRING),
      storagePool: bare(6, STRING),
      storageMode: bare(7, STRING),
      volumeName: bare(8, STRING),
      fsType: bare(9, STRING),
      readOnly: bare(10, BOOL),
    },
  },
  StorageOSVolumeSource: {
    openapi: `${CORE}.StorageOSVolumeSource`,
    description: '',
    fields: {
      volumeName: bare(1, STRING),
      volumeNamespace: bare(2, STRING),
      fsType: bare(3, STRING),
      readOnly: bare(4, BOOL),
      secretRef: bare(5, object('LocalObjectReference')),
    },
  },
  TypedLocalObjectReference: {
    openapi: `${CORE}.TypedLocalObjectReference`,
    description: '',
    atomic: true,
    fields: {
      apiGroup: bare(1, STRING, ZERO_SHOWN),
      kind: bare(2, STRING, REQUIRED),
      name: bare(3, STRING, REQUIRED),
    },
  },
  TypedObjectReference: {
    openapi: `${CORE}.TypedObjectReference`,
    description: '',
    fields: {
      apiGroup: bare(1, STRING, ZERO_SHOWN),
      kind: bare(2, STRING, REQUIRED),
      name: bare(3, STRING, REQUIRED),
      namespace: bare(4, STRING, ZERO_SHOWN),
    },
  },
  VolumeResourceRequirements: {
    openapi: `${CORE}.VolumeResourceRequirements`,
    description: 'The size of a volume.',
    fields: {
      limits: field(1, QUANTITY_MAP, 'It has no effect.'),
      requests: field(2, QUANTITY_MAP, 'storage, such as 10Gi.'),
    },
  },
  VsphereVirtualDiskVolumeSource: {
    openapi: `${CORE}.VsphereVirtualDiskVolumeSource`,
    description: '',
    fields: {
      volumePath: bare(1, STRING, REQUIRED),
      fsType: bare(2, STRING),
      storagePolicyName: bare(3, STRING),
      storagePolicyID: bare(4, STRING),
    },
  },
} as const satisfies KindTable;
