import type { StoredKind } from '../domain/kinds/api-kinds.ts';
import { CAPABILITY_SERVED } from '../capabilities/lists/served.ts';
import { NAMESPACE_KIND } from './namespaces/namespace-kind.ts';
import { SERVICE_ACCOUNT_KIND } from './accounts/account-kind.ts';
import { SERVICE_KIND } from './services/service-kind.ts';
import type { DefinedKind } from './write/define-kind.ts';

/** What each kind that is stored as it is shown does: a row without it does not compile. */
export const SERVED_KINDS: Readonly<Record<StoredKind, DefinedKind>> = {
  Namespace: NAMESPACE_KIND,
  ServiceAccount: SERVICE_ACCOUNT_KIND,
  Service: SERVICE_KIND,
  ...CAPABILITY_SERVED,
};
