import type { Subject } from '../domain/policy.ts';
import type { KubeObject } from '../../../kube/http/kube-object.ts';
import { ageOf } from '../../../kube/list/ages.ts';
import { AGE, NAME, type Printer, text, wide } from '../../../kube/list/printer.ts';
import { at, listed, words } from '../../../kube/list/stored-field.ts';

/** Roles and ClusterRoles as rows. */
export const ROLE_PRINTER: Printer<KubeObject> = {
  columns: [NAME, text('Created At', 'When it was created.')],
  cells: ({ metadata }) => [metadata.name, metadata.creationTimestamp],
};

/** RoleBindings and ClusterRoleBindings as rows. */
export const BINDING_PRINTER: Printer<KubeObject> = {
  columns: [
    NAME,
    text('Role', 'The role that it grants.'),
    AGE,
    wide('Users', 'To which users.'),
    wide('Groups', 'To which groups.'),
    wide('ServiceAccounts', 'To which ServiceAccounts, each with its namespace.'),
  ],
  cells: (binding, now) => [
    binding.metadata.name,
    `${words(at(binding, 'roleRef', 'kind'))}/${words(at(binding, 'roleRef', 'name'))}`,
    ageOf(binding.metadata.creationTimestamp, now),
    subjectsOf(binding, 'User', ({ name }) => name),
    subjectsOf(binding, 'Group', ({ name }) => name),
    subjectsOf(binding, 'ServiceAccount', ({ namespace = '', name }) => `${namespace}/${name}`),
  ],
};

const subjectsOf = (binding: KubeObject, kind: Subject['kind'], shown: (subject: Subject) => string): string =>
  (listed(at(binding, 'subjects')) as readonly Subject[])
    .filter((subject) => subject.kind === kind)
    .map(shown)
    .join(', ');
