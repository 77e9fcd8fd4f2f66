import { processRuntime } from '../../shared/runtime/options-from-env.ts';
import { dispatchHandler } from '../../shared/runtime/queue-handlers.ts';

export const handler = dispatchHandler(() => processRuntime());
