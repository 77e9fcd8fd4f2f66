import { processRuntime } from '../../shared/runtime/aws.ts';
import { reconcileHandler } from '../../shared/runtime/work.ts';

export const handler = reconcileHandler(processRuntime);
