import { kubeApiOf } from '../../shared/runtime/api.ts';
import { processRuntime } from '../../shared/runtime/options-from-env.ts';
import { apiHandler } from '../../shared/runtime/lambda-middleware.ts';

export const handler = apiHandler({ runtime: () => processRuntime(), app: kubeApiOf });
