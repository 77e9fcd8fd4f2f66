export { sealedObjects } from '../store/sealed-objects.ts';
export { CONFIG_MAP_KIND, SECRET_KIND, firstConfigMap } from './config-kinds.ts';
