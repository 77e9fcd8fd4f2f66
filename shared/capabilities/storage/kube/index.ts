export { CLAIM_KIND, STORAGE_CLASS_KIND, VOLUME_KIND } from './storage-kinds.ts';
