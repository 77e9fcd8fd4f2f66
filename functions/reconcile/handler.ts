import { OPENED_BY_RECONCILE } from '../../shared/capabilities/lists/opened-by-functions.ts';
import { processRuntime } from '../../shared/runtime/options-from-env.ts';
import { reconcileHandler } from '../../shared/runtime/queue-handlers.ts';

export const handler = reconcileHandler(() => processRuntime(OPENED_BY_RECONCILE));
