import { asTime } from '../../domain/base/time.ts';
import type { ManagedFieldsEntry } from '../../domain/spec/manifest.ts';
import type { StoredDocument, StoredObject } from '../../ports/object-store.ts';
import { type ServiceManifest, admitService, admitServiceUpdate } from '../../schema/service/service-admission.ts';
import { namespaceStanding } from '../../store/namespace-standing.ts';
import type { ApiDeps } from '../http/api-deps.ts';
import type { KubeObject } from '../http/kube-object.ts';
import { SERVICES } from '../http/status-error.ts';
import { renderStored } from '../list/stored-objects.ts';
import type { Found, WritableKind } from '../write/writable-kind.ts';

/** An existing Service: as shown and as stored. */
export type FoundService = Found & { readonly stored: StoredObject };

export type AdmittedService = {
  readonly manifest: ServiceManifest;
  readonly uid: string;
  readonly creationTimestamp: string;
};

/** Headless Services as users write them. Nothing depends on one, so each is only a document. */
export function serviceKind({ objects, clock }: ApiDeps): WritableKind<FoundService, AdmittedService> {
  return {
    resource: SERVICES,
    apiVersion: 'v1',
    type: 'Service',
    orphans: null,

    async find(key) {
      const stored = await objects.read('Service', key);
      return stored === null ? null : { object: renderStored(stored), stored };
    },

    admit(document, { uid, ...context }) {
      const admission = admitService(document, context);
      if (admission.kind !== 'ok') return admission;
      const { manifest, warnings } = admission;
      const admitted = { manifest, uid, creationTimestamp: asTime(clock.now()) };
      return { kind: 'ok', admitted, name: manifest.metadata.name, warnings };
    },

    admitUpdate({ stored }, document, fieldValidation) {
      const standing = standingOf(stored.document);
      const update = admitServiceUpdate(standing, document, { fieldValidation });
      if (update.kind !== 'ok') return update;
      const { manifest, warnings, changed } = update;
      return { kind: 'ok', admitted: { ...standing, manifest }, warnings, changed };
    },

    preview: (admitted) => shown(admitted, [], 0),

    async create(admitted, managedFields) {
      const document = documentOf(admitted, managedFields);
      const committed = await objects.commit('Service', { key: keyOf(admitted), was: 0, document });
      if (committed.kind === 'committed')
        return { kind: 'created', object: shown(admitted, managedFields, committed.version) };
      return { kind: committed.kind === 'lost' ? 'taken' : committed.kind };
    },

    async wouldCreate(admitted) {
      const key = keyOf(admitted);
      const standing = await namespaceStanding(key.namespace, { objects });
      if (standing !== 'open') return { kind: standing };
      return (await objects.read('Service', key)) === null ? null : { kind: 'taken' };
    },

    async replace({ stored }, admitted, managedFields) {
      const document = documentOf(admitted, managedFields);
      const committed = await objects.commit('Service', { key: stored.key, was: stored.version, document });
      return committed.kind === 'committed'
        ? { kind: 'replaced', object: renderStored({ ...stored, version: committed.version, document }) }
        : { kind: 'lost' };
    },

    async remove({ stored }) {
      const { key, version } = stored;
      const removed = await objects.commit('Service', { key, was: version, document: null });
      return { kind: removed.kind === 'committed' ? 'deleted' : 'lost' };
    },
  };
}

const keyOf = ({ manifest: { metadata } }: AdmittedService) => ({ namespace: metadata.namespace, name: metadata.name });

/** As it is stored: as it is shown, without its resourceVersion. */
function documentOf(
  { manifest, uid, creationTimestamp }: AdmittedService,
  managedFields: readonly ManagedFieldsEntry[],
): StoredDocument {
  const { managedFields: _before, ...metadata } = manifest.metadata;
  return {
    apiVersion: manifest.apiVersion,
    kind: manifest.kind,
    metadata: {
      ...metadata,
      uid,
      creationTimestamp,
      ...(managedFields.length === 0 ? {} : { managedFields }),
    },
    spec: manifest.spec,
    status: { loadBalancer: {} },
  };
}

const shown = (admitted: AdmittedService, managedFields: readonly ManagedFieldsEntry[], version: number): KubeObject =>
  renderStored({ key: keyOf(admitted), version, document: documentOf(admitted, managedFields) });

/** A stored Service as it was admitted: what is stored as this kind was admitted as one. */
function standingOf(document: StoredDocument): AdmittedService {
  const { apiVersion, kind, metadata, spec } = document as unknown as ServiceManifest & {
    readonly metadata: { readonly uid: string; readonly creationTimestamp: string };
  };
  const { uid, creationTimestamp, ...own } = metadata;
  return { manifest: { apiVersion, kind, metadata: own, spec }, uid, creationTimestamp };
}
