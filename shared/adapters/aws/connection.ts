import { NodeHttpHandler } from '@smithy/node-http-handler';

/** Where AWS is: a region of the real one, or (with an endpoint) an emulator on this machine. */
export type Connection = {
  readonly region: string;
  /** null: the region's own. Given explicitly, never by environment: there the host in a queue's URL would win. */
  readonly endpoint: string | null;
  /** The access key that an emulator wants to see, so that no other user of the machine can call it. */
  readonly accessKey?: string;
};

export type Patience = {
  /** Calls in all, the first included. */
  readonly maxAttempts: number;
  /** One call, from sending to the end of its answer. */
  readonly requestTimeoutMs: number;
  /** Open connections to one host. */
  readonly maxSockets: number;
};

const CONNECT_TIMEOUT_MS = 2_000;

/** The settings that every SDK client of ours shares. */
export function clientConfig({ region, endpoint, accessKey = 'muster' }: Connection, patience: Patience) {
  const agent = { keepAlive: true, maxSockets: patience.maxSockets };
  return {
    region,
    maxAttempts: patience.maxAttempts,
    cacheMiddleware: true, // a client's steps are put together once a command, not once a call
    requestHandler: new NodeHttpHandler({
      // Waiting for one of the sockets counts, too; an emulator in a busy process of our own is there nevertheless.
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
 * Emulators look at the access key and check no signature: naming the key takes none of the 0.1 ms of CPU that signing
 * takes of each call, a third of its client's cost. Keys of the user's are never sent to an emulator.
 */
function unsigned(accessKeyId: string) {
  const authorization = `AWS4-HMAC-SHA256 Credential=${accessKeyId}/00000000/local/emulator/aws4_request, SignedHeaders=host, Signature=0`;
  return {
    credentials: { accessKeyId, secretAccessKey: 'none' },
    signer: {
      sign: <R extends { readonly headers: Record<string, string> }>(request: R): Promise<R> => {
        request.headers['authorization'] = authorization;
        request.headers['x-amz-date'] = '20000101T000000Z'; // the DynamoDB engine wants to see one, whichever
        return Promise.resolve(request);
      },
    },
  };
}

/**
 * The client without the step that renders every request and answer for a log, and does so where nobody has asked for
 * one, too: 4 % of the CPU time of a call.
 */
export function unlogged<C extends { readonly middlewareStack: { remove(name: string): boolean } }>(client: C): C {
  client.middlewareStack.remove('loggerMiddleware');
  return client;
}
