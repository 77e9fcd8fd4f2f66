import type { OwnerKind } from '../../domain/kinds/api-kinds.ts';
import type { OwnerCommands } from '../../ports/owner-commands.ts';
import type { Deps } from '../process/deps.ts';
import { armCron } from './arm-cron.ts';
import { deleteOwner, finishOwner } from './owner-deletion.ts';

/** What users do with objects of a kind that makes Jobs, as the API sees it. */
export const createOwnerCommands = (kind: OwnerKind, deps: Deps): OwnerCommands => ({
  arm: (uid, key) => armCron(kind, uid, key, deps),
  wake: (uid) => deps.queues.wakeCrons([{ cron: uid, delaySec: 0 }]),
  remove: (seen, propagation) => deleteOwner(kind, seen, propagation, deps),
  finish: (terminating) => finishOwner(kind, terminating, deps),
});
