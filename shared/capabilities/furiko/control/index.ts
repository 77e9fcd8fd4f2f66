export { createPlaceCommands } from './give-places.ts';
export { reconcileConfig } from './reconcile-config.ts';
