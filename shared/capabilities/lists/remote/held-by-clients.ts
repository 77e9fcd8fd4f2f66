import type { ApiOptions } from '../../../kube/http/api-deps.ts';
import type { CapabilityPorts } from '../../../ports/capability-ports.ts';
import { remoteRoutesOf } from '../../sessions/kube/index.ts';

type SessionRoutes = NonNullable<ApiOptions['sessionRoutes']>;

const REMOTE: readonly ((ports: Partial<CapabilityPorts>) => SessionRoutes[number] | null)[] = [remoteRoutesOf];

/** Routes of an API on AWS for sessions with Pods, if it has what they need. */
export function remoteSessionRoutes(ports: Partial<CapabilityPorts>): Pick<ApiOptions, 'sessionRoutes'> {
  const sessionRoutes = REMOTE.flatMap((routesOf) => routesOf(ports) ?? []);
  return sessionRoutes.length === 0 ? {} : { sessionRoutes };
}
