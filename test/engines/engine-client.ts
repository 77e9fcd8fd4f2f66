import type { SdkClient } from '../../shared/runtime/create-runtime.ts';
import { checkWire } from '../models/wire-check.ts';

/** Where an engine keeps what a suite makes, so that two suites do not meet. */
export const REGION = 'eu-central-1';

/** Names in a signature, by which moto and ministack tell services apart. */
export type SigningName = 'dynamodb' | 'ec2' | 'sqs' | 'ecs' | 'logs' | 'servicediscovery' | 'events' | 'states';

/** How an engine takes requests: `inTurn` is one after the other. */
export type Pace = 'atOnce' | 'inTurn';

type Handler = { handle(request: { readonly headers: Record<string, string> }, ...more: unknown[]): Promise<unknown> };

/** The header of a signed request to that service, as far as engines read it. */
export const authorizationFor = (service: SigningName): string =>
  `AWS4-HMAC-SHA256 Credential=engines/20260101/${REGION}/${service}/aws4_request, SignedHeaders=host, Signature=0`;

/**
 * Gives every request of our own client the header of a signed one. Our clients sign nothing for emulators, and engines check no
 * signature, but they read region and service from it. A request that breaks AWS's own model of it fails, as AWS refuses it.
 */
export function asSigned<C extends SdkClient>(client: C, service: SigningName, pace: Pace = 'atOnce'): C {
  // What handlers take differs in types only.
  const config = client.config as unknown as { requestHandler: Handler };
  const { requestHandler: own } = config;
  const authorization = authorizationFor(service);
  let before: Promise<unknown> = Promise.resolve();
  const handle: Handler['handle'] = async (request, ...more) => {
    request.headers['authorization'] = authorization;
    if (pace === 'atOnce') return own.handle(request, ...more);
    const answer = before.then(async () => own.handle(request, ...more));
    before = answer.catch(() => undefined);
    return answer;
  };
  const get = (of: Handler, key: string | symbol): unknown => (key === 'handle' ? handle : Reflect.get(of, key));
  config.requestHandler = new Proxy(own, { get });
  checkWire(client, 'requests', (fault) => {
    throw Object.assign(new Error(`not as AWS has it: ${fault}`), { name: 'ValidationException' });
  });
  return client;
}
