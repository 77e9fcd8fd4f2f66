import type { Context } from 'hono';
import type { ManagedFieldsEntry } from '../../domain/manifests/manifest.ts';
import { KINDS } from '../../schema/kinds/kinds.ts';
import type { ApiDeps } from '../http/api-deps.ts';
import { newFieldErrors } from '../../schema/object/new-field-rules.ts';
import { noteStoredName } from '../http/request-notes.ts';
import { tooLargeError } from '../http/object-size.ts';
import { managedAfterUpdate } from '../apply/managed-fields.ts';
import { type StatusError, beingDeleted, errorResponse, forbiddenObject, invalidObject } from '../http/status-error.ts';
import { whoWrites } from './change-object.ts';
import { readDocument } from './read-document.ts';
import { notAdmitted, notCreated } from './refused-write.ts';
import { withWarnings } from '../http/warnings.ts';
import type { Created, FoundObject, ObjectName, WritableKind } from './writable-kind.ts';
import { type WriteRequest, writeOptions } from './write-options.ts';

/** Answers `POST`: the object is stored, with every default, or nothing is. */
export async function createObject<F extends FoundObject, A>(
  c: Context,
  kind: WritableKind<F, A>,
  namespace: string,
  show: (object: Created & { kind: 'created' }) => Response,
  deps: ApiDeps,
): Promise<Response> {
  const options = writeOptions(c, 'CreateOptions');
  if (options.kind === 'bad') return errorResponse(options.error);
  const request = { ...options.value, user: deps.callerOf(c) };
  const sent = await readDocument(c, kind, options.value.fieldValidation);
  if (sent.kind === 'bad') return errorResponse(sent.error);
  const stored = await storeNew(
    kind,
    sent.value.value,
    { namespace, name: '', isNamed: isNamed(sent.value.value) },
    request,
    deps,
    (admitted) => {
      const said = kind.withoutGenerated?.(admitted) ?? kind.preview(admitted);
      return managedAfterUpdate(KINDS, kind.type, null, said, [], whoWrites(kind, request, deps));
    },
  );
  if (stored.kind === 'refused') return errorResponse(stored.error);
  noteStoredName(c, stored.created.object.metadata.name);
  return withWarnings(show(stored.created), [...sent.value.warnings, ...stored.warnings]);
}

/** A name from `generateName` that is taken is generated again, as in Kubernetes. */
const NAMES_TRIED_MAX = 8;

type Stored =
  | {
      readonly kind: 'stored';
      readonly created: Created & { readonly kind: 'created' };
      readonly warnings: readonly string[];
    }
  | { readonly kind: 'refused'; readonly error: StatusError };

/**
 * Admits a new object and stores it, unless it is a dry run.
 *
 * @param at `name`: that of the request's path; '': it has none
 */
export async function storeNew<F extends FoundObject, A>(
  kind: WritableKind<F, A>,
  document: unknown,
  { isNamed: named, ...at }: ObjectName & { readonly isNamed: boolean },
  { dryRun, fieldValidation, user }: Pick<WriteRequest, 'dryRun' | 'fieldValidation' | 'user'>,
  deps: ApiDeps,
  managedFieldsOf: (admitted: A) => readonly ManagedFieldsEntry[],
): Promise<Stored> {
  const { namespace } = at;
  for (let tried = 1; ; tried++) {
    const uid = deps.newUid();
    const admission = await kind.admit(document, { namespace, uid, nameSuffix: suffixOf(uid), fieldValidation });
    if (admission.kind !== 'ok') return { kind: 'refused', error: notAdmitted(kind.resource, admission) };
    const { admitted, name, warnings } = admission;
    const objection = await kind.objection?.({ user, at, found: null, admitted, changed: 'spec' });
    if (objection) return { kind: 'refused', error: objection };
    const preview = kind.preview(admitted);
    const early = newFieldErrors(preview, null, deps.formats ?? 'current');
    if (early.length > 0) return { kind: 'refused', error: invalidObject(kind.resource, name, early) };
    const managedFields = managedFieldsOf(admitted);
    const tooLarge = tooLargeError(preview, managedFields, kind.resource);
    if (tooLarge !== null) return { kind: 'refused', error: tooLarge };
    const created = dryRun
      ? await tryOut(kind, admitted, managedFields)
      : await kind.create(admitted, managedFields, user);
    if (created.kind === 'created') return { kind: 'stored', created, warnings };
    if (created.kind === 'invalid')
      return { kind: 'refused', error: invalidObject(kind.resource, name, created.errors) };
    if (created.kind === 'forbidden')
      return { kind: 'refused', error: forbiddenObject(kind.resource, name, created.why) };
    if (created.kind === 'taken' && named) {
      const standing = await kind.find({ namespace, name }, false);
      if (standing?.object.metadata.deletionTimestamp !== undefined)
        return { kind: 'refused', error: beingDeleted(kind.resource, name) };
    }
    if (created.kind !== 'taken' || named || tried === NAMES_TRIED_MAX)
      return { kind: 'refused', error: notCreated(kind.resource, { namespace, name }, created.kind) };
  }
}

async function tryOut<F extends FoundObject, A>(
  kind: WritableKind<F, A>,
  admitted: A,
  managedFields: readonly ManagedFieldsEntry[],
): Promise<Created> {
  const tried = await kind.wouldCreate(admitted);
  if (tried !== null && tried.kind !== 'fits') return tried;
  const preview = tried?.object ?? kind.preview(admitted);
  // Nothing was stored, so there is no version.
  const { resourceVersion: _none, ...metadata } = { ...preview.metadata, managedFields };
  return { kind: 'created', object: { ...preview, metadata: { ...metadata, resourceVersion: '' } } };
}

/** Kubernetes' letters for generated names: without vowels, so that no words result. */
const LETTERS = 'bcdfghjklmnpqrstvwxz2456789';

/** Five letters from a random UUID's first digits: as random, without another source of randomness. */
function suffixOf(uid: string): string {
  let rest = Number.parseInt(uid.slice(0, 8), 16);
  let word = '';
  for (let i = 0; i < 5; i++) {
    word += LETTERS.charAt(rest % LETTERS.length);
    rest = Math.floor(rest / LETTERS.length);
  }
  return word;
}

/** It has a name, so another cannot be generated. */
function isNamed(document: unknown): boolean {
  if (typeof document !== 'object' || document === null || !('metadata' in document)) return true;
  const { metadata } = document;
  if (typeof metadata !== 'object' || metadata === null || !('name' in metadata)) return false;
  return metadata.name !== '' && metadata.name !== null;
}
