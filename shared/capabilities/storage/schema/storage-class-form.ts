import * as z from 'zod';
import { API_KINDS } from '../../../domain/kinds/api-kinds.ts';
import { qualifiedNameErrors } from '../../../schema/object/dns-names.ts';
import { type FieldError, forbidden, invalid, notSupported, required } from '../../../schema/object/field-error.ts';
import { flag, known, opt, text, textMap, texts } from '../../../schema/object/json-fields.ts';
import { objectMetadataShape } from '../../../schema/object/object-metadata.ts';
import { nameErrors } from '../../../schema/object/object-name.ts';
import { immutableErrors, isSame } from '../../../schema/object/object-update.ts';
import { type Content, NO_SERVER_FIELDS, type PlainForm } from '../../../schema/object/plain-admission.ts';
import { refusedValue } from '../../../schema/object/refused-fields.ts';

export const StorageClassShape = z.strictObject({
  apiVersion: text,
  kind: text,
  metadata: opt(objectMetadataShape),
  provisioner: text,
  parameters: textMap,
  reclaimPolicy: text,
  mountOptions: texts,
  allowVolumeExpansion: flag,
  volumeBindingMode: text,
  // Without nodes, there is nothing to choose by it.
  ...known('allowedTopologies'),
});
type ClassShape = z.output<typeof StorageClassShape>;

/** A StorageClass (`ValidateStorageClass`). Whatever makes its volumes, the class may be there: charts have some. */
export const STORAGE_CLASS_FORM: PlainForm<ClassShape> = {
  resource: API_KINDS.StorageClass,
  shape: StorageClassShape,
  serverFields: NO_SERVER_FIELDS,
  nameErrors,
  contentErrors: (object) => [
    ...provisionerErrors(object.provisioner ?? ''),
    ...parameterErrors(object.parameters ?? {}),
    ...policyErrors(object.reclaimPolicy ?? 'Delete'),
    ...modeErrors(object.volumeBindingMode ?? 'Immediate'),
  ],
  changeErrors: (object, before) => changeErrors(contentOf(object), before),
  contentOf,
};

function contentOf(object: ClassShape): Content {
  const { provisioner = '', parameters = {}, mountOptions = [], allowVolumeExpansion, allowedTopologies } = object;
  return {
    provisioner,
    ...(Object.keys(parameters).length === 0 ? {} : { parameters }),
    reclaimPolicy: object.reclaimPolicy ?? 'Delete',
    ...(mountOptions.length === 0 ? {} : { mountOptions }),
    ...(allowVolumeExpansion === undefined ? {} : { allowVolumeExpansion }),
    volumeBindingMode: object.volumeBindingMode ?? 'Immediate',
    ...(Array.isArray(allowedTopologies) && allowedTopologies.length > 0 ? { allowedTopologies } : {}),
  };
}

const provisionerErrors = (name: string): readonly FieldError[] =>
  name === ''
    ? [required('provisioner')]
    : qualifiedNameErrors(name.toLowerCase()).map((why) => invalid('provisioner', name, why));

const PARAMETERS_MAX = 512;

function parameterErrors(parameters: Readonly<Record<string, string>>): readonly FieldError[] {
  const keys = Object.keys(parameters);
  if (keys.length > PARAMETERS_MAX)
    return [{ path: 'parameters', kind: 'TooLong', message: `may not be more than ${PARAMETERS_MAX} bytes` }];
  return keys.includes('') ? [invalid('parameters', '', 'field can not be empty.')] : [];
}

function policyErrors(policy: string): readonly FieldError[] {
  if (policy === 'Recycle') return [refusedValue('reclaimPolicy', 'write Retain or Delete')];
  return ['Delete', 'Retain'].includes(policy) ? [] : [notSupported('reclaimPolicy', policy, ['Delete', 'Retain'])];
}

const MODES: readonly string[] = ['Immediate', 'WaitForFirstConsumer'];

const modeErrors = (mode: string): readonly FieldError[] =>
  MODES.includes(mode) ? [] : [notSupported('volumeBindingMode', mode, MODES)];

const FIXED = ['parameters', 'provisioner', 'reclaimPolicy'] as const;

const changeErrors = (content: Content, before: Content): readonly FieldError[] => [
  ...FIXED.filter((name) => !isSame(content[name] ?? {}, before[name] ?? {})).map((name) =>
    forbidden(name, `updates to ${name} are forbidden.`),
  ),
  ...immutableErrors('volumeBindingMode', content['volumeBindingMode'], before['volumeBindingMode']),
];
