import type { ManagedFieldsEntry } from '../../domain/manifest.ts';
import { toFieldsV1 } from './field-set.ts';
import { readFieldsV1 } from './fields-v1.ts';
import { type JsonObject, isList, isObject, own } from './json-value.ts';

/** As the API server's validation of metadata. */
const MANAGER_LENGTH_MAX = 128;

export type DecodedManagedFields =
  | { readonly kind: 'decoded'; readonly entries: readonly ManagedFieldsEntry[] }
  /** `[]` or `[{}]`: whoever sent it wants nobody's fields to be known any more. */
  | { readonly kind: 'reset' }
  | { readonly kind: 'fault'; readonly message: string };

/**
 * Reads `metadata.managedFields` as a client sends it. undefined and null are read as no entries.
 * @param time RFC 3339, for entries that have none.
 */
export function decodeManagedFields(value: unknown, time: string): DecodedManagedFields {
  if (value === undefined || value === null) return { kind: 'decoded', entries: [] };
  if (!isList(value)) return fault('expected a list');
  const [only] = value;
  if (value.length === 0 || (value.length === 1 && isObject(only) && Object.keys(only).length === 0))
    return { kind: 'reset' };
  const entries: ManagedFieldsEntry[] = [];
  for (const [i, said] of value.entries()) {
    const entry = isObject(said) ? decodeEntry(said, i, time) : `expected a map in managed fields entry ${i}`;
    if (typeof entry === 'string') return fault(entry);
    entries.push(entry);
  }
  return { kind: 'decoded', entries };
}

/**
 * Which entries an update goes out from: those it brings itself, none after a reset, else the stored ones, so that clients
 * who know nothing of them, or send nonsense, do not delete them (managedfields, decodeLiveOrNew).
 */
export function entriesForUpdate(
  value: unknown,
  stored: readonly ManagedFieldsEntry[],
  time: string,
): readonly ManagedFieldsEntry[] {
  const decoded = decodeManagedFields(value, time);
  if (decoded.kind === 'reset') return [];
  return decoded.kind === 'decoded' && decoded.entries.length > 0 ? decoded.entries : stored;
}

/** An entry, or why it is none, in upstream's words. */
function decodeEntry(said: JsonObject, i: number, time: string): ManagedFieldsEntry | string {
  const text = (key: string): string | null => {
    const value = own(said, key) ?? '';
    return typeof value === 'string' ? value : null;
  };
  const [manager, apiVersion, fieldsType, subresource] = [
    text('manager'),
    text('apiVersion'),
    text('fieldsType'),
    text('subresource'),
  ];
  const at = text('time');
  const operation = own(said, 'operation');
  if (operation !== 'Apply' && operation !== 'Update') return 'operation must be `Apply` or `Update`';
  if (manager === null || manager.length > MANAGER_LENGTH_MAX) return `invalid manager in managed fields entry ${i}`;
  if (apiVersion === null || apiVersion === '') return 'apiVersion must not be empty';
  if (fieldsType === '') return `missing fieldsType in managed fields entry ${i}`;
  if (fieldsType !== 'FieldsV1') {
    return `invalid fieldsType ${JSON.stringify(own(said, 'fieldsType'))} in managed fields entry ${i}`;
  }
  if (subresource === null) return `invalid subresource in managed fields entry ${i}`;
  if (at === null || (at !== '' && Number.isNaN(Date.parse(at)))) return `invalid time in managed fields entry ${i}`;
  const read = readFieldsV1(own(said, 'fieldsV1') ?? {});
  if (read.kind === 'malformed') return `error decoding set: ${read.why}`;
  return {
    manager,
    operation,
    apiVersion,
    time: at === '' ? time : at,
    fieldsType,
    fieldsV1: toFieldsV1(read.set),
    ...(subresource === '' ? {} : { subresource }),
  };
}

const fault = (message: string): DecodedManagedFields => ({ kind: 'fault', message });
