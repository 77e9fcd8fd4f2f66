import { AUTHENTICATED, type User } from '../../../domain/callers/user.ts';

/** The issuer of a cluster whose operator has named none, and so the audience of its API. */
export const ISSUER = 'https://kubernetes.default.svc.cluster.local';

/** An object by name and uid. */
export type Bound = { readonly name: string; readonly uid: string };

/** What a token of a ServiceAccount says, as upstream's tokens do (pkg/serviceaccount/claims.go). Times in seconds since 1970. */
export type TokenClaims = {
  readonly iss: typeof ISSUER;
  readonly sub: string;
  readonly aud: readonly string[];
  readonly iat: number;
  readonly nbf: number;
  readonly exp: number;
  readonly jti: string;
  readonly 'kubernetes.io': {
    readonly namespace: string;
    readonly serviceaccount: Bound;
    readonly pod?: Bound | undefined;
  };
};

/** Whose token it is, for whom, and for how long. */
export type WantedToken = {
  readonly namespace: string;
  readonly account: Bound;
  /** The Pod without which it is worth nothing; null: it is bound to the account only. */
  readonly pod: Bound | null;
  /** Empty: this API. */
  readonly audiences: readonly string[];
  readonly lifeSec: number;
};

/** The claims of a new token. */
export function claimsOf(
  { namespace, account, pod, audiences, lifeSec }: WantedToken,
  nowSec: number,
  jti: string,
): TokenClaims {
  return {
    iss: ISSUER,
    sub: nameOf(namespace, account.name),
    aud: audiences.length === 0 ? [ISSUER] : audiences,
    iat: nowSec,
    nbf: nowSec,
    exp: nowSec + lifeSec,
    jti,
    'kubernetes.io': { namespace, serviceaccount: account, ...(pod === null ? {} : { pod }) },
  };
}

/** Whether a token is for this API, and holds now. */
export const isHeld = ({ aud, nbf, exp }: TokenClaims, nowSec: number): boolean =>
  aud.includes(ISSUER) && nbf <= nowSec && nowSec < exp;

/** The user that a ServiceAccount is. */
export const userOf = ({ 'kubernetes.io': { namespace, serviceaccount } }: TokenClaims): User => ({
  username: nameOf(namespace, serviceaccount.name),
  uid: serviceaccount.uid,
  groups: [ACCOUNTS, `${ACCOUNTS}:${namespace}`, AUTHENTICATED],
});

const ACCOUNTS = 'system:serviceaccounts';
const nameOf = (namespace: string, account: string): string => `system:serviceaccount:${namespace}:${account}`;
