import * as z from 'zod';
import { API_KINDS } from '../../../domain/kinds/api-kinds.ts';
import { type FieldError, invalid, tooLong } from '../../../schema/object/field-error.ts';
import { bytesMap, flag, opt, text, textMap } from '../../../schema/object/json-fields.ts';
import { objectMetadataShape } from '../../../schema/object/object-metadata.ts';
import { nameErrors } from '../../../schema/object/object-name.ts';
import { NO_SERVER_FIELDS, type PlainForm } from '../../../schema/object/plain-admission.ts';
import {
  VALUES_BYTES_MAX,
  bytesInBase64,
  filled,
  immutableFaults,
  keyErrors,
  textBytes,
  tooManyKeys,
} from './data-rules.ts';

const ConfigMapShape = z.strictObject({
  apiVersion: text,
  kind: text,
  metadata: opt(objectMetadataShape),
  immutable: flag,
  data: textMap,
  binaryData: bytesMap,
});
type ConfigMapShape = z.output<typeof ConfigMapShape>;

/** A ConfigMap (`ValidateConfigMap`, `ValidateConfigMapUpdate`). */
export const CONFIG_MAP_FORM: PlainForm<ConfigMapShape> = {
  resource: API_KINDS.ConfigMap,
  shape: ConfigMapShape,
  nameErrors,
  contentErrors,
  changeErrors: (object, before) => immutableFaults(contentOf(object), before, ['data', 'binaryData']),
  contentOf,
  serverFields: NO_SERVER_FIELDS,
};

function contentErrors({ data = {}, binaryData = {} }: ConfigMapShape): readonly FieldError[] {
  const twice = (path: string, other: string, keys: readonly string[]): readonly FieldError[] =>
    keys.map((key) => invalid(`${path}[${key}]`, key, `duplicate of key present in ${other}`));
  const both = Object.keys(data).filter((key) => Object.hasOwn(binaryData, key));
  const bytes = textBytes(data) + bytesInBase64(binaryData);
  return [
    ...tooManyKeys('data', { ...data, ...binaryData }),
    ...keyErrors('data', data),
    ...twice('data', 'binaryData', both),
    ...keyErrors('binaryData', binaryData),
    ...twice('binaryData', 'data', both),
    // Kubernetes means the whole object.
    ...(bytes > VALUES_BYTES_MAX ? [tooLong('[]', VALUES_BYTES_MAX)] : []),
  ];
}

function contentOf({ immutable, data = {}, binaryData = {} }: ConfigMapShape): Readonly<Record<string, unknown>> {
  return { ...filled({ data, binaryData }), ...(immutable === undefined ? {} : { immutable }) };
}
