import { type Groups, harmless, honoured, refused } from './pod-field.ts';

export const NOT_SHARED = 'leave it out: Fargate shares nothing of the host';
const NO_VOLUME = 'use a PersistentVolumeClaim or an emptyDir, or read and write an object store from the program';
const NO_CHOICE = 'leave it out: the volume is made for the Pod';
const MODE = 'permissions of the file, a number between 0 and 511 (0777); defaults to defaultMode';
const DEFAULT_MODE = 'permissions of files without a mode; defaults to 420 (0644)';
const ITEMS = 'the keys that become files; omitted: all, each under its name';
const OPTIONAL = 'true: there may be no such object, and no such keys';

/** The part of the table on volumes and on their sources. */
export const VOLUME_FIELDS = {
  volume: {
    name: honoured('name of the volume'),
    emptyDir: honoured(
      'an empty directory that disappears with the task; also the default of a volume without a source',
    ),
    configMap: honoured('files of the keys of a ConfigMap, as they are when the task starts'),
    secret: honoured('files of the keys of a Secret, as they are when the task starts'),
    downwardAPI: honoured('files of fields of the Pod'),
    projected: honoured('files of several ConfigMaps, Secrets, and fields, in one folder'),
    persistentVolumeClaim: honoured('the PersistentVolume of the claim: a file system of EFS; embedded, a folder'),
    ephemeral: honoured('a claim as long-lived as the Pod: disk of the task, or by its class an EBS volume'),
    csi: refused('make a PersistentVolume with this csi and a PersistentVolumeClaim for it, and name the claim'),
    nfs: honoured('only on AWS: a file system of EFS, by its DNS name; embedded refused: use a hostPath'),
    hostPath: honoured(
      'only embedded: what is at the path, within the folders that `muster local --allow-host-path` names; refused on Fargate, which shares nothing of the host',
    ),
    image: refused('copy the files with an init container into an emptyDir'),
    awsElasticBlockStore: refused(NO_VOLUME),
    azureDisk: refused(NO_VOLUME),
    azureFile: refused(NO_VOLUME),
    cephfs: refused(NO_VOLUME),
    cinder: refused(NO_VOLUME),
    fc: refused(NO_VOLUME),
    flexVolume: refused(NO_VOLUME),
    flocker: refused(NO_VOLUME),
    gcePersistentDisk: refused(NO_VOLUME),
    gitRepo: refused('clone it with an init container into an emptyDir'),
    glusterfs: refused(NO_VOLUME),
    iscsi: refused(NO_VOLUME),
    photonPersistentDisk: refused(NO_VOLUME),
    portworxVolume: refused(NO_VOLUME),
    quobyte: refused(NO_VOLUME),
    rbd: refused(NO_VOLUME),
    scaleIO: refused(NO_VOLUME),
    storageos: refused(NO_VOLUME),
    vsphereVolume: refused(NO_VOLUME),
  },
  emptyDir: {
    sizeLimit: honoured(
      "added to the task's ephemeral storage (20 GiB, up to 200), and not enforced volume by volume; in memory: the size of the tmpfs",
    ),
    medium: honoured('Memory: a tmpfs of the one container that mounts it (linuxParameters.tmpfs); see Volumes'),
  },
  hostPath: {
    path: honoured('host.sourcePath; where links lead to must be within an allowed folder, too'),
    type: honoured(
      'what has to be there when a task starts; DirectoryOrCreate and FileOrCreate create what is missing',
    ),
  },
  configMap: {
    name: honoured('the ConfigMap'),
    items: honoured(ITEMS),
    defaultMode: honoured(DEFAULT_MODE),
    optional: honoured(OPTIONAL),
  },
  secret: {
    secretName: honoured('the Secret'),
    items: honoured(ITEMS),
    defaultMode: honoured(DEFAULT_MODE),
    optional: honoured(OPTIONAL),
  },
  keyFile: {
    key: honoured('the key'),
    path: honoured('the file, within the volume; no control characters, and no blanks at its ends'),
    mode: honoured(MODE),
  },
  downwardAPI: {
    items: honoured('the files'),
    defaultMode: honoured(DEFAULT_MODE),
  },
  downwardFile: {
    path: honoured('the file, within the volume; no control characters, and no blanks at its ends'),
    mode: honoured(MODE),
    fieldRef: honoured(
      "metadata.name, metadata.namespace, metadata.uid, metadata.labels, metadata.annotations, metadata.labels['…'], metadata.annotations['…']",
    ),
    resourceFieldRef: honoured('limits and requests that the container containerName sets'),
  },
  projected: {
    sources: honoured('what the files are of; two files may not have one path'),
    defaultMode: honoured(DEFAULT_MODE),
  },
  projection: {
    configMap: honoured('files of the keys of a ConfigMap; name, items, and optional as above'),
    secret: honoured('files of the keys of a Secret; name, items, and optional as above'),
    downwardAPI: honoured('files of fields of the Pod; items as above'),
    serviceAccountToken: honoured(
      'on this machine: a token of the ServiceAccount, bound to the Pod, and renewed while it runs; refused on AWS, where a task has its role',
    ),
    clusterTrustBundle: refused('put the certificates into a ConfigMap'),
    podCertificate: refused('put the certificate into a Secret'),
  },
  tokenProjection: {
    audience: honoured('who may take it for a sign of its bearer; omitted: this API'),
    expirationSeconds: honoured(
      'how long it holds: 10 minutes or more, an hour by default; renewed when a fifth of it is left',
    ),
    path: honoured('the file, within the volume'),
  },
  claim: {
    claimName: honoured('the PersistentVolumeClaim, in the namespace of the Job'),
    readOnly: honoured('mounted for reading only'),
  },
  ephemeral: {
    volumeClaimTemplate: honoured('what the claim asks for'),
  },
  claimTemplate: {
    metadata: harmless('labels and annotations are kept and shown: the claim is no object'),
    spec: honoured('what the volume is'),
  },
  claimSpec: {
    accessModes: honoured('at least one; they have no effect, because one task has the volume'),
    resources: honoured('requests.storage: the size'),
    storageClassName: honoured(
      'omitted: disk of the task; a type of EBS (gp3): an EBS volume, one for each Pod; embedded, a folder',
    ),
    volumeMode: honoured('Filesystem, or left out'),
    selector: refused(NO_CHOICE),
    volumeName: refused(NO_CHOICE),
    dataSource: refused('copy the files with an init container'),
    dataSourceRef: refused('copy the files with an init container'),
    volumeAttributesClassName: refused('leave it out: there are no such classes'),
  },
  nfs: {
    server: honoured('the DNS name of a file system of EFS: fs-….efs.<region>.amazonaws.com'),
    path: honoured('rootDirectory'),
    readOnly: honoured('mounted for reading only'),
  },
} as const satisfies Partial<Groups>;
