import { OPENED_BY_SWEEP } from '../../shared/capabilities/lists/opened-by-functions.ts';
import { processRuntime } from '../../shared/runtime/options-from-env.ts';
import { sweepHandler } from '../../shared/runtime/queue-handlers.ts';

export const handler = sweepHandler(() => processRuntime(OPENED_BY_SWEEP));
