import { asTime } from '../../domain/base/time.ts';
import type { ManagedFieldsEntry } from '../../domain/spec/manifest.ts';
import type { StoredDocument, StoredKind, StoredObject } from '../../ports/object-store.ts';
import type { FieldError } from '../../schema/object/field-error.ts';
import {
  type PlainForm,
  type PlainManifest,
  type PlainShape,
  admitPlain,
  admitPlainUpdate,
} from '../../schema/rbac/plain-admission.ts';
import { namespaceStanding } from '../../store/namespace-standing.ts';
import type { ApiDeps } from '../http/api-deps.ts';
import type { KubeObject } from '../http/kube-object.ts';
import type { Resource } from '../http/status-error.ts';
import { renderStored } from '../list/stored-objects.ts';
import type { Found, WritableKind } from '../write/writable-kind.ts';
import { isDefaultPolicy, withDerived } from './derived-objects.ts';

/** An existing object: as shown and as stored. Version 0: it is derived, and not stored. */
export type FoundPlain = Found & { readonly stored: StoredObject };

export type AdmittedPlain = {
  readonly manifest: PlainManifest;
  readonly uid: string;
  readonly creationTimestamp: string;
};

/** What users write as this kind: it is stored as it is shown, and has no status. */
export type PlainKind<T extends PlainShape> = {
  readonly stored: StoredKind;
  readonly resource: Resource;
  readonly form: PlainForm<T>;
  /** Faults that depend on the installation; omitted: there are none. */
  readonly further?: (manifest: PlainManifest) => readonly FieldError[];
  readonly objection: WritableKind<FoundPlain, AdmittedPlain>['objection'];
};

/** How objects of a plain kind are created, changed, and deleted. */
export function plainKind<T extends PlainShape>(
  { stored: kind, resource, form, further = () => [], objection }: PlainKind<T>,
  deps: ApiDeps,
): WritableKind<FoundPlain, AdmittedPlain> {
  const { clock } = deps;
  const objects = withDerived(deps);
  return {
    resource,
    apiVersion: form.apiVersion,
    type: form.kind,
    orphans: null,
    ...(objection === undefined ? {} : { objection }),

    async find(key) {
      const stored = await objects.read(kind, key);
      return stored === null ? null : { object: renderStored(stored), stored };
    },

    admit(document, { uid, ...context }) {
      const admission = admitPlain(form, document, context);
      if (admission.kind !== 'ok') return admission;
      const { manifest, warnings } = admission;
      const errors = further(manifest);
      if (errors.length > 0) return { kind: 'invalid', name: manifest.metadata.name, errors };
      const admitted = { manifest, uid, creationTimestamp: asTime(clock.now()) };
      return { kind: 'ok', admitted, name: manifest.metadata.name, warnings };
    },

    admitUpdate({ stored }, document, fieldValidation) {
      const standing = standingOf(stored.document);
      const update = admitPlainUpdate(form, standing, document, { fieldValidation });
      if (update.kind !== 'ok') return update;
      const { manifest, warnings, changed } = update;
      const errors = changed === 'nothing' ? [] : further(manifest);
      if (errors.length > 0) return { kind: 'invalid', name: manifest.metadata.name, errors };
      return { kind: 'ok', admitted: { ...standing, manifest }, warnings, changed };
    },

    preview: (admitted) => shown(admitted, [], 0),

    async create(admitted, managedFields) {
      const key = keyOf(admitted);
      if ((await objects.read(kind, key)) !== null) return { kind: 'taken' };
      const committed = await objects.commit(kind, { key, was: 0, document: documentOf(admitted, managedFields) });
      if (committed.kind === 'committed')
        return { kind: 'created', object: shown(admitted, managedFields, committed.version) };
      return { kind: committed.kind === 'lost' ? 'taken' : committed.kind };
    },

    async wouldCreate(admitted) {
      const key = keyOf(admitted);
      const standing = key.namespace === '' ? 'open' : await namespaceStanding(key.namespace, { objects });
      if (standing !== 'open') return { kind: standing };
      return (await objects.read(kind, key)) === null ? null : { kind: 'taken' };
    },

    async replace({ stored }, admitted, managedFields) {
      const document = documentOf(admitted, managedFields);
      const committed = await objects.commit(kind, { key: stored.key, was: stored.version, document });
      return committed.kind === 'committed'
        ? { kind: 'replaced', object: renderStored({ ...stored, version: committed.version, document }) }
        : { kind: 'lost' };
    },

    async remove({ stored: { key, version } }) {
      // What is derived is there again at once.
      if (version === 0 || isDefaultPolicy(kind, key)) return { kind: 'deleted' };
      const removed = await objects.commit(kind, { key, was: version, document: null });
      if (removed.kind !== 'committed') return { kind: 'lost' };
      const derived = await objects.read(kind, key);
      // Watches hear of it, as in a cluster, where a controller creates it again.
      if (derived?.version === 0) await objects.commit(kind, { key, was: 0, document: derived.document });
      return { kind: 'deleted' };
    },
  };
}

const keyOf = ({ manifest: { metadata } }: AdmittedPlain) => ({
  namespace: metadata.namespace ?? '',
  name: metadata.name,
});

/** As it is stored: as it is shown, without its resourceVersion. */
function documentOf(
  { manifest, uid, creationTimestamp }: AdmittedPlain,
  managedFields: readonly ManagedFieldsEntry[],
): StoredDocument {
  const { managedFields: _before, ...metadata } = manifest.metadata;
  return {
    apiVersion: manifest.apiVersion,
    kind: manifest.kind,
    metadata: { ...metadata, uid, creationTimestamp, ...(managedFields.length === 0 ? {} : { managedFields }) },
    ...manifest.content,
  };
}

const shown = (admitted: AdmittedPlain, managedFields: readonly ManagedFieldsEntry[], version: number): KubeObject =>
  renderStored({ key: keyOf(admitted), version, document: documentOf(admitted, managedFields) });

/** A stored object as it was admitted: what is stored as this kind was admitted as one. */
function standingOf(document: StoredDocument): AdmittedPlain {
  const { apiVersion, kind, metadata, ...content } = document as unknown as Omit<PlainManifest, 'content'> & {
    readonly metadata: { readonly uid: string; readonly creationTimestamp: string };
  };
  const { uid, creationTimestamp, ...own } = metadata;
  return { manifest: { apiVersion, kind, metadata: own, content }, uid, creationTimestamp };
}
