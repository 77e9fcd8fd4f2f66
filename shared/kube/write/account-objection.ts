import type { User } from '../../domain/callers/user.ts';
import { DEFAULT_ACCOUNT, type Accounts, useOf } from '../../domain/callers/accounts.ts';
import { isSame } from '../../schema/object/object-update.ts';
import type { ApiDeps } from '../http/api-deps.ts';
import { type Resource, type StatusError, forbiddenObject } from '../http/status-error.ts';
import { at, words } from '../list/stored-field.ts';
import type { FoundObject, Wish } from './writable-kind.ts';

/** What an object runs, and under which ServiceAccount. */
export type RunsAs = {
  /** null: the one that is named `default`. */
  readonly account: string | null;
  /** Everything that decides what is run. */
  readonly program: unknown;
};

type Deps = Pick<ApiDeps, 'authorizer'>;

/**
 * Nobody runs a program of his own under a ServiceAccount other than `default`, unless he may `use` it: its task role would be his.
 * A change that leaves the program and its account as they are passes.
 *
 * @param path that of the field that names the account
 */
export const accountObjection =
  <F extends FoundObject, A>(
    resource: Resource,
    path: string,
    { runs, ran }: { readonly runs: (admitted: A) => RunsAs; readonly ran: (found: F) => RunsAs },
    deps: Deps,
  ) =>
  async ({ user, at: place, found, admitted }: Wish<F, A>): Promise<StatusError | null> => {
    if (deps.authorizer === null) return null;
    const wanted = runs(admitted);
    if (found !== null && isSame(wanted, ran(found))) return null;
    if (await mayRunAs(user, place.namespace, wanted.account, deps)) return null;
    const name = found?.object.metadata.name ?? place.name;
    const why = cannotUse(user, place.namespace, wanted.account);
    return forbiddenObject(resource, name, `${path}: ${why}`, [
      { reason: 'FieldValueForbidden', message: why, field: path },
    ]);
  };

/** The account of a Pod's spec, as it was written: it may have its former field. null: it names none. */
export function accountIn(podSpec: unknown): string | null {
  const name = words(at(podSpec, 'serviceAccountName')) || words(at(podSpec, 'serviceAccount'));
  return name === '' ? null : name;
}

/** Why a user is refused. */
export const cannotUse = ({ username }: User, namespace: string, account: string | null): string =>
  `user ${JSON.stringify(username)} cannot use the ServiceAccount "${account}" in the namespace "${namespace}"`;

/** Whether a user may run programs under an account; null: the one that is named `default`. */
export async function mayRunAs(
  user: User,
  namespace: string,
  account: string | null,
  { authorizer }: Deps,
): Promise<boolean> {
  if (authorizer === null || account === null || account === DEFAULT_ACCOUNT) return true;
  return (await authorizer.decide(user, useOf(namespace, account))).allowed;
}

/** Under which accounts a user may run programs. */
export const accountsOf = async (user: User, namespace: string, { authorizer }: Deps): Promise<Accounts> =>
  authorizer === null ? 'all' : authorizer.accounts(user, namespace);
