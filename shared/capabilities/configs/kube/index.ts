export { sealedObjects } from '../store/sealed-objects.ts';
export { CONFIG_SERVED, firstConfigMap } from './config-kinds.ts';
