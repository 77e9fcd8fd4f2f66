import type { Reconciler } from '../../control/schedulers/look-often.ts';
import type { CapabilityCommands } from '../../ports/extra-commands.ts';
import type { Makers } from '../../control/process/make-each.ts';
import type { Deps } from '../../control/process/deps.ts';
import type { ObjectGuard } from '../../ports/object-guard.ts';
import type { ObjectStore } from '../../ports/object-store.ts';
import type { TellRefused } from '../../control/submit/refused-submission.ts';
import type { ObjectTemplates } from '../../control/submit/object-templates.ts';
import { tellRefused } from '../announcements/control/index.ts';
import { createPlaceCommands, reconcileConfig } from '../furiko/control/index.ts';
import { createQuotaCommands, createQuotaGuard } from '../quotas/control/index.ts';
import { createObjectTemplates, reconcileCron } from '../schedules/control/index.ts';
import { createStorageCommands } from '../storage/control/index.ts';

/** What looks at the objects of capabilities that make Jobs: the first that knows an object's kind. */
export const CAPABILITY_RECONCILERS: readonly Reconciler[] = [reconcileCron, reconcileConfig];

/** What users do with what capabilities have. */
export const COMMAND_MAKERS: Makers<CapabilityCommands, [Deps]> = {
  places: createPlaceCommands,
  quotas: createQuotaCommands,
  storage: createStorageCommands,
};

/** What makes Jobs for objects of S3. `create` is called once in a process, which may remember something. */
export const TEMPLATE_FINDERS: readonly ((objects: ObjectStore) => ObjectTemplates)[] = [createObjectTemplates];

/** Who hears of a message that makes no Job. */
export const REFUSED_HEARERS: readonly TellRefused[] = [tellRefused];

const GUARDS: readonly ((deps: Deps) => ObjectGuard)[] = [createQuotaGuard];

/** What of all capabilities may speak against a new object. */
export const capabilityGuards = (deps: Deps): readonly ObjectGuard[] => GUARDS.map((create) => create(deps));
