import { NodeHttpHandler } from '@smithy/node-http-handler';

/** Where to reach AWS: a region, or an emulator on this machine if there is an endpoint. */
export type Connection = {
  readonly region: string;
  /**
   * null: the region's own. Never set through the environment, where the host in a queue's URL would take precedence.
   */
  readonly endpoint: string | null;
  /** The access key that an emulator requires, so that no other user of the machine can call it. */
  readonly accessKey?: string;
};

export type Patience = {
  /** Tries in total, including the first. */
  readonly maxAttempts: number;
  /** The limit for one call, from sending the request to the end of the answer. */
  readonly requestTimeoutMs: number;
  /** The limit of open connections to one host. */
  readonly maxSockets: number;
};

const CONNECT_TIMEOUT_MS = 2_000;

/** The settings that all our SDK clients share. */
export function clientConfig({ region, endpoint, accessKey = 'muster' }: Connection, patience: Patience) {
  const agent = { keepAlive: true, maxSockets: patience.maxSockets };
  return {
    region,
    maxAttempts: patience.maxAttempts,
    cacheMiddleware: true, // a client builds its steps once per command, not once per call
    requestHandler: new NodeHttpHandler({
      // The wait for a free socket counts, too. An emulator in our own busy process may be slow, but it is there.
      connectionTimeout: endpoint === null ? CONNECT_TIMEOUT_MS : patience.requestTimeoutMs,
      requestTimeout: patience.requestTimeoutMs,
      throwOnRequestTimeout: true,
      httpAgent: agent,
      httpsAgent: agent,
    }),
    ...(endpoint === null ? {} : { endpoint, ...unsigned(accessKey) }),
  };
}

/**
 * Emulators read the access key but do not check signatures. Skipping the signature saves 0.1 ms of CPU per call, a
 * third of what the client costs. The user's own keys are never sent to an emulator.
 */
function unsigned(accessKeyId: string) {
  const authorization = `AWS4-HMAC-SHA256 Credential=${accessKeyId}/00000000/local/emulator/aws4_request, SignedHeaders=host, Signature=0`;
  return {
    credentials: { accessKeyId, secretAccessKey: 'none' },
    signer: {
      sign: <R extends { readonly headers: Record<string, string> }>(request: R): Promise<R> => {
        request.headers['authorization'] = authorization;
        request.headers['x-amz-date'] = '20000101T000000Z'; // the DynamoDB engine requires a date, any date
        return Promise.resolve(request);
      },
    },
  };
}

/**
 * Removes the client's logging step. It renders every request and answer even without a logger, and takes 4 % of a
 * call's CPU time.
 */
export function unlogged<C extends { readonly middlewareStack: { remove(name: string): boolean } }>(client: C): C {
  client.middlewareStack.remove('loggerMiddleware');
  return client;
}
