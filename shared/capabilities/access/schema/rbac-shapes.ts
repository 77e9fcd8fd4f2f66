import * as z from 'zod';
import { known, opt, text, texts } from '../../../schema/object/json-fields.ts';
import { objectMetadataShape } from '../../../schema/object/object-metadata.ts';

const ruleShape = z.strictObject({
  verbs: texts,
  apiGroups: texts,
  resources: texts,
  resourceNames: texts,
  nonResourceURLs: texts,
});
export type RuleShape = z.output<typeof ruleShape>;

const subjectShape = z.strictObject({ kind: text, apiGroup: text, name: text, namespace: text });
export type SubjectShape = z.output<typeof subjectShape>;

const roleRefShape = z.strictObject({ apiGroup: text, kind: text, name: text });
export type RoleRefShape = z.output<typeof roleRefShape>;

const object = { apiVersion: text, kind: text, metadata: opt(objectMetadataShape) };

export const RoleShape = z.strictObject({ ...object, rules: opt(z.array(ruleShape)) });
export const ClusterRoleShape = z.strictObject({
  ...object,
  rules: opt(z.array(ruleShape)),
  ...known('aggregationRule'),
});
/** A RoleBinding, or a ClusterRoleBinding. */
export const BindingShape = z.strictObject({
  ...object,
  subjects: opt(z.array(subjectShape)),
  roleRef: opt(roleRefShape),
});
