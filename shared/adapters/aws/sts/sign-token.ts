import { Hash } from '@smithy/core/serde';
import { SignatureV4 } from '@smithy/signature-v4';
import { CLUSTER_HEADER, TOKEN_MS, TOKEN_PREFIX } from '../../../domain/token/read-token.ts';
import { stsHostOf } from '../../../domain/token/sts-hosts.ts';
import { type Credentials, findCredentialsOf, sdkChain } from '../sigv4.ts';

export type TokenRequest = {
  /** What the token is for: of no use with another. */
  readonly clusterId: string;
  /** Of the STS that will be asked who has signed it. */
  readonly region: string;
  /** Milliseconds since 1970. */
  readonly nowMs: number;
  /** Of the AWS configuration; omitted: the usual one. */
  readonly profile?: string;
  /** Finds credentials. Default: the SDK's own chain. */
  readonly findCredentials?: () => () => Promise<Credentials>;
};

export type SignedToken = { readonly token: string; readonly expiresMs: number };

/** As `aws eks get-token` has it. STS does not look at it. */
const EXPIRES_SEC = 60;
/** Requests take time, and clocks differ. */
const MARGIN_MS = 60_000;

/**
 * Signs a token as EKS has it, with the AWS SDK's credentials. Asks nobody but who has the credentials.
 *
 * @returns the token and when to make another, at the latest when the credentials expire
 * @throws NoCredentials if no credentials are found
 */
export async function signToken({
  clusterId,
  region,
  nowMs,
  profile,
  findCredentials = () => sdkChain(profile),
}: TokenRequest): Promise<SignedToken> {
  const credentials = await findCredentialsOf(findCredentials())();
  const signer = new SignatureV4({ service: 'sts', region, sha256: Hash.bind(null, 'sha256'), credentials });
  const host = stsHostOf(region);
  const request = {
    method: 'GET',
    protocol: 'https:',
    hostname: host,
    path: '/',
    query: { Action: 'GetCallerIdentity', Version: '2011-06-15' },
    headers: { host, [CLUSTER_HEADER]: clusterId },
  };
  const { query = {} } = await signer.presign(request, { expiresIn: EXPIRES_SEC, signingDate: new Date(nowMs) });
  const pairs = Object.entries(query).map(([name, value]) => `${escaped(name)}=${escaped(String(value))}`);
  const expiresMs = Math.min(nowMs + TOKEN_MS - MARGIN_MS, credentials.expiration?.getTime() ?? Infinity);
  return { token: TOKEN_PREFIX + Buffer.from(`https://${host}/?${pairs.join('&')}`).toString('base64url'), expiresMs };
}

/** As SigV4 wants it (RFC 3986): everything but letters, digits, and `-._~`. */
const escaped = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);
