import * as z from 'zod';
import { type FieldError, invalid } from '../../../schema/object/field-error.ts';
import { known, opt, text } from '../../../schema/object/json-fields.ts';
import { metadataShape } from '../../../schema/object/metadata-shape.ts';
import {
  type FieldValidation,
  type ObjectForm,
  type ReadObject,
  readObject,
} from '../../../schema/object/read-object.ts';

/** The questions about what users may do (`authorization.k8s.io/v1`), and who the caller is (`authentication.k8s.io/v1`). */

const AUTHORIZATION = 'authorization.k8s.io/v1';
const frame = { apiVersion: text, kind: text, metadata: opt(metadataShape), ...known('status') };

const resourceAttributes = z.strictObject({
  namespace: text,
  verb: text,
  group: text,
  version: text,
  resource: text,
  subresource: text,
  name: text,
  // Muster has no permissions for parts of a list.
  ...known('fieldSelector', 'labelSelector'),
});
const nonResourceAttributes = z.strictObject({ path: text, verb: text });

const accessReview = z.strictObject({
  ...frame,
  spec: opt(
    z.strictObject({
      resourceAttributes: opt(resourceAttributes),
      nonResourceAttributes: opt(nonResourceAttributes),
    }),
  ),
});
const subjectReview = z.strictObject({
  ...frame,
  spec: opt(
    z.strictObject({
      resourceAttributes: opt(resourceAttributes),
      nonResourceAttributes: opt(nonResourceAttributes),
      user: text,
      groups: opt(z.array(z.string()).readonly()),
      uid: text,
      // No role depends on it.
      ...known('extra'),
    }),
  ),
});
const rulesReview = z.strictObject({ ...frame, spec: opt(z.strictObject({ namespace: text })) });
const selfReview = z.strictObject(frame);

export type AccessReview = z.output<typeof accessReview>;
/** The same about another user. */
export type SubjectReview = z.output<typeof subjectReview>;
/** What a caller wants to do with objects. */
export type ResourceAttributes = z.output<typeof resourceAttributes>;
/** What a caller wants to do with a path that is not an object's. */
export type NonResourceAttributes = z.output<typeof nonResourceAttributes>;

const ACCESS_REVIEW: ObjectForm<AccessReview> = {
  apiVersion: AUTHORIZATION,
  kind: 'SelfSubjectAccessReview',
  shape: accessReview,
};
const subjectForm = (kind: string): ObjectForm<SubjectReview> => ({
  apiVersion: AUTHORIZATION,
  kind,
  shape: subjectReview,
});
const RULES_REVIEW: ObjectForm<z.output<typeof rulesReview>> = {
  apiVersion: AUTHORIZATION,
  kind: 'SelfSubjectRulesReview',
  shape: rulesReview,
};
const SELF_REVIEW: ObjectForm<z.output<typeof selfReview>> = {
  apiVersion: 'authentication.k8s.io/v1',
  kind: 'SelfSubjectReview',
  shape: selfReview,
};

export const readAccessReview = (document: unknown, validation: FieldValidation): ReadObject<AccessReview> =>
  readObject(document, validation, ACCESS_REVIEW);
/** @param kind `SubjectAccessReview`, or `LocalSubjectAccessReview`, which is about one namespace */
export const readSubjectReview = (
  kind: 'SubjectAccessReview' | 'LocalSubjectAccessReview',
  document: unknown,
  validation: FieldValidation,
): ReadObject<SubjectReview> => readObject(document, validation, subjectForm(kind));
export const readRulesReview = (document: unknown, validation: FieldValidation) =>
  readObject(document, validation, RULES_REVIEW);
export const readSelfReview = (document: unknown, validation: FieldValidation) =>
  readObject(document, validation, SELF_REVIEW);

/** Kubernetes' rules for a SelfSubjectAccessReview: exactly one question. */
export const accessReviewErrors = ({ metadata, spec }: AccessReview): readonly FieldError[] => [
  ...questionErrors(spec),
  ...metadataErrors(metadata, []),
];

/**
 * Kubernetes' rules for a SubjectAccessReview and a LocalSubjectAccessReview (kubernetes/pkg/apis/authorization/validation).
 *
 * @param namespace of the path; null: the review is about no namespace
 */
export function subjectReviewErrors(
  { metadata, spec }: SubjectReview,
  namespace: string | null,
): readonly FieldError[] {
  const { user = '', groups = [], resourceAttributes, nonResourceAttributes } = spec ?? {};
  const errors = [...questionErrors(spec)];
  if (user === '' && groups.length === 0)
    errors.push(invalid('spec.user', user, 'at least one of user or group must be specified'));
  if (namespace === null) return [...errors, ...metadataErrors(metadata, [])];
  if (nonResourceAttributes !== undefined)
    errors.push(invalid('spec.nonResourceAttributes', nonResourceAttributes, 'disallowed on this kind of request'));
  const about = resourceAttributes?.namespace ?? '';
  if (resourceAttributes !== undefined && about !== namespace)
    errors.push(invalid('spec.resourceAttributes.namespace', about, 'must match metadata.namespace'));
  return [...errors, ...metadataErrors(metadata, ['namespace'])];
}

function questionErrors(spec: AccessReview['spec']): readonly FieldError[] {
  const { resourceAttributes: ofResource, nonResourceAttributes: ofPath } = spec ?? {};
  const errors: FieldError[] = [];
  if (ofResource !== undefined && ofPath !== undefined)
    errors.push(
      invalid('spec.nonResourceAttributes', ofPath, 'cannot be specified in combination with resourceAttributes'),
    );
  if (ofResource === undefined && ofPath === undefined)
    errors.push(
      invalid(
        'spec.resourceAttributes',
        null,
        'exactly one of nonResourceAttributes or resourceAttributes must be specified',
      ),
    );
  return errors;
}

function metadataErrors(metadata: AccessReview['metadata'], expected: readonly string[]): readonly FieldError[] {
  const said = Object.entries(metadata ?? {}).filter(([key, value]) => isSaid(key, value) && !expected.includes(key));
  if (said.length === 0) return [];
  const but = expected.length === 0 ? '' : ` except for ${expected.join(', ')}`;
  return [invalid('metadata', Object.fromEntries(said), `must be empty${but}`)];
}

/** Ignores `creationTimestamp: null`, which clients write, and managedFields, which the server sets. */
const isSaid = (key: string, value: unknown): boolean =>
  key !== 'managedFields' &&
  value !== undefined &&
  value !== null &&
  value !== '' &&
  !(typeof value === 'object' && Object.keys(value).length === 0);
