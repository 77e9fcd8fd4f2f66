import type { CapabilityPorts } from '../../../ports/capability-ports.ts';
import type { ApiOptions } from '../../../kube/http/api-deps.ts';
import { remoteSessionRoutes } from './remote-routes.ts';

export { addSessionRoutes } from './session-routes.ts';

/** Routes for sessions that clients hold by themselves; null: this installation has none. */
export const remoteRoutesOf = ({
  remoteSessions,
}: Partial<CapabilityPorts>): NonNullable<ApiOptions['sessionRoutes']>[number] | null =>
  remoteSessions === undefined ? null : remoteSessionRoutes(remoteSessions);
