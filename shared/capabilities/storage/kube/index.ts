import { CLAIM_KIND, STORAGE_CLASS_KIND, VOLUME_KIND } from './storage-kinds.ts';

/** The kinds that are stored. */
export const STORAGE_SERVED = {
  PersistentVolume: VOLUME_KIND,
  PersistentVolumeClaim: CLAIM_KIND,
  StorageClass: STORAGE_CLASS_KIND,
};
