import * as z from 'zod';
import { API_KINDS } from '../../domain/kinds/api-kinds.ts';
import { type FieldError, forbidden } from '../object/field-error.ts';
import { nameErrors } from '../object/object-name.ts';
import { NO_SERVER_FIELDS, type PlainForm } from '../object/plain-admission.ts';
import { flag, known, opt, text } from '../object/json-fields.ts';
import { objectMetadataShape } from '../object/object-metadata.ts';

export const ServiceAccountShape = z.strictObject({
  apiVersion: text,
  kind: text,
  metadata: opt(objectMetadataShape),
  automountServiceAccountToken: flag,
  ...known('secrets', 'imagePullSecrets'),
});

/** A ServiceAccount: a name to which bindings grant roles. */
export const SERVICE_ACCOUNT_FORM: PlainForm<z.output<typeof ServiceAccountShape>> = {
  resource: API_KINDS.ServiceAccount,
  shape: ServiceAccountShape,
  nameErrors,
  contentErrors: ({ secrets, imagePullSecrets }) => [
    ...refusedSecrets('secrets', secrets, 'tasks get no token of a ServiceAccount'),
    ...refusedSecrets(
      'imagePullSecrets',
      imagePullSecrets,
      'name them in the template of the Pods: those of a ServiceAccount are not added to it',
    ),
  ],
  serverFields: NO_SERVER_FIELDS,
  changeErrors: () => [],
  contentOf: ({ automountServiceAccountToken }) =>
    automountServiceAccountToken === undefined ? {} : { automountServiceAccountToken },
};

/** Empty lists have no effect. */
function refusedSecrets(path: string, value: unknown, why: string): readonly FieldError[] {
  const isEmpty = value === undefined || value === null || (Array.isArray(value) && value.length === 0);
  return isEmpty ? [] : [forbidden(path, `not supported by this version of Muster; leave it out: ${why}`)];
}
