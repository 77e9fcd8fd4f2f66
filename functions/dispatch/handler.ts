import { processRuntime } from '../../shared/runtime/aws.ts';
import { dispatchHandler } from '../../shared/runtime/work.ts';

export const handler = dispatchHandler(processRuntime);
