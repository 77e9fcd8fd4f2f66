/** The annotation by which a ServiceAccount names its role, as on EKS. */
export const ROLE_ANNOTATION = 'eks.amazonaws.com/role-arn';

/**
 * ARNs of task roles, as the installation lists them: by `<namespace>/<service account>` the role of that account; by
 * `<namespace>/*`, and by `*` for all namespaces, those that accounts there may name, with spaces between.
 */
export type TaskRoles = ReadonlyMap<string, string>;

/** Everything that the ServiceAccounts of a namespace may have as their role. */
export const rolesListedFor = (namespace: string, taskRoles: TaskRoles): readonly string[] =>
  [...taskRoles].flatMap(([key, arns]) => (key === '*' || key.startsWith(`${namespace}/`) ? arns.split(' ') : []));

/** Which account, of which namespace. */
type Account = { readonly namespace: string; readonly name: string };

/** Whose permissions tasks have; `unknown`: nothing says it, or what says it is not listed. */
export type AccountRole =
  | { readonly kind: 'role'; readonly arn: string }
  | { readonly kind: 'unknown'; readonly reason: string };

/**
 * The role of a service account: what the stored one names, if the installation lists it, or else what the installation has mapped
 * it to.
 *
 * @param named the annotation of the stored ServiceAccount; null: there is none
 */
export function accountRole({ namespace, name }: Account, named: string | null, taskRoles: TaskRoles): AccountRole {
  if (named !== null)
    return rolesListedFor(namespace, taskRoles).includes(named)
      ? { kind: 'role', arn: named }
      : {
          kind: 'unknown',
          reason: `serviceaccount "${name}" of ${namespace} names the role ${named}, which this installation does not list for the namespace; list it when you deploy Muster (taskRoles)`,
        };
  const arn = taskRoles.get(`${namespace}/${name}`);
  return arn === undefined
    ? {
        kind: 'unknown',
        reason: `serviceaccount "${name}" not found: no task role is mapped to ${namespace}/${name}; map one when you deploy Muster (taskRoles), or annotate the ServiceAccount with ${ROLE_ANNOTATION}`,
      }
    : { kind: 'role', arn };
}
