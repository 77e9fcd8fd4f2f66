import { kubeApiOf } from '../../shared/runtime/api.ts';
import { processRuntime } from '../../shared/runtime/aws.ts';
import { apiHandler } from '../../shared/runtime/stack.ts';

export const handler = apiHandler({ runtime: processRuntime, app: kubeApiOf });
