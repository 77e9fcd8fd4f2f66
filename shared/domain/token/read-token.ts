import { isStsHost } from './sts-hosts.ts';

/** Why a text is no token of ours. Says nothing of what is in it. */
export type TokenFault =
  | 'length'
  | 'prefix'
  | 'encoding'
  | 'address'
  | 'scheme'
  | 'host'
  | 'path'
  | 'query'
  | 'parameter'
  | 'duplicate'
  | 'action'
  | 'signedHeaders'
  | 'expires'
  | 'date'
  | 'expired'
  | 'future';

export type ReadToken =
  | {
      readonly kind: 'read';
      /** What STS is to be asked, with {@link CLUSTER_HEADER}. */
      readonly url: string;
      /** From then on STS refuses it. Milliseconds since 1970. */
      readonly expiresMs: number;
    }
  | { readonly kind: 'refused'; readonly fault: TokenFault };

/** Signed, so that a token for one cluster is of no use with another. */
export const CLUSTER_HEADER = 'x-k8s-aws-id';
export const TOKEN_PREFIX = 'k8s-aws-v1.';
/** STS refuses older requests, whatever `X-Amz-Expires` says. */
export const TOKEN_MS = 900_000;

const LENGTH_MAX = 4_096;
const EXPIRES_SEC_MAX = 900;
/** Clocks differ; SigV4 allows as much. */
const AHEAD_MS_MAX = 300_000;

const PARAMETERS: ReadonlySet<string> = new Set([
  'action',
  'version',
  'x-amz-algorithm',
  'x-amz-credential',
  'x-amz-date',
  'x-amz-expires',
  'x-amz-security-token',
  'x-amz-signature',
  'x-amz-signedheaders',
]);

/**
 * Reads a token of EKS: a presigned request to STS that says who signed it. Asking STS is up to the caller, and so the address
 * must be one of STS: the checks are those of aws-iam-authenticator (`pkg/token`), which keep a token from making its reader call
 * anything else. What is read here is what is asked; no second parser sees the text.
 *
 * @param region where the reader runs: tokens for STS of another one are refused
 */
export function readToken(
  token: string,
  { region, nowMs }: { readonly region: string; readonly nowMs: number },
): ReadToken {
  const refused = (fault: TokenFault): ReadToken => ({ kind: 'refused', fault });
  if (token.length > LENGTH_MAX) return refused('length');
  if (!token.startsWith(TOKEN_PREFIX)) return refused('prefix');
  const text = decoded(token.slice(TOKEN_PREFIX.length));
  if (text === null) return refused('encoding');
  const [, scheme, host = '', path, query = ''] = ADDRESS.exec(text) ?? [];
  if (scheme === undefined) return refused('address');
  if (scheme !== 'https') return refused('scheme');
  if (!isStsHost(host, region)) return refused('host'); // neither a port nor a user fits
  if (path !== '/') return refused('path');
  const parameters = parametersOf(query);
  if (typeof parameters === 'string') return refused(parameters);
  const get = (name: string): string => parameters.get(name) ?? '';
  if (get('action') !== 'GetCallerIdentity') return refused('action');
  if (!get('x-amz-signedheaders').toLowerCase().split(';').includes(CLUSTER_HEADER)) return refused('signedHeaders');
  const expires = get('x-amz-expires');
  if (!/^\d{1,3}$/.test(expires) || Number(expires) > EXPIRES_SEC_MAX) return refused('expires');
  const signedMs = timeOf(get('x-amz-date'));
  if (signedMs === null) return refused('date');
  if (signedMs + TOKEN_MS <= nowMs) return refused('expired');
  if (signedMs > nowMs + AHEAD_MS_MAX) return refused('future');
  return { kind: 'read', url: `https://${host}/?${query}`, expiresMs: signedMs + TOKEN_MS };
}

/** Printable ASCII, without a fragment. */
const ADDRESS = /^([^:/?#]+):\/\/([^/?#]*)([^?#]*)\?([\x21-\x22\x24-\x7e]*)$/;
/** What signers leave as it is, what they escape with, and what separates. A bare `;` separates for some readers. */
const QUERY = /^[A-Za-z0-9\-._~%&=+/:,]*$/;

/** base64url without padding (RFC 4648, section 5), as text of one byte a character; null: it is something else. */
function decoded(text: string): string | null {
  if (!/^[\w-]+$/.test(text) || text.length % 4 === 1) return null;
  return atob(text.replaceAll('-', '+').replaceAll('_', '/'));
}

/** Values by name in lower case. STS ignores case in none of them, others may; so each name must occur once in any case. */
function parametersOf(query: string): ReadonlyMap<string, string> | 'query' | 'parameter' | 'duplicate' {
  const parameters = new Map<string, string>();
  if (!QUERY.test(query)) return 'query';
  for (const pair of query.split('&')) {
    const [name = '', value = '', ...more] = pair.split('=').map(unescaped);
    if (name === null || value === null || more.length > 0) return 'query';
    const known = name.toLowerCase();
    if (!PARAMETERS.has(known)) return 'parameter';
    if (parameters.has(known)) return 'duplicate';
    parameters.set(known, value);
  }
  return parameters;
}

function unescaped(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}

/** `20261125T150846Z`, in milliseconds since 1970; null: no such time. */
function timeOf(text: string): number | null {
  const [, year, month, day, hours, minutes, seconds] = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(text) ?? [];
  const iso = `${year}-${month}-${day}T${hours}:${minutes}:${seconds}.000Z`;
  const ms = Date.parse(iso);
  return Number.isNaN(ms) || new Date(ms).toISOString() !== iso ? null : ms;
}
