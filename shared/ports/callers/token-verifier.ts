import type { User } from '../../domain/callers/user.ts';
import type { TokenFault } from '../../domain/token/read-token.ts';
import type { Admitted } from '../../domain/token/aws-user.ts';

/** Who sent a bearer token. */
export type TokenVerifier = (token: string) => Promise<TokenVerdict>;

export type TokenVerdict =
  | { readonly kind: 'user'; readonly user: User }
  | { readonly kind: 'refused'; readonly fault: RefusedTokenFault }
  /** Nobody can tell now; the same token may be sent again. `why` never holds what was sent. */
  | { readonly kind: 'later'; readonly why: string };

/** `sts`: AWS does not accept the signature, or not with our cluster's id. */
export type RefusedTokenFault = TokenFault | Extract<Admitted, { readonly kind: 'refused' }>['fault'] | 'sts';
