import { parseQuantity } from '../../../domain/base/quantity.ts';
import { ACCESS_MODES } from '../domain/storage-objects.ts';
import { dnsSubdomainErrors } from '../../../schema/object/dns-names.ts';
import { type FieldError, forbidden, invalid, notSupported, required } from '../../../schema/object/field-error.ts';
import { refusedValue } from '../../../schema/object/refused-fields.ts';

// What volumes and claims have in common.

/** @param missing Kubernetes' words where there is none */
export function accessModeErrors(modes: readonly string[], missing: string): readonly FieldError[] {
  const path = 'spec.accessModes';
  if (modes.length === 0) return [required(path, missing)];
  const known = modes.filter((mode) => ACCESS_MODES.some((each) => each === mode));
  const isMixed = known.includes(ONE_POD) && known.some((mode) => mode !== ONE_POD);
  return [
    ...modes.filter((mode) => !known.includes(mode)).map((mode) => notSupported(path, mode, ACCESS_MODES)),
    ...(isMixed ? [forbidden(path, `may not use ${ONE_POD} with other access modes`)] : []),
  ];
}

const ONE_POD = 'ReadWriteOncePod';

/** A size: more than nothing. */
export function sizeErrors(path: string, size: string): readonly FieldError[] {
  const quantity = parseQuantity(size);
  if (quantity === null) return [invalid(path, size, 'write a quantity such as 10Gi')];
  return quantity > 0 ? [] : [invalid(path, size, 'must be greater than zero')];
}

/** The name of something else; '': none is said. */
export const namedErrors = (path: string, name: string): readonly FieldError[] =>
  name === '' ? [] : dnsSubdomainErrors(name).map((why) => invalid(path, name, why));

/** Tasks have no devices. */
export function volumeModeErrors(mode: string): readonly FieldError[] {
  const path = 'spec.volumeMode';
  if (mode === 'Filesystem') return [];
  return mode === 'Block'
    ? [refusedValue(path, 'write Filesystem: tasks have no block devices')]
    : [notSupported(path, mode, ['Block', 'Filesystem'])];
}

/** What protects objects elsewhere while they are used; exported manifests have it. */
export const PROTECTION = {
  volume: 'kubernetes.io/pv-protection',
  claim: 'kubernetes.io/pvc-protection',
} as const;
