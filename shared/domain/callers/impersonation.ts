import type { ResourceAttributes } from './attributes.ts';

const PREFIX = 'impersonate-';
const USER = `${PREFIX}user`;
const GROUP = `${PREFIX}group`;
const EXTRA = `${PREFIX}extra-`;
const UID = `${PREFIX}uid`;
const ACCOUNT = /^system:serviceaccount:([^:]+):([^:]+)$/;

/**
 * As whom a request wants to act, in the order in which Kubernetes asks: user, group, extra field, uid (`WithImpersonation` of
 * apiserver/pkg/endpoints/filters). Any other header of that prefix counts as a user without a name, so none is passed over.
 *
 * @param headers their names in any case, and their values
 * @returns what the first of them needs the verb `impersonate` for; null: the request is its sender's own
 */
export function impersonated(headers: readonly (readonly [name: string, value: string])[]): ResourceAttributes | null {
  const asking = headers
    .map(([name, value]) => ({ name: name.toLowerCase(), value }))
    .filter(({ name }) => name.startsWith(PREFIX));
  const [first] = asking.toSorted((a, b) => placeOf(a.name) - placeOf(b.name));
  return first === undefined ? null : wantedBy(first.name, first.value);
}

function placeOf(header: string): number {
  const place = [USER, GROUP, EXTRA, UID].findIndex(
    (each) => header === each || (each === EXTRA && header.startsWith(each)),
  );
  return place === -1 ? Number.POSITIVE_INFINITY : place;
}

function wantedBy(header: string, name: string): ResourceAttributes {
  if (header === GROUP) return { ...ACTING, group: '', resource: 'groups', name };
  if (header === UID) return { ...ACTING, group: AUTHENTICATION, resource: 'uids', name };
  if (header.startsWith(EXTRA)) {
    const subresource = header.slice(EXTRA.length);
    return { ...ACTING, group: AUTHENTICATION, resource: 'userextras', subresource, name };
  }
  const users = { ...ACTING, group: '', resource: 'users' };
  if (header !== USER) return { ...users, name: '' };
  const [, namespace = '', account = ''] = ACCOUNT.exec(name) ?? [];
  return account === '' ? { ...users, name } : { ...users, resource: 'serviceaccounts', namespace, name: account };
}

const AUTHENTICATION = 'authentication.k8s.io';
const ACTING = { kind: 'resource', verb: 'impersonate', subresource: '', namespace: '' } as const;
