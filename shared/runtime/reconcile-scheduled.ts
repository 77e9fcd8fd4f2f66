import { CAPABILITY_RECONCILERS } from '../capabilities/handlers.ts';
import { type CronRequest, type Reconciler, reconcileCron } from '../capabilities/schedules/control/reconcile-cron.ts';
import type { Deps } from '../control/process/deps.ts';

const RECONCILERS: readonly Reconciler[] = [reconcileCron, ...CAPABILITY_RECONCILERS];

/** Looks at the object of a message, whatever kind of those that make Jobs it is. */
export async function reconcileScheduled(request: CronRequest, deps: Deps): Promise<void> {
  for (const reconcile of RECONCILERS) if ((await reconcile(request, deps)) !== 'other') return;
}
