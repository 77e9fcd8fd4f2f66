import { LOCAL_FOLDER, NOTED } from './storage-objects.ts';

/** The class that a machine has, as long as nothing else is stored under its name. */
export const STANDARD = 'standard';

/** The StorageClass `standard` as it is shown: what makes a folder for each claim that names no class. */
export const standardClass = (uid: string, creationTimestamp: string) => ({
  apiVersion: 'storage.k8s.io/v1',
  kind: 'StorageClass',
  metadata: { name: STANDARD, uid, creationTimestamp, annotations: { [NOTED.defaultClass]: 'true' } },
  provisioner: LOCAL_FOLDER,
  reclaimPolicy: 'Delete',
  volumeBindingMode: 'Immediate',
});
