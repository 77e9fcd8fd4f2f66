import { terminating, isTerminating, type NamespaceDocument } from '../../domain/spec/namespace.ts';
import type { ManagedFieldsEntry } from '../../domain/spec/manifest.ts';
import {
  type NamespaceUpdate,
  admitNamespace,
  admitNamespaceUpdate,
} from '../../schema/namespace/namespace-admission.ts';
import { defaultAccountOf } from '../../store/default-account.ts';
import type { ApiDeps } from '../http/api-deps.ts';
import type { KubeObject } from '../http/kube-object.ts';
import { API_KINDS } from '../../domain/kinds/api-kinds.ts';
import { renderStored } from '../list/stored-objects.ts';
import type { AdmittedUpdate, Found, Subresource, WritableKind } from '../write/writable-kind.ts';

/** An existing namespace: as shown and as stored. */
export type FoundNamespace = Found & { readonly document: NamespaceDocument; readonly version: number };

/** Namespaces as users write them. */
export function namespaceKind(deps: ApiDeps): WritableKind<FoundNamespace, NamespaceDocument> {
  const { objects, clock, emptyNamespace } = deps;

  return {
    resource: API_KINDS.Namespace,
    apiVersion: 'v1',
    type: 'Namespace',
    orphans: 'everything in a namespace goes with it',

    async find({ name }) {
      const found = await objects.read('Namespace', keyOf(name));
      if (found === null) return null;
      return { object: renderStored(found), document: asNamespace(found.document), version: found.version };
    },

    admit(document, { uid, nameSuffix, fieldValidation }) {
      const admission = admitNamespace(document, { uid, nameSuffix, fieldValidation, at: clock.now() });
      if (admission.kind !== 'ok') return admission;
      const { document: admitted, warnings } = admission;
      return { kind: 'ok', admitted, name: admitted.metadata.name, warnings };
    },

    admitUpdate: ({ document: stored }, document, fieldValidation) =>
      updated(admitNamespaceUpdate(stored, document, { fieldValidation })),

    preview: (document) => shown(document, 0),

    async create(admitted, managedFields) {
      const document = managed(admitted, managedFields);
      const stored = await objects.commit('Namespace', { key: keyOf(document.metadata.name), was: 0, document });
      if (stored.kind !== 'committed') return { kind: 'taken' };
      await storeDefaultAccount(document, stored.version, deps);
      return { kind: 'created', object: shown(document, stored.version) };
    },

    async wouldCreate({ metadata }) {
      return (await objects.read('Namespace', keyOf(metadata.name))) === null ? null : { kind: 'taken' };
    },

    async replace({ version, document: { metadata } }, admitted, managedFields) {
      const document = managed(admitted, managedFields);
      const key = keyOf(metadata.name);
      const stored = await objects.commit('Namespace', { key, was: version, document });
      if (stored.kind !== 'committed')
        return { kind: (await objects.read('Namespace', key)) === null ? 'gone' : 'lost' };
      // Its last finalizer may be what it waited for.
      if (isTerminating(document)) await emptyNamespace(metadata.name);
      return { kind: 'replaced', object: shown(document, stored.version) };
    },

    async remove({ version, document, object }) {
      const { name } = document.metadata;
      const marked = terminating(document, clock.now());
      let seen = object;
      if (marked !== document) {
        const stored = await objects.commit('Namespace', { key: keyOf(name), was: version, document: marked });
        if (stored.kind !== 'committed') return { kind: 'lost' };
        seen = shown(marked, stored.version);
      }
      await emptyNamespace(name);
      return { kind: 'terminating', object: seen };
    },
  };
}

/**
 * Stores the ServiceAccount of a new namespace, so that watches hear of it. Everybody else sees it without that, too. A release
 * before would not delete it with its namespace.
 */
async function storeDefaultAccount(
  document: NamespaceDocument,
  version: number,
  { objects, formats = 'current' }: Pick<ApiDeps, 'objects' | 'formats'>,
): Promise<void> {
  if (formats === 'previous') return;
  const account = defaultAccountOf({ key: keyOf(document.metadata.name), version, document });
  await objects.commit('ServiceAccount', { key: account.key, was: 0, document: account.document });
}

/** A part of namespaces that has a path of its own: their status, or their finalizers. */
export function namespacePart(
  deps: ApiDeps,
  subresource: 'status' | 'finalize',
): Subresource<FoundNamespace, NamespaceDocument> {
  const whole = namespaceKind(deps);
  return {
    resource: whole.resource,
    apiVersion: whole.apiVersion,
    type: whole.type,
    subresource,
    find: (key, published) => whole.find(key, published),
    admitUpdate: ({ document: stored }, document, fieldValidation) =>
      updated(admitNamespaceUpdate(stored, document, { fieldValidation, part: subresource })),
    preview: (admitted) => whole.preview(admitted),
    replace: (found, admitted, managedFields, changed, user) =>
      whole.replace(found, admitted, managedFields, changed, user),
  };
}

function updated(update: NamespaceUpdate): AdmittedUpdate<NamespaceDocument> {
  if (update.kind !== 'ok') return update;
  const { document: admitted, warnings, changed } = update;
  return { kind: 'ok', admitted, warnings, changed };
}

const keyOf = (name: string) => ({ namespace: '', name });

/** What is stored as this kind was admitted as one. */
const asNamespace = (document: unknown): NamespaceDocument => document as NamespaceDocument;

const shown = (document: NamespaceDocument, version: number): KubeObject =>
  renderStored({ key: keyOf(document.metadata.name), version, document });

function managed(document: NamespaceDocument, managedFields: readonly ManagedFieldsEntry[]): NamespaceDocument {
  const { managedFields: _before, ...metadata } = document.metadata;
  return { ...document, metadata: managedFields.length === 0 ? metadata : { ...metadata, managedFields } };
}
