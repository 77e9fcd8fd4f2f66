/** A claim of any volume of 1 GiB. */
export const claim = (name: string, spec: object = {}, metadata: object = {}) => ({
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: { name, ...metadata },
  spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } }, ...spec },
});

/** A file system of EFS, for claims without a class. */
export const volume = (name: string, spec: object = {}, metadata: object = {}) => ({
  apiVersion: 'v1',
  kind: 'PersistentVolume',
  metadata: { name, ...metadata },
  spec: {
    capacity: { storage: '5Gi' },
    accessModes: ['ReadWriteOnce', 'ReadWriteMany'],
    csi: { driver: 'efs.csi.aws.com', volumeHandle: 'fs-0123456789abcdef0' },
    ...spec,
  },
});

export const storageClass = (name: string, more: object = {}) => ({
  apiVersion: 'storage.k8s.io/v1',
  kind: 'StorageClass',
  metadata: { name },
  provisioner: 'efs.csi.aws.com',
  ...more,
});
