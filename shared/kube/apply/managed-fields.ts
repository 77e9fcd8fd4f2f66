import type { ManagedFieldsEntry } from '../../domain/manifests/manifest.ts';
import type { KindTable } from '../../schema/kinds/kind-table.ts';
import { EMPTY, type FieldSet, difference, isEmpty, sameSet, toFieldsV1, union } from './field-set.ts';
import { readFieldsV1 } from './fields-v1.ts';
import { isObject } from '../patch/json-value.ts';
import { compareFields } from './object-fields.ts';
import { emptyObject, shared, tracked } from './tracked-fields.ts';

/** As in the API server (`DefaultMaxUpdateManagers`). */
const UPDATERS_MAX = 10;
/** The manager that takes over the changes of older updaters. */
const ANCIENT = 'ancient-changes';

export type Updater = {
  readonly manager: string;
  readonly apiVersion: string;
  /** RFC 3339 */
  readonly time: string;
  readonly subresource?: string;
};

/**
 * Who owns what after an update: the updater takes what it added or changed, all others lose what was changed or removed. If
 * nothing changed, the entries stay the same, including times. An object without any managers (they were reset) stays so until
 * something is applied.
 * @param before null: the object is new.
 */
export function managedAfterUpdate(
  table: KindTable,
  type: string,
  before: object | null,
  after: object,
  entries: readonly ManagedFieldsEntry[],
  who: Updater,
): readonly ManagedFieldsEntry[] {
  if (before !== null && entries.length === 0) return entries;
  const old = before === null ? emptyObject(table, type) : before;
  const { added, modified, removed } = compareFields(
    table,
    { is: 'object', of: type },
    isObject(old) ? shared(old, who.subresource) : {},
    isObject(after) ? shared(after, who.subresource) : {},
  );
  const taken = union(added, modified);
  const owned = disowned(owners(entries), union(taken, removed));
  const mine = tracked(taken);
  if (isEmpty(mine)) return entriesOf(owned, entries);
  const self: EntryHeader = {
    manager: who.manager,
    operation: 'Update',
    apiVersion: who.apiVersion,
    time: who.time,
    fieldsType: 'FieldsV1',
    ...(who.subresource === undefined ? {} : { subresource: who.subresource }),
  };
  return entriesOf(capped(withOwner(owned, self, (own) => union(own, mine))), entries);
}

/** An entry without its fields. */
export type EntryHeader = Omit<ManagedFieldsEntry, 'fieldsV1'>;

/** An entry with its fields as a set. */
export type Owner = { readonly entry: EntryHeader; readonly set: FieldSet };

/** Entries by their owner; fields that cannot be parsed have no owner. */
export function owners(entries: readonly ManagedFieldsEntry[]): ReadonlyMap<string, Owner> {
  const all = new Map<string, Owner>();
  for (const { fieldsV1, ...entry } of entries) {
    const read = readFieldsV1(fieldsV1);
    const set = read.kind === 'read' ? read.set : EMPTY;
    all.set(identity(entry), { entry, set: union(all.get(identity(entry))?.set ?? EMPTY, set) });
  }
  return all;
}

/** The owner of an entry. An applier stays the same in another version of the API. */
export const identity = ({ manager, operation, apiVersion, subresource = '' }: EntryHeader) =>
  JSON.stringify([manager, operation, operation === 'Apply' ? '' : apiVersion, subresource]);

/** These fields have no owner any more, and an owner without fields is dropped. */
export function disowned(all: ReadonlyMap<string, Owner>, lost: FieldSet): ReadonlyMap<string, Owner> {
  const left = [...all].map(([id, { entry, set }]): [string, Owner] => [id, { entry, set: difference(set, lost) }]);
  return new Map(left.filter(([, { set }]) => !isEmpty(set)));
}

/** With one owner's new set; its entry is renewed. */
export function withOwner(
  all: ReadonlyMap<string, Owner>,
  entry: EntryHeader,
  change: (set: FieldSet) => FieldSet,
): ReadonlyMap<string, Owner> {
  const set = change(all.get(identity(entry))?.set ?? EMPTY);
  const others = [...all].filter(([id]) => id !== identity(entry));
  return new Map(isEmpty(set) ? others : [...others, [identity(entry), { entry, set }]]);
}

/** Back to entries, in upstream's order. Unchanged entries are the given ones, and so is an unchanged list. */
export function entriesOf(
  all: ReadonlyMap<string, Owner>,
  given: readonly ManagedFieldsEntry[],
): readonly ManagedFieldsEntry[] {
  const before = owners(given);
  const byIdentity = new Map(given.map((entry) => [identity(entry), entry]));
  const entries = [...all].map(([id, { entry, set }]): ManagedFieldsEntry => {
    const old = byIdentity.get(id);
    const same = old !== undefined && old.time === entry.time && sameSet(before.get(id)?.set ?? EMPTY, set);
    return same ? old : { ...entry, fieldsV1: toFieldsV1(set) };
  });
  entries.sort(byOperationTimeName);
  const unchanged = entries.length === given.length && entries.every((entry) => given.includes(entry));
  return unchanged ? given : entries;
}

function byOperationTimeName(one: EntryHeader, other: EntryHeader): number {
  const seconds = (time: string): number => Math.floor((Date.parse(time) || 0) / 1000);
  return (
    compareText(one.operation, other.operation) ||
    seconds(one.time) - seconds(other.time) ||
    compareText(one.manager, other.manager) ||
    compareText(one.apiVersion, other.apiVersion) ||
    compareText(one.subresource ?? '', other.subresource ?? '')
  );
}

const compareText = (one: string, other: string): number => (one < other ? -1 : Number(one > other));

/** The oldest updates of a version are merged, so that entries stay few. */
function capped(all: ReadonlyMap<string, Owner>): ReadonlyMap<string, Owner> {
  const updaters = [...all.values()]
    .filter(({ entry }) => entry.operation === 'Update')
    .sort((one, other) => byOperationTimeName(one.entry, other.entry));
  let tooMany = updaters.length - UPDATERS_MAX;
  if (tooMany <= 0) return all;
  let left = all;
  const first = new Map<string, Owner>();
  for (const owner of updaters) {
    if (tooMany <= 0) break;
    const { apiVersion, time, fieldsType } = owner.entry;
    const merged = first.get(apiVersion);
    if (merged === undefined) {
      first.set(apiVersion, owner);
      continue;
    }
    const ancient = { manager: ANCIENT, operation: 'Update', apiVersion, time, fieldsType } as const;
    left = new Map([...left].filter(([, each]) => each !== owner && each !== merged));
    left = withOwner(left, ancient, (set) => union(set, union(merged.set, owner.set)));
    const bucket = left.get(identity(ancient));
    if (bucket !== undefined) first.set(apiVersion, bucket);
    tooMany--;
  }
  return left;
}
