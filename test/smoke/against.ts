import { invariant } from '../../shared/domain/base/invariant.ts';
import { createEcsClients, sdkEcsCalls } from '../../shared/adapters/aws/ecs/sdk-ecs-calls.ts';
import { createSigner } from '../../shared/adapters/aws/sigv4.ts';
import { startGatewayProxy } from '../../local/proxy/gateway-proxy.ts';
import { startSigningProxy } from '../../local/proxy/signing-proxy.ts';
import { type Upstream, readUpstream } from '../../local/proxy/upstream.ts';
import { usageFailure } from '../../cli/shell/failure.ts';
import { aLocalRuntime } from '../e2e/a-local-runtime.ts';
import { KEYS, REGION, passOnTo, startGateway } from '../proxy/signing-gateway.ts';
import { environmentOf } from '../support/test-wiring.ts';
import type { Ground } from './ground.ts';

/** A stack within reach: a proxy on loopback signs for it. */
export type Against = {
  /** The proxy's address. */
  readonly url: string;
  /** Without a trailing slash. */
  readonly apiUrl: string;
  readonly ecs: Ground['ecs'];
  /** Ends what was started here; the stack stays. */
  readonly close: () => Promise<void>;
};

/**
 * A deployed stack, with the credentials that the AWS command line would use.
 *
 * @param server its output ApiUrl
 * @param cluster its output Cluster; null: ECS is not asked
 * @param say a line for people
 * @throws Failure for an address that is none
 */
export async function againstServer(
  server: string,
  { region, cluster }: { readonly region: string | null; readonly cluster: string | null },
  say: (line: string) => void,
): Promise<Against> {
  const upstream = upstreamOf(server, region);
  const proxy = await startGatewayProxy({ upstream, port: 0, now: Date.now, say });
  const clients = cluster === null ? null : createEcsClients({ region: upstream.region, endpoint: null });
  return {
    url: proxy.url,
    apiUrl: addressOf(upstream),
    ecs: clients === null || cluster === null ? null : { calls: sdkEcsCalls(clients), cluster },
    async close() {
      clients?.launching.destroy();
      clients?.other.destroy();
      await proxy.close();
    },
  };
}

/** The embedded AWS, with the rights that the template gives its functions, behind a gateway that checks every signature. */
export async function againstEmbedded(): Promise<Against> {
  const local = await aLocalRuntime({ wiring: 'emulateAws' });
  const gateway = await startGateway({ answer: passOnTo(local.runtime) });
  const upstream = upstreamOf(`${gateway.url}/k8s`, REGION);
  const findCredentials = () => async () => KEYS;
  const signer = createSigner({ region: REGION, service: 'execute-api', now: Date.now, findCredentials });
  const proxy = await startSigningProxy({ upstream, port: 0, signer, now: Date.now });
  const { endpoints, accessKey, placement, region } = environmentOf(local.runtime);
  // Without an access key it would be AWS itself.
  invariant(accessKey !== undefined && accessKey !== null, 'the embedded AWS has an access key');
  const clients = createEcsClients({ region, endpoint: endpoints.ecs, accessKey });
  return {
    url: proxy.url,
    apiUrl: addressOf(upstream),
    ecs: { calls: sdkEcsCalls(clients), cluster: placement.cluster },
    async close() {
      clients.launching.destroy();
      clients.other.destroy();
      await proxy.close();
      await gateway.close();
      await local.close();
    },
  };
}

const addressOf = ({ protocol, host, prefix }: Upstream): string => `${protocol}//${host}${prefix}`;

function upstreamOf(server: string, region: string | null): Upstream {
  const read = readUpstream(server, region);
  if (read.kind === 'bad') throw usageFailure(read.reason);
  return read.upstream;
}
