import * as z from 'zod';
import { toBase64 } from '../../../domain/task/volumes/base64.ts';
import { API_KINDS } from '../../../domain/kinds/api-kinds.ts';
import { type FieldError, tooLong } from '../../../schema/object/field-error.ts';
import { bytesMap, flag, opt, text, textMap } from '../../../schema/object/json-fields.ts';
import { objectMetadataShape } from '../../../schema/object/object-metadata.ts';
import { nameErrors } from '../../../schema/object/object-name.ts';
import { immutableErrors } from '../../../schema/object/object-update.ts';
import { NO_SERVER_FIELDS, type PlainForm } from '../../../schema/object/plain-admission.ts';
import {
  VALUES_BYTES_MAX,
  type Values,
  bytesInBase64,
  filled,
  immutableFaults,
  keyErrors,
  tooManyKeys,
} from './data-rules.ts';
import { OPAQUE, typeErrors } from './required-keys.ts';

const SecretShape = z.strictObject({
  apiVersion: text,
  kind: text,
  metadata: opt(objectMetadataShape),
  immutable: flag,
  data: bytesMap,
  stringData: textMap,
  type: text,
});
type SecretShape = z.output<typeof SecretShape>;

/** A Secret (`ValidateSecret`, `ValidateSecretUpdate`). No fault shows a value. */
export const SECRET_FORM: PlainForm<SecretShape> = {
  resource: API_KINDS.Secret,
  shape: SecretShape,
  nameErrors,
  contentErrors,
  changeErrors: (object, before) => [
    ...immutableErrors('type', typeOf(object), before['type']),
    ...immutableFaults(contentOf(object), before, ['data']),
  ],
  contentOf,
  serverFields: NO_SERVER_FIELDS,
};

function contentErrors(object: SecretShape): readonly FieldError[] {
  const data = dataOf(object);
  return [
    ...tooManyKeys('data', data),
    ...keyErrors('data', data),
    ...(bytesInBase64(data) > VALUES_BYTES_MAX ? [tooLong('data', VALUES_BYTES_MAX)] : []),
    ...typeErrors(typeOf(object), data, object.metadata?.annotations ?? {}),
  ];
}

function contentOf(object: SecretShape): Readonly<Record<string, unknown>> {
  const { immutable } = object;
  return {
    ...filled({ data: dataOf(object) }),
    ...(immutable === undefined ? {} : { immutable }),
    type: typeOf(object),
  };
}

const typeOf = ({ type = '' }: SecretShape): string => (type === '' ? OPAQUE : type);

/** What is written as texts takes the place of what is there. */
const dataOf = ({ data = {}, stringData = {} }: SecretShape): Values => ({
  ...data,
  ...Object.fromEntries(
    Object.entries(stringData).map(([key, value]) => [key, toBase64(new TextEncoder().encode(value))]),
  ),
});
