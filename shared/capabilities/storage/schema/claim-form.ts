import * as z from 'zod';
import { API_KINDS } from '../../../domain/kinds/api-kinds.ts';
import { LEDGER_FIELD } from '../../../domain/manifests/ledger-field.ts';
import { claimIn } from '../domain/storage-objects.ts';
import { type FieldError, forbidden } from '../../../schema/object/field-error.ts';
import { known, opt, quantities, text, texts } from '../../../schema/object/json-fields.ts';
import { labelSelectorErrors, labelSelectorOf } from '../../../schema/object/label-selector-rules.ts';
import { labelSelectorShape } from '../../../schema/object/label-selector-shape.ts';
import { objectMetadataShape } from '../../../schema/object/object-metadata.ts';
import { nameErrors } from '../../../schema/object/object-name.ts';
import { immutableText, isSame } from '../../../schema/object/object-update.ts';
import type { Content, PlainForm } from '../../../schema/object/plain-admission.ts';
import { sweep } from '../../../schema/object/refused-fields.ts';
import { accessModeErrors, namedErrors, sizeErrors, volumeModeErrors } from '../../../schema/pod/claim-spec-rules.ts';
import { PROTECTION } from './protection-finalizers.ts';

const specShape = z.strictObject({
  accessModes: texts,
  selector: opt(labelSelectorShape),
  resources: opt(z.strictObject({ requests: quantities, limits: quantities })),
  volumeName: text,
  storageClassName: text,
  volumeMode: text,
  ...known('dataSource', 'dataSourceRef', 'volumeAttributesClassName'),
});
type SpecShape = z.output<typeof specShape>;

export const ClaimShape = z.strictObject({
  apiVersion: text,
  kind: text,
  metadata: opt(objectMetadataShape),
  spec: opt(specShape),
  // Nobody sets it here; a client may send back what it has read.
  ...known('status'),
});

/** A PersistentVolumeClaim (`ValidatePersistentVolumeClaim`). Its status, and the Events about it, are the server's. */
export const CLAIM_FORM: PlainForm<z.output<typeof ClaimShape>> = {
  resource: API_KINDS.PersistentVolumeClaim,
  shape: ClaimShape,
  serverFields: { names: ['status', LEDGER_FIELD], initially: { status: { phase: 'Pending' } } },
  ignoredFinalizers: [PROTECTION.claim],
  nameErrors,
  contentErrors: ({ spec = NO_SPEC }) => specErrors(spec),
  changeErrors: ({ spec = NO_SPEC }, before) => changeErrors(contentOf(spec), before),
  contentOf: ({ spec = NO_SPEC }) => contentOf(spec),
};

const NO_SPEC: SpecShape = specShape.parse({});

const refusedErrors = sweep([
  { path: 'dataSource', instead: 'copy the files with a Job: no volume is made of another one' },
  { path: 'dataSourceRef', instead: 'copy the files with a Job: no volume is made of another one' },
  { path: 'volumeAttributesClassName', instead: 'leave it out: file systems of EFS have their own throughput' },
]);

const SIZE = 'spec.resources[storage]';

function specErrors(spec: SpecShape): readonly FieldError[] {
  const { accessModes = [], selector, resources, storageClassName = '', volumeMode = 'Filesystem' } = spec;
  const { volumeName = '' } = spec;
  return [
    ...accessModeErrors('spec.accessModes', accessModes, 'at least 1 access mode is required'),
    ...(selector === undefined ? [] : labelSelectorErrors('spec.selector', selector)),
    ...sizeErrors(SIZE, resources?.requests?.['storage']),
    ...namedErrors('spec.volumeName', volumeName),
    ...namedErrors('spec.storageClassName', storageClassName),
    ...volumeModeErrors('spec.volumeMode', volumeMode),
    ...refusedErrors('spec', spec),
  ];
}

/** '' as a class says that there is to be none, so it is kept. */
function contentOf(spec: SpecShape): Content {
  const { accessModes = [], selector, resources, storageClassName, volumeName = '', volumeMode = 'Filesystem' } = spec;
  const { requests = {}, limits = {} } = resources ?? {};
  return {
    spec: {
      accessModes,
      ...(selector === undefined ? {} : { selector: labelSelectorOf(selector) }),
      resources: { requests, ...(Object.keys(limits).length === 0 ? {} : { limits }) },
      ...(volumeName === '' ? {} : { volumeName }),
      ...(storageClassName === undefined ? {} : { storageClassName }),
      volumeMode,
    },
  };
}

const IMMUTABLE =
  'spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims';

/** A volume and a class may be named once. */
function changeErrors(content: Content, stored: Content): readonly FieldError[] {
  const { spec: before } = claimIn(stored);
  const { spec } = claimIn(content);
  const { volumeName = spec.volumeName, storageClassName = spec.storageClassName } = before;
  const allowed = {
    ...before,
    ...(volumeName === undefined ? {} : { volumeName }),
    ...(storageClassName === undefined ? {} : { storageClassName }),
  };
  if (isSame(spec, allowed)) return [];
  if (isSame({ ...spec, resources: before.resources }, allowed))
    return [forbidden('spec.resources.requests.storage', NO_LARGER)];
  const { resources: _resources, ...rest } = spec;
  return [forbidden('spec', `${IMMUTABLE}\n${immutableText('spec', rest, allowed, '')}`)];
}

const NO_LARGER =
  'a claim keeps its size: file systems of EFS have none, and folders of a machine share its disk; make another claim if you need the number';
