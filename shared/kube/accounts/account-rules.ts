import { DEFAULT_ACCOUNT } from '../../domain/callers/accounts.ts';
import { ROLE_ANNOTATION, type TaskRoles, rolesListedFor } from '../../domain/task/task-roles.ts';
import { type FieldError, forbidden, notSupported } from '../../schema/object/field-error.ts';
import type { PlainManifest } from '../../schema/object/plain-admission.ts';

const PATH = `metadata.annotations[${ROLE_ANNOTATION}]`;

/**
 * The faults of the role that a ServiceAccount names: it must be one that the installation lists, because only those can be passed
 * to tasks.
 *
 * @param taskRoles null: there are no roles here, and any name will do
 */
export function accountRoleErrors({ metadata }: PlainManifest, taskRoles: TaskRoles | null): readonly FieldError[] {
  const arn = metadata.annotations?.[ROLE_ANNOTATION];
  if (arn === undefined) return [];
  if (metadata.name === DEFAULT_ACCOUNT)
    return [forbidden(PATH, "tasks of the ServiceAccount default have the stack's task role; annotate another one")];
  if (taskRoles === null) return [];
  const listed = rolesListedFor(metadata.namespace ?? '', taskRoles);
  return listed.includes(arn) ? [] : [notSupported(PATH, arn, [...new Set(listed)])];
}
