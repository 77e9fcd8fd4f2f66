import * as z from 'zod';
import { int64, known, opt, text, textMap, time } from './json-fields.ts';

const managedFieldsEntry = z.strictObject({
  manager: text,
  operation: text,
  apiVersion: text,
  time,
  fieldsType: text,
  subresource: text,
  ...known('fieldsV1'),
});

/** Every field of `meta/v1` ObjectMeta. */
export const metadataShape = z.strictObject({
  name: text,
  generateName: text,
  namespace: text,
  labels: textMap,
  annotations: textMap,
  resourceVersion: text,
  // The server sets these fields, as Kubernetes does. What clients send must be readable.
  uid: text,
  creationTimestamp: time,
  generation: int64,
  selfLink: text,
  managedFields: opt(z.array(managedFieldsEntry)),
  deletionTimestamp: time,
  deletionGracePeriodSeconds: int64,
  ...known('finalizers', 'ownerReferences'),
});
