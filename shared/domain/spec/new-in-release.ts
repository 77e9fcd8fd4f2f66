import { ANNOTATIONS } from './annotations.ts';
import { ADDRESS_FIELDS } from './pod-spec.ts';

/**
 * What users may say to this release that the one before does not know. Jobs that say it have rows in formats that the release
 * before cannot read, so an installation that may go back to it refuses it: see {@link newFieldsIn}.
 */
export const NEW_ANNOTATIONS: ReadonlySet<string> = new Set([
  ANNOTATIONS.indexDeadline,
  ANNOTATIONS.after,
  ANNOTATIONS.afterIndexes,
  ANNOTATIONS.successPercent,
  ANNOTATIONS.successCount,
  ANNOTATIONS.successReason,
  ANNOTATIONS.successMessage,
  ANNOTATIONS.whenAchieved,
  ANNOTATIONS.maxFailedPercent,
  ANNOTATIONS.gang,
  ANNOTATIONS.gangTimeout,
  ANNOTATIONS.gangRestarts,
  ANNOTATIONS.matrix,
  ANNOTATIONS.retryDelay,
  ANNOTATIONS.startTimeout,
  ANNOTATIONS.startAfter,
  ANNOTATIONS.killAt,
  ANNOTATIONS.successFirst,
]);
/** Likewise whole kinds: the release before has no rows for them, or would show them as something else. */
const NEW_KINDS: ReadonlySet<string> = new Set([
  'execution.furiko.io/v1alpha1 Job',
  'execution.furiko.io/v1alpha1 JobConfig',
  'v1 LimitRange',
  'v1 ResourceQuota',
  'v1 Service',
  'v1 ServiceAccount',
  'rbac.authorization.k8s.io/v1 Role',
  'rbac.authorization.k8s.io/v1 ClusterRole',
  'rbac.authorization.k8s.io/v1 RoleBinding',
  'rbac.authorization.k8s.io/v1 ClusterRoleBinding',
]);
/** Likewise a field of a Pod's spec, wherever a template of Pods is. */
const NEW_POD_FIELD = 'activeDeadlineSeconds';
const POD_SPECS: readonly string[] = ['template.spec', 'pod.spec'];
/** Likewise a variable that reads the task's address. */
const FIELD_PATH = '.valueFrom.fieldRef.fieldPath';

/**
 * Which formats an installation writes. `current`: all of this release. `previous`: only those that the release before reads, too,
 * so that it can be deployed again.
 */
export type Formats = 'previous' | 'current';

/** The paths of everything in an object that only this release knows; `kind` if that is the whole of it. */
export const newFieldsIn = (object: unknown): readonly string[] => (isNewKind(object) ? ['kind'] : found(object, ''));

function isNewKind(object: unknown): boolean {
  if (typeof object !== 'object' || object === null) return false;
  const { apiVersion, kind } = object as { readonly apiVersion?: unknown; readonly kind?: unknown };
  return NEW_KINDS.has(`${String(apiVersion)} ${String(kind)}`);
}

function found(value: unknown, path: string): readonly string[] {
  if (typeof value !== 'object' || value === null) return [];
  if (Array.isArray(value)) return value.flatMap((each: unknown, at) => found(each, `${path}[${at}]`));
  return Object.entries(value).flatMap(([key, inner]) => {
    if (path.endsWith('metadata.annotations')) return NEW_ANNOTATIONS.has(key) ? [`${path}[${key}]`] : [];
    const here = path === '' ? key : `${path}.${key}`;
    const isNew = key === NEW_POD_FIELD && POD_SPECS.some((spec) => path.endsWith(spec));
    const isNewValue = here.endsWith(FIELD_PATH) && ADDRESS_FIELDS.has(String(inner));
    return isNew || isNewValue ? [here] : found(inner, here);
  });
}
