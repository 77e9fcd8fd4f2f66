import { signToken } from '../../shared/adapters/aws/sts/sign-token.ts';
import { TOKEN_PREFIX } from '../../shared/domain/token/read-token.ts';
import { tokenClusterOf } from '../../shared/names/token-cluster.ts';
import { KIM, type Someone } from './fake-sts.ts';

export const API_ID = 'a1b2c3';
export const CLUSTER = tokenClusterOf(API_ID);
export const REGION = 'eu-west-1';
export const NOW_MS = Date.UTC(2026, 10, 25, 15, 8, 46);

/** A token that somebody signs now, for our cluster. */
export async function aToken(
  someone: Someone = KIM,
  {
    clusterId = CLUSTER,
    region = REGION,
    nowMs = NOW_MS,
  }: { clusterId?: string; region?: string; nowMs?: number } = {},
): Promise<string> {
  const find = () => async () => someone;
  return (await signToken({ clusterId, region, nowMs, findCredentials: find })).token;
}

/** The address in a token. */
export const urlIn = (token: string): string => Buffer.from(token.slice(TOKEN_PREFIX.length), 'base64url').toString();

/** A token with this address, whatever it is. */
export const tokenOf = (url: string): string => TOKEN_PREFIX + Buffer.from(url).toString('base64url');
