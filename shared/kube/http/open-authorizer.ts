import type { AuthorizationMode } from '../../domain/callers/user.ts';
import type { KeptPorts } from '../../store/keep-kinds.ts';
import type { Authorizer } from './authorizer.ts';

/** What decides in each mode in which not everybody may do everything. */
export type Authorizers = {
  readonly [M in Exclude<AuthorizationMode, 'AlwaysAllow'>]?: (ports: KeptPorts) => Authorizer;
};

/** Why this build cannot decide as it is asked to; null: it can. To let everybody in instead is never right. */
export const authorizationFault = (mode: AuthorizationMode, authorizers: Authorizers): string | null =>
  mode === 'AlwaysAllow' || authorizers[mode] !== undefined
    ? null
    : `authorization is ${mode}, but this build of Muster has nothing that decides so; it lets nobody in`;

/**
 * What decides who may do what; null: everybody may do everything.
 *
 * @throws Error with the {@link authorizationFault}
 */
export function openAuthorizer(mode: AuthorizationMode, authorizers: Authorizers, ports: KeptPorts): Authorizer | null {
  if (mode === 'AlwaysAllow') return null;
  const open = authorizers[mode];
  if (open === undefined) throw new Error(authorizationFault(mode, authorizers) ?? '');
  return open(ports);
}
