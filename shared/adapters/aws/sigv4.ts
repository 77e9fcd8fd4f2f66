import { defaultProvider } from '@aws-sdk/credential-provider-node';
import { Hash } from '@smithy/core/serde';
import { SignatureV4 } from '@smithy/signature-v4';
import { messageOf } from '../../domain/base/error-text.ts';

/** A request as it will be sent. Only these headers are signed. */
export type Signable = {
  readonly method: string;
  /** With the port, if the URL has one. */
  readonly host: string;
  /** Percent-encoded once, as it is sent. */
  readonly path: string;
  /** Decoded. A name may occur more than once. */
  readonly query: readonly (readonly [name: string, value: string])[];
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
};

export type RequestSigner = {
  /**
   * The headers to send in addition to the caller's own: `authorization`, `x-amz-*`, and every signed header.
   *
   * @throws NoCredentials if no credentials are found
   */
  sign(request: Signable): Promise<Readonly<Record<string, string>>>;
  /** Reads the credentials again for the next request, because AWS refused the current ones. */
  forget(): void;
};

export type Credentials = {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
  readonly expiration?: Date;
};

export type SignerOptions = {
  readonly region: string;
  /** The signing name of the service, such as `execute-api`. */
  readonly service: string;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Finds credentials. Default: the SDK's own chain (environment, profiles, SSO, container, instance). */
  readonly findCredentials?: () => () => Promise<Credentials>;
};

/** No provider of the chain had credentials. The message comes from the chain. */
export class NoCredentials extends Error {
  constructor(cause: unknown) {
    super(messageOf(cause), { cause });
    this.name = 'NoCredentials';
  }
}

/** Reads profiles again each time, because users may log in after the process has started. */
export const sdkChain = (profile?: string): (() => Promise<Credentials>) =>
  defaultProvider({ ignoreCache: true, ...(profile === undefined ? {} : { profile }) });

/**
 * Finds credentials.
 *
 * @throws NoCredentials, the function that is returned, if there are none
 */
export const findCredentialsOf =
  (find: () => Promise<Credentials>): (() => Promise<Credentials>) =>
  async () => {
    try {
      return await find();
    } catch (error) {
      throw new NoCredentials(error);
    }
  };

/** Signs requests with Signature Version 4 (IAM User Guide, "AWS Signature Version 4"), with the SDK's credentials. */
export function createSigner({ region, service, now, findCredentials = sdkChain }: SignerOptions): RequestSigner {
  let find = findCredentials(); // caches credentials until they are about to expire
  const signer = new SignatureV4({
    service,
    region,
    sha256: Hash.bind(null, 'sha256'),
    credentials: async () => findCredentialsOf(find)(),
  });
  return {
    async sign({ method, host, path, query, headers, body }) {
      const request = {
        method,
        protocol: 'https:',
        hostname: host,
        path,
        query: byName(query),
        headers: { ...headers, host },
        body,
      };
      return (await signer.sign(request, { signingDate: new Date(now()) })).headers;
    },
    forget() {
      find = findCredentials();
    },
  };
}

function byName(query: Signable['query']): Record<string, string[]> {
  const values: Record<string, string[]> = Object.create(null) as Record<string, string[]>;
  for (const [name, value] of query) (values[name] ??= []).push(value);
  return values;
}
