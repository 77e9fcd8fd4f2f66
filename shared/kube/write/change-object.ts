import { asTime } from '../../domain/base/time.ts';
import type { ManagedFieldsEntry } from '../../domain/manifests/manifest.ts';
import { KINDS } from '../../schema/kinds/kinds.ts';
import { REDACTED } from '../../schema/object/field-error.ts';
import type { Extent } from '../../schema/object/object-update.ts';
import type { ApiDeps } from '../http/api-deps.ts';
import type { KubeObject } from '../http/kube-object.ts';
import { newFieldErrors } from '../../schema/object/new-field-rules.ts';
import { tooLargeError } from '../http/object-size.ts';
import { entriesForUpdate } from '../apply/decode-managed-fields.ts';
import { managedAfterUpdate } from '../apply/managed-fields.ts';
import { type StatusError, conflict, forbiddenObject, invalidObject, notFound } from '../http/status-error.ts';
import { notAdmitted } from './refused-write.ts';
import type { Changeable, FoundObject, ObjectName } from './writable-kind.ts';
import type { WriteOptions, WriteRequest } from './write-options.ts';
import { tryOnConflict } from '../../store/retry-on-conflict.ts';

export type Changed =
  | { readonly kind: 'ok'; readonly object: KubeObject; readonly warnings: readonly string[]; readonly isNew: boolean }
  | { readonly kind: 'refused'; readonly error: StatusError };

/** The result for an object: a whole new document, and its managers. */
export type ChangeRequest = {
  readonly document: unknown;
  /** Sent instead of the document. */
  readonly patch?: unknown;
  /** How fields are managed afterwards, if the request itself says so; otherwise the writer manages what it changed. */
  readonly managedFields?: (after: KubeObject) => readonly ManagedFieldsEntry[];
};

export type ChangeDecision<F extends FoundObject> = (
  found: F,
) =>
  | { readonly kind: 'wish'; readonly wanted: ChangeRequest }
  | { readonly kind: 'refused'; readonly error: StatusError };

/** A client that gives no version means "whatever exists"; other writers may have been faster this often. */
const TRIES_MAX = 10;

/**
 * Changes an object: read it, apply the request, admit the result, then one conditional write; all of it again if another
 * writer was faster. A request that changes nothing is not stored, and the times stay.
 */
export async function changeObject<F extends FoundObject, A>(
  kind: Changeable<F, A>,
  key: ObjectName,
  decide: ChangeDecision<F>,
  options: WriteRequest,
  deps: ApiDeps,
): Promise<Changed> {
  const { resource } = kind;
  const outcome = await tryOnConflict(TRIES_MAX, async (): Promise<Changed | 'conflict'> => {
    const found = await kind.find(key, true);
    if (found === null) return { kind: 'refused', error: notFound(resource, key.name) };
    const decision = decide(found);
    if (decision.kind === 'refused') return decision;
    const { document, managedFields: asked } = decision.wanted;
    const stale = staleness(kind, found.object, document);
    if (stale !== null) return { kind: 'refused', error: stale };
    const update = kind.admitUpdate(found, document, options.fieldValidation);
    if (update.kind !== 'ok') return { kind: 'refused', error: notAdmitted(resource, update, decision.wanted.patch) };
    const { admitted, warnings, changed } = update;
    const objection = await kind.objection?.({ user: options.user, at: key, found, admitted, changed });
    if (objection) return { kind: 'refused', error: objection };
    const stored = found.object.metadata.managedFields ?? [];
    const who = whoWrites(kind, options, deps);
    const after = kind.preview(admitted);
    const early = newFieldErrors(after, found.object, deps.formats ?? 'current');
    if (early.length > 0) return { kind: 'refused', error: invalidObject(resource, key.name, early) };
    const managedFields =
      asked?.(after) ??
      managedAfterUpdate(KINDS, kind.type, found.object, after, entriesSent(document, stored, who.time), who);
    if (changed === 'nothing' && isSaidBefore(managedFields, stored))
      return { kind: 'ok', object: found.object, warnings, isNew: false };
    const tooLarge = tooLargeError(after, managedFields, resource);
    if (tooLarge !== null) return { kind: 'refused', error: tooLarge };
    const unfit = options.dryRun ? await kind.wouldReplace?.(found, admitted) : undefined;
    if (unfit) return { kind: 'refused', error: forbiddenObject(resource, key.name, unfit.why) };
    if (options.dryRun)
      return { kind: 'ok', object: wouldBe(kind, found.object, after, managedFields, changed), warnings, isNew: false };
    const extent = changed === 'spec' ? 'spec' : 'metadata';
    const replaced = await kind.replace(found, admitted, managedFields, extent, options.user);
    if (replaced.kind === 'gone') return { kind: 'refused', error: notFound(resource, key.name) };
    if (replaced.kind === 'invalid')
      return { kind: 'refused', error: invalidObject(resource, key.name, replaced.errors) };
    if (replaced.kind === 'forbidden')
      return { kind: 'refused', error: forbiddenObject(resource, key.name, replaced.why) };
    if (replaced.kind === 'lost') return 'conflict';
    return { kind: 'ok', object: replaced.object, warnings, isNew: false };
  });
  if (outcome !== 'conflict') return outcome;
  return { kind: 'refused', error: conflict(resource, key.name, MODIFIED) };
}

/** The manager, and the time, of fields that a request writes. */
export const whoWrites = <F extends FoundObject, A>(
  { apiVersion, subresource }: Changeable<F, A>,
  { manager }: Pick<WriteOptions, 'manager'>,
  { clock }: Pick<ApiDeps, 'clock'>,
) => ({
  manager,
  apiVersion,
  time: asTime(clock.now()),
  ...(subresource === undefined ? {} : { subresource }),
});

/** Whether the same managers have set the same fields, at any time: a configuration may differ only in defaults. */
const isSaidBefore = (one: readonly ManagedFieldsEntry[], other: readonly ManagedFieldsEntry[]): boolean =>
  JSON.stringify(one.map(timeless)) === JSON.stringify(other.map(timeless));
const timeless = ({ time: _time, ...entry }: ManagedFieldsEntry) => entry;

const MODIFIED = 'the object has been modified; please apply your changes to the latest version and try again';

/** Optimistic concurrency: a document that names a version or a uid means exactly that one (409 otherwise). */
function staleness<F extends FoundObject, A>(
  { resource }: Changeable<F, A>,
  { metadata: { name, uid, resourceVersion } }: KubeObject,
  document: unknown,
): StatusError | null {
  const given = metadataOf(document);
  if (isText(given['uid']) && given['uid'] !== uid) {
    const said = resource.isConfidential === true ? REDACTED : given['uid'];
    const why = `Precondition failed: UID in precondition: ${said}, UID in object meta: ${uid}`;
    return conflict(resource, name, why);
  }
  if (isText(given['resourceVersion']) && given['resourceVersion'] !== resourceVersion)
    return conflict(resource, name, MODIFIED);
  return null;
}

/** A document may say who manages its fields, as clients do that migrate from one way to another, or reset them. */
function entriesSent(
  document: unknown,
  stored: readonly ManagedFieldsEntry[],
  time: string,
): readonly ManagedFieldsEntry[] {
  const sent = metadataOf(document)['managedFields'];
  return JSON.stringify(sent) === JSON.stringify(stored) ? stored : entriesForUpdate(sent, stored, time);
}

const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';

/** An object's metadata, if it has any. */
export function metadataOf(document: unknown): Readonly<Record<string, unknown>> {
  if (typeof document !== 'object' || document === null || !('metadata' in document)) return {};
  const { metadata } = document;
  return typeof metadata === 'object' && metadata !== null ? { ...metadata } : {};
}

/** What a dry run shows: the object with its changes, and what only the server knows of it. */
function wouldBe<F extends FoundObject, A>(
  { subresource }: Changeable<F, A>,
  stored: KubeObject,
  preview: KubeObject,
  managedFields: readonly ManagedFieldsEntry[],
  changed: Extent,
): KubeObject {
  const { generation, creationTimestamp, resourceVersion, deletionTimestamp } = stored.metadata;
  return {
    ...preview,
    metadata: {
      ...preview.metadata,
      resourceVersion,
      creationTimestamp,
      ...(deletionTimestamp === undefined ? {} : { deletionTimestamp }),
      ...(generation === undefined ? {} : { generation: generation + (changed === 'spec' ? 1 : 0) }),
      managedFields,
    },
    ...(subresource !== 'status' && 'status' in stored ? { status: stored['status'] } : {}),
  };
}
