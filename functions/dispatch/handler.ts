import { OPENED_BY_DISPATCH } from '../../shared/capabilities/lists/opened-by-functions.ts';
import { processRuntime } from '../../shared/runtime/options-from-env.ts';
import { dispatchHandler } from '../../shared/runtime/queue-handlers.ts';

export const handler = dispatchHandler(() => processRuntime(OPENED_BY_DISPATCH));
