import { CONFIG_MAP_KIND, SECRET_KIND } from './config-kinds.ts';

/** The kinds that are stored. */
export const CONFIGS_SERVED = {
  ConfigMap: CONFIG_MAP_KIND,
  Secret: SECRET_KIND,
};

export { sealedObjects } from '../store/sealed-objects.ts';
export { firstConfigMap } from './config-kinds.ts';
