import { OPENED_BY_API } from '../../shared/capabilities/lists/opened-by-functions.ts';
import { kubeApiOf } from '../../shared/runtime/api.ts';
import { gatewayAuthentication } from '../../shared/runtime/caller-of-gateway.ts';
import { processGatewayAccess, processRuntime } from '../../shared/runtime/options-from-env.ts';
import { apiHandler } from '../../shared/runtime/lambda-middleware.ts';

export const handler = apiHandler({
  runtime: () => processRuntime(OPENED_BY_API),
  app: (runtime, options) => {
    const access = processGatewayAccess();
    const { authorization } = access;
    return kubeApiOf(runtime, { ...options, authorization, authenticate: gatewayAuthentication(access) });
  },
});
