import type { Reconciler } from '../control/cron/reconcile-cron.ts';
import type { Deps } from '../control/process/deps.ts';
import type { CapabilityCommands } from '../ports/capability-commands.ts';
import { createPlaceCommands, reconcileConfig } from './furiko/control/index.ts';

/** What looks at the objects of capabilities that make Jobs: the first that knows an object's kind. */
export const CAPABILITY_RECONCILERS: readonly Reconciler[] = [reconcileConfig];

export const capabilityCommands = (deps: Deps): CapabilityCommands => ({
  places: createPlaceCommands(deps),
});
