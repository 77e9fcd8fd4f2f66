import { asTime } from '../../domain/base/time.ts';
import { isCountedKind } from '../../domain/quota/counted-kinds.ts';
import type { ManagedFieldsEntry } from '../../domain/spec/manifest.ts';
import type { ObjectStore, StoredDocument, StoredKind, StoredObject } from '../../ports/object-store.ts';
import type { FieldError } from '../../schema/object/field-error.ts';
import {
  type Content,
  type PlainForm,
  type PlainManifest,
  type PlainShape,
  admitPlain,
  admitPlainUpdate,
} from '../../schema/object/plain-admission.ts';
import { namespaceStanding } from '../../store/namespace-standing.ts';
import type { ApiDeps } from '../http/api-deps.ts';
import type { KubeObject } from '../http/kube-object.ts';
import type { Resource } from '../http/status-error.ts';
import { renderStored } from '../list/stored-objects.ts';
import type { Found, WritableKind } from './writable-kind.ts';

/** An existing object: as shown and as stored. Version 0: it is derived, and not stored. */
export type FoundPlain = Found & { readonly stored: StoredObject };

export type AdmittedPlain = {
  readonly manifest: PlainManifest;
  readonly uid: string;
  readonly creationTimestamp: string;
  /** The fields that only the server sets. */
  readonly server: Content;
};

/** What users write as this kind: it is stored as it is shown. */
export type PlainKind<T extends PlainShape> = {
  readonly stored: StoredKind;
  readonly resource: Resource;
  readonly form: PlainForm<T>;
  /** Faults that depend on the installation; omitted: there are none. */
  readonly further?: (manifest: PlainManifest) => readonly FieldError[];
  readonly objection?: WritableKind<FoundPlain, AdmittedPlain>['objection'];
};

/** How objects of a plain kind are created, changed, and deleted in a store. */
export function plainKind<T extends PlainShape>(
  { stored: kind, resource, form, further = () => [], objection }: PlainKind<T>,
  { objects, clock, quotaCommands }: Pick<ApiDeps, 'clock' | 'quotaCommands'> & { readonly objects: ObjectStore },
): WritableKind<FoundPlain, AdmittedPlain> {
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
      const server = form.serverFields.initially;
      const admitted = { manifest, uid, creationTimestamp: asTime(clock.now()), server };
      return { kind: 'ok', admitted, name: manifest.metadata.name, warnings };
    },

    admitUpdate({ stored }, document, fieldValidation) {
      const standing = standingOf(stored.document, form);
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
      const store = () => objects.commit(kind, { key, was: 0, document: documentOf(admitted, managedFields) });
      const committed = isCountedKind(kind)
        ? await quotaCommands.createObject(kind, admitted.uid, key, store)
        : await store();
      if (committed.kind === 'forbidden') return committed;
      if (committed.kind === 'committed')
        return { kind: 'created', object: shown(admitted, managedFields, committed.version) };
      return { kind: committed.kind === 'lost' ? 'taken' : committed.kind };
    },

    async wouldCreate(admitted) {
      const key = keyOf(admitted);
      const standing = key.namespace === '' ? 'open' : await namespaceStanding(key.namespace, { objects });
      if (standing !== 'open') return { kind: standing };
      if ((await objects.read(kind, key)) !== null) return { kind: 'taken' };
      return isCountedKind(kind) ? quotaCommands.tryObject(kind, admitted.uid, key) : null;
    },

    async replace({ stored }, admitted, managedFields) {
      const document = documentOf(admitted, managedFields);
      const committed = await objects.commit(kind, { key: stored.key, was: stored.version, document });
      return committed.kind === 'committed'
        ? { kind: 'replaced', object: renderStored({ ...stored, version: committed.version, document }) }
        : { kind: 'lost' };
    },

    async remove({ stored: { key, version } }) {
      const removed = await objects.commit(kind, { key, was: version, document: null });
      return { kind: removed.kind === 'committed' ? 'deleted' : 'lost' };
    },
  };
}

const keyOf = ({ manifest: { metadata } }: AdmittedPlain) => ({
  namespace: metadata.namespace ?? '',
  name: metadata.name,
});

/** As it is stored: as it is shown, without its resourceVersion. */
function documentOf(
  { manifest, uid, creationTimestamp, server }: AdmittedPlain,
  managedFields: readonly ManagedFieldsEntry[],
): StoredDocument {
  const { managedFields: _before, ...metadata } = manifest.metadata;
  return {
    apiVersion: manifest.apiVersion,
    kind: manifest.kind,
    metadata: { ...metadata, uid, creationTimestamp, ...(managedFields.length === 0 ? {} : { managedFields }) },
    ...manifest.content,
    ...server,
  };
}

const shown = (admitted: AdmittedPlain, managedFields: readonly ManagedFieldsEntry[], version: number): KubeObject =>
  renderStored({ key: keyOf(admitted), version, document: documentOf(admitted, managedFields) });

/** A stored object as it was admitted: what is stored as this kind was admitted as one. */
function standingOf<T extends PlainShape>(document: StoredDocument, { serverFields }: PlainForm<T>): AdmittedPlain {
  const { apiVersion, kind, metadata, ...fields } = document as unknown as Omit<PlainManifest, 'content'> & {
    readonly metadata: { readonly uid: string; readonly creationTimestamp: string };
  };
  const { uid, creationTimestamp, ...own } = metadata;
  const entries = Object.entries(fields);
  const isServers = ([name]: readonly [string, unknown]): boolean => serverFields.names.includes(name);
  const content = Object.fromEntries(entries.filter((entry) => !isServers(entry)));
  const server = Object.fromEntries(entries.filter(isServers));
  return { manifest: { apiVersion, kind, metadata: own, content }, uid, creationTimestamp, server };
}
