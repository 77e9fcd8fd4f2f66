import { OPENED_BY_API } from '../../shared/capabilities/lists/opened-by-functions.ts';
import { remoteSessionRoutes } from '../../shared/capabilities/lists/remote/held-by-clients.ts';
import { kubeApiOf } from '../../shared/runtime/api.ts';
import { gatewayAuthentication } from '../../shared/runtime/caller-of-gateway.ts';
import { processGatewayAccess, processRuntime } from '../../shared/runtime/options-from-env.ts';
import { apiHandler } from '../../shared/runtime/lambda-middleware.ts';

export const handler = apiHandler({
  runtime: () => processRuntime(OPENED_BY_API),
  app: (runtime, options) => {
    const access = processGatewayAccess();
    const { authorization } = access;
    const sessions = remoteSessionRoutes(runtime.deps.ports);
    return kubeApiOf(runtime, {
      ...options,
      ...sessions,
      authorization,
      authenticate: gatewayAuthentication(access),
    });
  },
});
