import { parseQuantity } from '../../domain/base/quantity.ts';
import { dnsSubdomainErrors } from '../object/dns-names.ts';
import { type FieldError, forbidden, invalid, notSupported, required } from '../object/field-error.ts';
import { refusedValue } from '../object/refused-fields.ts';
import { QUANTITY } from './resource-rules.ts';

// What claims, volumes, and the claim of a Pod's own volume have in common (`ValidatePersistentVolumeClaimSpec`).

/** Sorted, as Kubernetes lists them. */
const ACCESS_MODES: readonly string[] = ['ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOnce', 'ReadWriteOncePod'];
const ONE_POD = 'ReadWriteOncePod';

/** @param missing Kubernetes' words where there is none */
export function accessModeErrors(path: string, modes: readonly string[], missing: string): readonly FieldError[] {
  if (modes.length === 0) return [required(path, missing)];
  return [
    ...modes.filter((mode) => !ACCESS_MODES.includes(mode)).map((mode) => notSupported(path, mode, ACCESS_MODES)),
    ...(modes.includes(ONE_POD) && modes.some((mode) => mode !== ONE_POD)
      ? [forbidden(path, `may not use ${ONE_POD} with other access modes`)]
      : []),
  ];
}

/** A size: more than nothing. */
export function sizeErrors(path: string, size: string | undefined): readonly FieldError[] {
  if (size === undefined) return [required(path)];
  const bytes = parseQuantity(size);
  if (bytes === null) return [invalid(path, size, QUANTITY)];
  return bytes > 0 ? [] : [invalid(path, size, 'must be greater than zero')];
}

/** The name of something else; '': none is said. */
export const namedErrors = (path: string, name: string): readonly FieldError[] =>
  name === '' ? [] : dnsSubdomainErrors(name).map((fault) => invalid(path, name, fault));

/** '': none is said. */
export function volumeModeErrors(path: string, mode: string): readonly FieldError[] {
  if (mode === '' || mode === 'Filesystem') return [];
  return mode === 'Block'
    ? [refusedValue(path, 'use Filesystem, or leave it out: tasks have no block devices')]
    : [notSupported(path, mode, ['Block', 'Filesystem'])];
}
