import { processRuntime } from '../../shared/runtime/options-from-env.ts';
import { sweepHandler } from '../../shared/runtime/queue-handlers.ts';

export const handler = sweepHandler(() => processRuntime());
