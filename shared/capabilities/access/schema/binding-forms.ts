import type * as z from 'zod';
import { API_KINDS } from '../../../domain/kinds/api-kinds.ts';
import { RBAC_GROUP, type RoleRef, type Subject } from '../domain/policy.ts';
import { dnsSubdomainErrors } from '../../../schema/object/dns-names.ts';
import { type FieldError, invalid, notSupported, required } from '../../../schema/object/field-error.ts';
import { isSame } from '../../../schema/object/object-update.ts';
import { pathSegmentErrors, segmentNameErrors } from './path-segment-names.ts';
import { NO_SERVER_FIELDS, type PlainForm } from '../../../schema/object/plain-admission.ts';
import { BindingShape, type RoleRefShape, type SubjectShape } from './rbac-shapes.ts';

const bindingForm = (
  kind: 'RoleBinding' | 'ClusterRoleBinding',
  roleKinds: readonly string[],
): PlainForm<z.output<typeof BindingShape>> => {
  const resource = API_KINDS[kind];
  const { isNamespaced } = resource;
  return {
    resource,
    shape: BindingShape,
    nameErrors: segmentNameErrors,
    contentErrors: ({ roleRef, subjects = [] }) => [
      ...roleRefErrors(roleRefOf(roleRef), roleKinds),
      ...subjects.flatMap((subject, i) => subjectErrors(`subjects[${i}]`, subject, isNamespaced)),
    ],
    serverFields: NO_SERVER_FIELDS,
    changeErrors: ({ roleRef }, before) =>
      isSame(roleRefOf(roleRef), before['roleRef'])
        ? []
        : [invalid('roleRef', roleRefOf(roleRef), 'cannot change roleRef')],
    contentOf: ({ roleRef, subjects = [] }) => ({
      ...(subjects.length === 0 ? {} : { subjects: subjects.map(subjectOf) }),
      roleRef: roleRefOf(roleRef),
    }),
  };
};

/** A RoleBinding (`ValidateRoleBinding` of kubernetes/pkg/apis/rbac/validation). */
export const ROLE_BINDING_FORM = bindingForm('RoleBinding', ['Role', 'ClusterRole']);
/** A ClusterRoleBinding (`ValidateClusterRoleBinding`). */
export const CLUSTER_ROLE_BINDING_FORM = bindingForm('ClusterRoleBinding', ['ClusterRole']);

type LooseRoleRef = Omit<RoleRef, 'kind'> & { readonly kind: string };

const roleRefOf = ({ apiGroup = '', kind = '', name = '' }: Partial<RoleRefShape> = {}): LooseRoleRef => ({
  apiGroup: apiGroup === '' ? RBAC_GROUP : apiGroup,
  kind,
  name,
});

function roleRefErrors({ apiGroup, kind, name }: LooseRoleRef, kinds: readonly string[]): readonly FieldError[] {
  return [
    ...(apiGroup === RBAC_GROUP ? [] : [notSupported('roleRef.apiGroup', apiGroup, [RBAC_GROUP])]),
    ...(kinds.includes(kind) ? [] : [notSupported('roleRef.kind', kind, kinds)]),
    ...(name === ''
      ? [required('roleRef.name')]
      : pathSegmentErrors(name).map((why) => invalid('roleRef.name', name, why))),
  ];
}

type LooseSubject = Omit<Subject, 'kind'> & { readonly kind: string };

/** A subject with its group: users and groups are of this one, ServiceAccounts of the core. */
function subjectOf({ kind = '', apiGroup = '', name = '', namespace = '' }: SubjectShape): LooseSubject {
  const group = apiGroup === '' && (kind === 'User' || kind === 'Group') ? RBAC_GROUP : apiGroup;
  return {
    kind,
    ...(group === '' ? {} : { apiGroup: group }),
    name,
    ...(namespace === '' ? {} : { namespace }),
  };
}

/** Upstream's `ValidateRoleBindingSubject`. */
function subjectErrors(path: string, given: SubjectShape, isNamespaced: boolean): readonly FieldError[] {
  const { kind, apiGroup = '', name, namespace = '' } = subjectOf(given);
  const unnamed = name === '' ? [required(`${path}.name`)] : [];
  switch (kind) {
    case 'ServiceAccount':
      return [
        ...unnamed,
        ...(name === '' ? [] : dnsSubdomainErrors(name).map((why) => invalid(`${path}.name`, name, why))),
        ...(apiGroup === '' ? [] : [notSupported(`${path}.apiGroup`, apiGroup, [''])]),
        ...(isNamespaced || namespace !== '' ? [] : [required(`${path}.namespace`)]),
      ];
    case 'User':
    case 'Group':
      return [
        ...unnamed,
        ...(apiGroup === RBAC_GROUP ? [] : [notSupported(`${path}.apiGroup`, apiGroup, [RBAC_GROUP])]),
      ];
    default:
      return [...unnamed, notSupported(`${path}.kind`, kind, ['ServiceAccount', 'User', 'Group'])];
  }
}
