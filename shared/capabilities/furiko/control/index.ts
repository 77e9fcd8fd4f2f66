export { createPlaceCommands } from './place-commands.ts';
export { reconcileConfig } from './reconcile-config.ts';
