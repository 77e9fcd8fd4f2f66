import { defaultProvider } from '@aws-sdk/credential-provider-node';
import { Hash } from '@smithy/core/serde';
import { SignatureV4 } from '@smithy/signature-v4';
import { messageOf } from '../../domain/base/error-text.ts';

/** A request as it will be sent; what is signed of its headers is what stands here. */
export type Signable = {
  readonly method: string;
  /** With the port, if the URL has one. */
  readonly host: string;
  /** Percent-encoded once, as it is sent. */
  readonly path: string;
  /** Decoded; a name may come more than once. */
  readonly query: readonly (readonly [name: string, value: string])[];
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
};

export type RequestSigner = {
  /**
   * The headers to send beside the caller's own: `authorization` and `x-amz-*`, and every header that was signed.
   *
   * @throws NoCredentials when there is nobody to sign as
   */
  sign(request: Signable): Promise<Readonly<Record<string, string>>>;
  /** Reads credentials again for the next request: those in use were refused. */
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
  /** Finds credentials; the SDK's own chain (environment, profiles, SSO, container, instance) if left out. */
  readonly findCredentials?: () => () => Promise<Credentials>;
};

/** No provider of the chain had credentials; the message is what the chain says. */
export class NoCredentials extends Error {
  constructor(cause: unknown) {
    super(messageOf(cause), { cause });
    this.name = 'NoCredentials';
  }
}

/** Profiles are read again each time, not remembered from the start of the process: users log in at any time. */
const sdkChain = (): (() => Promise<Credentials>) => defaultProvider({ ignoreCache: true });

/** Signs requests with Signature Version 4 (IAM User Guide, "AWS Signature Version 4"), as whom the SDK would act. */
export function createSigner({ region, service, now, findCredentials = sdkChain }: SignerOptions): RequestSigner {
  let find = findCredentials(); // remembers what it has found until that is about to expire
  const signer = new SignatureV4({
    service,
    region,
    sha256: Hash.bind(null, 'sha256'),
    credentials: async () => {
      try {
        return await find();
      } catch (error) {
        throw new NoCredentials(error);
      }
    },
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
