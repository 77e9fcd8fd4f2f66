import type * as z from 'zod';
import { API_KINDS } from '../../../domain/kinds/api-kinds.ts';
import { RIGHTS_MAX, rightsOf } from '../domain/covers.ts';
import type { PolicyRule } from '../domain/policy.ts';
import { type FieldError, forbidden, invalid, required, tooLong, tooMany } from '../../../schema/object/field-error.ts';
import { segmentNameErrors } from './path-segment-names.ts';
import { NO_SERVER_FIELDS, type PlainForm } from '../../../schema/object/plain-admission.ts';
import { ClusterRoleShape, RoleShape, type RuleShape } from './rbac-shapes.ts';

/** A Role (`ValidateRole` of kubernetes/pkg/apis/rbac/validation). */
export const ROLE_FORM: PlainForm<z.output<typeof RoleShape>> = {
  resource: API_KINDS.Role,
  shape: RoleShape,
  nameErrors: segmentNameErrors,
  contentErrors: ({ rules }) => rulesErrors(rules, true),
  serverFields: NO_SERVER_FIELDS,
  changeErrors: () => [],
  contentOf: ({ rules }) => ({ rules: rulesOf(rules) }),
};

/** A ClusterRole (`ValidateClusterRole`), which holds its rules itself. */
export const CLUSTER_ROLE_FORM: PlainForm<z.output<typeof ClusterRoleShape>> = {
  resource: API_KINDS.ClusterRole,
  shape: ClusterRoleShape,
  nameErrors: segmentNameErrors,
  contentErrors: ({ rules, aggregationRule }) => [
    ...rulesErrors(rules, false),
    ...(aggregationRule === undefined || aggregationRule === null
      ? []
      : [forbidden('aggregationRule', NO_AGGREGATION)]),
  ],
  serverFields: NO_SERVER_FIELDS,
  changeErrors: () => [],
  contentOf: ({ rules }) => ({ rules: rulesOf(rules) }),
};

const NO_AGGREGATION = 'ClusterRoles are not put together from others here; list the rules of all of them in rules';

/** Rules multiply: what they list is counted before anything is made of it. */
function rulesErrors(rules: readonly RuleShape[] = [], isNamespaced: boolean): readonly FieldError[] {
  const errors = rules.flatMap((rule, i) => [
    ...ruleErrors(`rules[${i}]`, rule, isNamespaced),
    ...longTexts(`rules[${i}]`, rule),
  ]);
  const rights = rightsOf(rulesOf(rules));
  return rights > RIGHTS_MAX || rules.length > RIGHTS_MAX
    ? [...errors.slice(0, FAULTS_MAX), tooMany('rules', Math.max(rights, rules.length), RIGHTS_MAX, 'rights')]
    : errors;
}

/** More of them help nobody. */
const FAULTS_MAX = 10;

/** A verb, a group, a resource, a name, or a path, in bytes: a message may repeat each of them. */
const TEXT_BYTES_MAX = 512;
const UTF8 = new TextEncoder();

const longTexts = (path: string, rule: RuleShape): readonly FieldError[] =>
  Object.entries(rule).flatMap(([list, texts = []]) =>
    texts.flatMap((each, i) =>
      UTF8.encode(each).length > TEXT_BYTES_MAX ? [tooLong(`${path}.${list}[${i}]`, TEXT_BYTES_MAX)] : [],
    ),
  );

/** Upstream's `ValidatePolicyRule`. */
function ruleErrors(path: string, rule: RuleShape, isNamespaced: boolean): readonly FieldError[] {
  const { verbs = [], apiGroups = [], resources = [], resourceNames = [], nonResourceURLs = [] } = rule;
  const errors = verbs.length === 0 ? [required(`${path}.verbs`, 'verbs must contain at least one value')] : [];
  const urls = `${path}.nonResourceURLs`;
  if (nonResourceURLs.length > 0) {
    if (isNamespaced) errors.push(invalid(urls, nonResourceURLs, 'namespaced rules cannot apply to non-resource URLs'));
    if (apiGroups.length > 0 || resources.length > 0 || resourceNames.length > 0)
      errors.push(invalid(urls, nonResourceURLs, 'rules cannot apply to both regular resources and non-resource URLs'));
    return errors;
  }
  if (apiGroups.length === 0)
    errors.push(required(`${path}.apiGroups`, 'resource rules must supply at least one api group'));
  if (resources.length === 0)
    errors.push(required(`${path}.resources`, 'resource rules must supply at least one resource'));
  return errors;
}

const rulesOf = (rules: readonly RuleShape[] = []): readonly PolicyRule[] =>
  rules.map(({ verbs = [], ...lists }) => ({
    verbs,
    ...Object.fromEntries(Object.entries(lists).filter(([, list]) => list !== undefined && list.length > 0)),
  }));
