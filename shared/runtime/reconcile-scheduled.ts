import { CAPABILITY_RECONCILERS } from '../capabilities/lists/handlers.ts';
import type { CronRequest } from '../control/schedulers/look-often.ts';
import type { Deps } from '../control/process/deps.ts';

/** Looks at the object of a message, whatever kind of those that make Jobs it is. */
export async function reconcileScheduled(request: CronRequest, deps: Deps): Promise<void> {
  for (const reconcile of CAPABILITY_RECONCILERS) if ((await reconcile(request, deps)) !== 'other') return;
}
