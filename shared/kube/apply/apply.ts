import type { ManagedFieldsEntry } from '../../domain/manifests/manifest.ts';
import type { FieldType, KindTable } from '../../schema/kinds/kind-table.ts';
import type { Conflict } from './apply-conflicts.ts';
import { EMPTY, type FieldSet, difference, intersection, isEmpty, pathsOf, sameSet, union } from './field-set.ts';
import { type JsonObject, isObject, own, sameJson } from '../patch/json-value.ts';
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
import { typedErrors } from './type-errors.ts';
import { mergeTyped, withNamedFields, withoutFields, withoutNulls } from './typed-merge.ts';

export type Applied =
  /** `document` without managedFields. If nothing changed, `entries` is the given list. */
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
  /** The path that is applied to, such as `status`; omitted: the object's own. */
  readonly subresource?: string;
};

/** The manager of fields that existed before anything was applied. */
const BEFORE_FIRST_APPLY = 'before-first-apply';
/** It may take over from the client-side apply of the same tool without a conflict. */
const KUBECTL = 'kubectl';

/**
 * Server-side apply: merges a configuration into an object, removes what this manager applied before and no longer sets (unless
 * another manager owns it), and records who owns what. Changing what others own is a conflict, unless forced
 * (structured-merge-diff, Updater.Apply; apimachinery, managedfields).
 * @param live null: it does not exist yet. With its status; its managedFields are ignored.
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
  const fieldError = configError(table, type, config, who);
  if (fieldError !== null || !isObject(config)) return { kind: 'bad', message: fieldError ?? 'not an object' };
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

/** Why a configuration cannot be applied to any object, in upstream's words. */
function configError(
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
  const errors = typedErrors(table, { is: 'object', of: type }, shared(config, subresource));
  if (errors.length === 0) return null;
  const name = (key: string): string => {
    const value = isObject(metadata) ? own(metadata, key) : undefined;
    return typeof value === 'string' ? value : '';
  };
  const what =
    errors.length === 1 ? errors.join('') : ['errors:', ...errors.map((fieldError) => `  ${fieldError}`)].join('\n');
  return `failed to create typed patch object (${name('namespace')}/${name('name')}; ${apiVersion}, Kind=${type}): ${what}`;
}

/** The object with the configuration applied, what that changes, and the fields that the configuration sets. */
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

/** Without the fields that this manager owned before and no manager owns now. */
function pruned({ table, root }: State, merged: unknown, last: FieldSet, owned: FieldSet): unknown {
  const named = (set: FieldSet): FieldSet => withNamedFields(table, root, set);
  const fields = named(fieldsOf(table, root, merged));
  const bare = withoutFields(table, root, merged, named(last));
  const kept = union(named(fieldsOf(table, root, bare)), named(owned));
  const withOwned = withoutFields(table, root, merged, difference(fields, kept));
  const gone = difference(fields, named(fieldsOf(table, root, withOwned)));
  return withoutFields(table, root, merged, intersection(gone, named(last)));
}

/** What others own and this would change, except what kubectl takes over from its own client-side apply. */
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

/** Others lose what was changed, and this manager owns what it sets; if that is unchanged, its entry stays. */
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

/** The shared part, with the unwritten part unchanged, and the type of the object or of the configuration. */
function assembled(before: JsonObject, config: JsonObject, object: JsonObject, { subresource }: Applier): JsonObject {
  const typed = Object.entries({ ...config, ...before }).filter(([key]) => key === 'apiVersion' || key === 'kind');
  const kept = Object.entries(before).filter(([key]) => key === keptAt(subresource));
  return { ...Object.fromEntries(typed), ...(withoutNulls(object) as JsonObject), ...Object.fromEntries(kept) };
}
