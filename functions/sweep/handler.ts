import { processRuntime } from '../../shared/runtime/aws.ts';
import { sweepHandler } from '../../shared/runtime/work.ts';

export const handler = sweepHandler(processRuntime);
