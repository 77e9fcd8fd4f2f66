import type { ManagedFieldsEntry } from '../../domain/manifest.ts';
import type { FieldType, KindTable } from '../../schema/kinds/kind-table.ts';
import type { Conflict } from './apply-conflicts.ts';
import { EMPTY, type FieldSet, difference, intersection, isEmpty, pathsOf, sameSet, union } from './field-set.ts';
import { type JsonObject, isObject, own, sameJson } from './json-value.ts';
import { lastApplied, withLastApplied } from './last-applied.ts';
import {
  type EntryHeader,
  type Owner,
  disowned,
  entriesOf,
  identity,
  managedAfterUpdate,
  owners,
  withOwner,
} from './managed-fields.ts';
import { type Comparison, compareFields, fieldsOf } from './object-fields.ts';
import { keptAt, shared, tracked, withoutEntries, withoutServerFields } from './tracked-fields.ts';
import { typedFaults } from './typed-faults.ts';
import { mergeTyped, withNamedFields, withoutFields, withoutNulls } from './typed-merge.ts';

export type Applied =
  /** `document` without managedFields. If nothing changed, `entries` is the list that was given. */
  | { readonly kind: 'applied'; readonly document: JsonObject; readonly entries: readonly ManagedFieldsEntry[] }
  /** 409 */
  | { readonly kind: 'conflicts'; readonly conflicts: readonly Conflict[] }
  /** 400 */
  | { readonly kind: 'bad'; readonly message: string };

export type Applier = {
  readonly manager: string;
  readonly apiVersion: string;
  /** RFC 3339 */
  readonly time: string;
  readonly force: boolean;
  /** The path that is applied to, such as `status`; left out: the object's own. */
  readonly subresource?: string;
};

/** Whose fields those are that were there before anything was applied. */
const BEFORE_FIRST_APPLY = 'before-first-apply';
/** It may take over from the client-side apply of the same tool without a conflict. */
const KUBECTL = 'kubectl';

/**
 * Server-side apply: lays a configuration over an object, takes away what this manager applied before and does not say any
 * more (unless somebody else owns it), and says who owns what then. To change what others own is a conflict, unless forced
 * (structured-merge-diff, Updater.Apply; apimachinery, managedfields).
 * @param live null: there is none yet. With its status; managedFields in it are not looked at.
 * @param entries the live object's managedFields.
 */
export function applyConfiguration(
  table: KindTable,
  type: string,
  live: object | null,
  config: unknown,
  entries: readonly ManagedFieldsEntry[],
  who: Applier,
): Applied {
  const fault = configFault(table, type, config, who);
  if (fault !== null || !isObject(config)) return { kind: 'bad', message: fault ?? 'not an object' };
  const before = isObject(live) ? withoutEntries(live) : {};
  const state: State = {
    table,
    type,
    root: { is: 'object', of: type },
    before: shared(before, who.subresource),
    config: shared(config, who.subresource),
    who,
  };
  const known =
    live !== null && entries.length === 0
      ? managedAfterUpdate(table, type, null, before, entries, { ...who, manager: BEFORE_FIRST_APPLY })
      : entries;
  const all = owners(known);
  const laid = lay(state, all);
  const conflicts = who.force ? [] : conflictsOf(state, all, laid.comparison, before);
  if (conflicts.length > 0) return { kind: 'conflicts', conflicts };
  const document = withLastApplied(assembled(before, config, laid.object, who), config, who.manager === KUBECTL);
  const unchanged = live !== null && sameJson(withoutServerFields(document), withoutServerFields(before));
  return { kind: 'applied', document, entries: entriesOf(handedOver(who, all, laid, unchanged), known) };
}

type State = {
  readonly table: KindTable;
  readonly type: string;
  readonly root: FieldType;
  readonly before: JsonObject;
  readonly config: JsonObject;
  readonly who: Applier;
};

const applierEntry = ({ manager, apiVersion, time, subresource }: Applier): EntryHeader => ({
  manager,
  operation: 'Apply',
  apiVersion,
  time,
  fieldsType: 'FieldsV1',
  ...(subresource === undefined ? {} : { subresource }),
});

/** Why a configuration cannot be applied to anything, in upstream's words. */
function configFault(
  table: KindTable,
  type: string,
  config: unknown,
  { apiVersion, subresource }: Applier,
): string | null {
  if (!isObject(config)) return 'error decoding YAML: json: cannot unmarshal into an object';
  const version = own(config, 'apiVersion');
  if (version !== apiVersion) {
    const said = typeof version === 'string' ? version : '';
    return `Incorrect version specified in apply patch. Specified patch version: ${said}, expected: ${apiVersion}`;
  }
  const metadata = own(config, 'metadata');
  if (isObject(metadata) && (own(metadata, 'managedFields') ?? null) !== null)
    return 'metadata.managedFields must be nil';
  const faults = typedFaults(table, { is: 'object', of: type }, shared(config, subresource));
  if (faults.length === 0) return null;
  const name = (key: string): string => {
    const value = isObject(metadata) ? own(metadata, key) : undefined;
    return typeof value === 'string' ? value : '';
  };
  const what = faults.length === 1 ? faults.join('') : ['errors:', ...faults.map((fault) => `  ${fault}`)].join('\n');
  return `failed to create typed patch object (${name('namespace')}/${name('name')}; ${apiVersion}, Kind=${type}): ${what}`;
}

/** The object with the configuration on it, what changes by that, and the fields that the configuration says. */
type Laid = { readonly object: JsonObject; readonly comparison: Comparison; readonly set: FieldSet };

function lay(state: State, all: ReadonlyMap<string, Owner>): Laid {
  const { table, root, before, config, who } = state;
  const set = fieldsOf(table, root, config);
  const merged = mergeTyped(table, root, before, config);
  const last = all.get(identity(applierEntry(who)))?.set ?? EMPTY;
  const others = [...all].filter(([id]) => id !== identity(applierEntry(who))).map(([, owner]) => owner.set);
  const owned = [set, ...others].reduce(union);
  const object = isEmpty(difference(last, owned)) ? merged : pruned(state, merged, last, owned);
  return { object: isObject(object) ? object : {}, comparison: compareFields(table, root, before, object), set };
}

/** Without what this manager owned before and nobody owns now. */
function pruned({ table, root }: State, merged: unknown, last: FieldSet, owned: FieldSet): unknown {
  const named = (set: FieldSet): FieldSet => withNamedFields(table, root, set);
  const fields = named(fieldsOf(table, root, merged));
  const bare = withoutFields(table, root, merged, named(last));
  const kept = union(named(fieldsOf(table, root, bare)), named(owned));
  const withOwned = withoutFields(table, root, merged, difference(fields, kept));
  const gone = difference(fields, named(fieldsOf(table, root, withOwned)));
  return withoutFields(table, root, merged, intersection(gone, named(last)));
}

/** What others own and this would change, but for what kubectl takes over from its own client-side apply. */
function conflictsOf(
  { table, type, who }: State,
  all: ReadonlyMap<string, Owner>,
  { added, modified }: Comparison,
  live: JsonObject,
): readonly Conflict[] {
  const changed = union(modified, added);
  const taken = [...all]
    .filter(([id]) => id !== identity(applierEntry(who)))
    .map(([, { entry, set }]) => ({ entry, set: intersection(set, changed) }));
  const isTakenOver = who.manager === KUBECTL && taken.some(({ set }) => !isEmpty(set));
  const allowed = isTakenOver ? lastApplied(table, type, live) : EMPTY;
  return taken
    .map(({ entry, set }) => ({ ...entry, fields: pathsOf(difference(set, allowed)) }))
    .filter(({ fields }) => fields.length > 0);
}

/** Others lose what was changed, and this manager owns what it says; if that is as it was, its entry stays. */
function handedOver(
  who: Applier,
  all: ReadonlyMap<string, Owner>,
  { set, comparison: { added, modified, removed } }: Laid,
  unchanged: boolean,
): ReadonlyMap<string, Owner> {
  const id = identity(applierEntry(who));
  const last = all.get(id);
  const mine = tracked(set);
  const others = disowned(new Map([...all].filter(([each]) => each !== id)), union(union(added, modified), removed));
  const entry = unchanged && last !== undefined && sameSet(last.set, mine) ? last.entry : applierEntry(who);
  return withOwner(others, entry, () => mine);
}

/** The shared part, with what is not written here as it was, and the type as it was or as the configuration says. */
function assembled(before: JsonObject, config: JsonObject, object: JsonObject, { subresource }: Applier): JsonObject {
  const typed = Object.entries({ ...config, ...before }).filter(([key]) => key === 'apiVersion' || key === 'kind');
  const kept = Object.entries(before).filter(([key]) => key === keptAt(subresource));
  return { ...Object.fromEntries(typed), ...(withoutNulls(object) as JsonObject), ...Object.fromEntries(kept) };
}
