import { NoCredentials, createSigner } from '../../shared/adapters/aws/sigv4.ts';
import { noCredentials } from './proxy-status.ts';
import { type SigningProxy, startSigningProxy } from './signing-proxy.ts';
import type { Upstream } from './upstream.ts';

export type GatewayProxyOptions = {
  readonly upstream: Upstream;
  /** 0: any free port */
  readonly port: number;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** A line for people. */
  readonly say: (line: string) => void;
};

/**
 * A proxy to a deployed Muster that signs with the AWS SDK's default credentials. A user who is not logged in learns so
 * immediately and can log in later. Rejects when the port is in use.
 */
export async function startGatewayProxy({ upstream, port, now, say }: GatewayProxyOptions): Promise<SigningProxy> {
  const signer = createSigner({ region: upstream.region, service: 'execute-api', now });
  const server = await startSigningProxy({ upstream, port, signer, now, say });
  const probe = { method: 'GET', host: upstream.host, path: '/', query: [], headers: {}, body: new Uint8Array() };
  // Runs in the background: a chain that requests credentials from the network may take seconds.
  signer.sign(probe).catch((error: unknown) => {
    if (error instanceof NoCredentials) say(`warning: ${noCredentials(error).message}`);
  });
  return server;
}
