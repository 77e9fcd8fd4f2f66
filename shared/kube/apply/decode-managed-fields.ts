import type { ManagedFieldsEntry } from '../../domain/manifests/manifest.ts';
import { toFieldsV1 } from './field-set.ts';
import { readFieldsV1 } from './fields-v1.ts';
import { type JsonObject, isList, isObject, own } from '../patch/json-value.ts';

/** As in the API server's validation of metadata. */
const MANAGER_LENGTH_MAX = 128;

export type DecodedManagedFields =
  | { readonly kind: 'decoded'; readonly entries: readonly ManagedFieldsEntry[] }
  /** `[]` or `[{}]`: the client resets the managers of all fields. */
  | { readonly kind: 'reset' }
  | { readonly kind: 'fieldError'; readonly message: string };

/**
 * Parses `metadata.managedFields` as a client sends it. undefined and null mean no entries.
 * @param time RFC 3339, for entries that have none.
 */
export function decodeManagedFields(value: unknown, time: string): DecodedManagedFields {
  if (value === undefined || value === null) return { kind: 'decoded', entries: [] };
  if (!isList(value)) return fieldError('expected a list');
  const [only] = value;
  if (value.length === 0 || (value.length === 1 && isObject(only) && Object.keys(only).length === 0))
    return { kind: 'reset' };
  const entries: ManagedFieldsEntry[] = [];
  for (const [i, said] of value.entries()) {
    const entry = isObject(said) ? decodeEntry(said, i, time) : `expected a map in managed fields entry ${i}`;
    if (typeof entry === 'string') return fieldError(entry);
    entries.push(entry);
  }
  return { kind: 'decoded', entries };
}

/**
 * The entries that an update starts from: those in the update itself, none after a reset, otherwise the stored ones. So clients
 * that do not know them, or send invalid ones, do not delete them (managedfields, decodeLiveOrNew).
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

/** An entry, or why it is invalid, in upstream's words. */
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

const fieldError = (message: string): DecodedManagedFields => ({ kind: 'fieldError', message });
