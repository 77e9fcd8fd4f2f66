/**
 * Whether calls are looked at: `AlwaysAllow` lets every authenticated user do everything, `RBAC` lets roles decide. The words are
 * those of kube-apiserver's `--authorization-mode`.
 */
export type AuthorizationMode = 'AlwaysAllow' | 'RBAC';

/** Who calls, as authentication has found it. */
export type User = { readonly username: string; readonly uid?: string; readonly groups: readonly string[] };

/** May do everything, whatever roles say: so an installation has somebody who can write the first role. */
export const MASTERS = 'system:masters';
/** The group of everybody who has been authenticated. */
export const AUTHENTICATED = 'system:authenticated';
/** The group of everybody else. */
export const UNAUTHENTICATED = 'system:unauthenticated';

/** Nobody in particular, in Kubernetes' words. */
export const ANONYMOUS: User = { username: 'system:anonymous', groups: [UNAUTHENTICATED] };
