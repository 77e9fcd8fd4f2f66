import { AUTHENTICATED, MASTERS, type User } from '../callers/user.ts';
import { principalOf } from './principal.ts';

/** What AWS says of a caller (STS API reference, GetCallerIdentity). */
export type CallerIdentity = {
  readonly arn: string;
  readonly account: string;
  /** `AIDA…` of a user, `AROA…:<session>` of a role. */
  readonly userId: string;
};

/** Who is let in. */
export type Admission = {
  /** Accounts whose principals are users. */
  readonly accounts: readonly string[];
  /** ARNs of users and roles that may do everything, as {@link principalOf} writes them, of whichever account. */
  readonly admins: readonly string[];
};

/** `principal`: not a user or role; `account`: of an account that is not let in. */
export type Admitted =
  | { readonly kind: 'user'; readonly user: User }
  | { readonly kind: 'refused'; readonly fault: 'principal' | 'account' };

/** The user behind an identity of AWS. */
export function userOf({ arn, account, userId }: CallerIdentity, { accounts, admins }: Admission): Admitted {
  const principal = principalOf(arn);
  if (principal === null || principal.account !== account) return { kind: 'refused', fault: 'principal' };
  const isAdmin = admins.includes(principal.arn);
  if (!isAdmin && !accounts.includes(account)) return { kind: 'refused', fault: 'account' };
  const [uid = ''] = userId.split(':'); // the rest is the session's name
  return {
    kind: 'user',
    user: {
      username: principal.arn,
      ...(uid === '' ? {} : { uid }),
      groups: isAdmin ? [MASTERS, AUTHENTICATED] : [AUTHENTICATED],
    },
  };
}
