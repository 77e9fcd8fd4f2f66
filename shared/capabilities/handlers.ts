import type { Reconciler } from '../control/cron/reconcile-cron.ts';
import type { CommandMakers } from '../control/process/capability-commands.ts';
import { createPlaceCommands, reconcileConfig } from './furiko/control/index.ts';

/** What looks at the objects of capabilities that make Jobs: the first that knows an object's kind. */
export const CAPABILITY_RECONCILERS: readonly Reconciler[] = [reconcileConfig];

/** What users do with what capabilities have. */
export const COMMAND_MAKERS: CommandMakers = {
  places: createPlaceCommands,
};
