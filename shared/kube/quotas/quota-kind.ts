import { asTime } from '../../domain/base/time.ts';
import { LEDGER_FIELD } from '../../domain/quota/quota-document.ts';
import type { ManagedFieldsEntry } from '../../domain/spec/manifest.ts';
import type { StoredDocument, StoredObject } from '../../ports/object-store.ts';
import { type QuotaManifest, admitQuota, admitQuotaUpdate } from '../../schema/quota/quota-admission.ts';
import { namespaceStanding } from '../../store/namespace-standing.ts';
import type { ApiDeps } from '../http/api-deps.ts';
import type { KubeObject } from '../http/kube-object.ts';
import { RESOURCE_QUOTAS } from '../http/status-error.ts';
import { renderStored } from '../list/stored-objects.ts';
import type { Found, WritableKind } from '../write/writable-kind.ts';

/** An existing ResourceQuota: as shown and as stored. */
export type FoundQuota = Found & { readonly stored: StoredObject };

export type AdmittedQuota = {
  readonly manifest: QuotaManifest;
  readonly uid: string;
  readonly creationTimestamp: string;
  /** What has been counted so far, and what only the server sees; null: nothing has. */
  readonly before: StoredDocument | null;
};

/** ResourceQuotas as users write them. What is used is counted at once when one is created or changed. */
export function quotaKind({ objects, clock, quotaCommands }: ApiDeps): WritableKind<FoundQuota, AdmittedQuota> {
  const counted = async (stored: StoredObject): Promise<KubeObject> => {
    await quotaCommands.count(stored.key.namespace);
    return renderStored((await objects.read('ResourceQuota', stored.key)) ?? stored);
  };

  return {
    resource: RESOURCE_QUOTAS,
    apiVersion: 'v1',
    type: 'ResourceQuota',
    orphans: null,

    async find(key) {
      const stored = await objects.read('ResourceQuota', key);
      return stored === null ? null : { object: renderStored(stored), stored };
    },

    admit(document, { uid, ...context }) {
      const admission = admitQuota(document, context);
      if (admission.kind !== 'ok') return admission;
      const { manifest, warnings } = admission;
      const admitted = { manifest, uid, creationTimestamp: asTime(clock.now()), before: null };
      return { kind: 'ok', admitted, name: manifest.metadata.name, warnings };
    },

    admitUpdate({ stored }, document, fieldValidation) {
      const standing = standingOf(stored.document);
      const update = admitQuotaUpdate(standing, document, { fieldValidation });
      if (update.kind !== 'ok') return update;
      const { manifest, warnings, changed } = update;
      return { kind: 'ok', admitted: { ...standing, manifest }, warnings, changed };
    },

    preview: (admitted) => renderStored({ key: keyOf(admitted), version: 0, document: documentOf(admitted, []) }),

    async create(admitted, managedFields) {
      const key = keyOf(admitted);
      const document = documentOf(admitted, managedFields);
      const committed = await objects.commit('ResourceQuota', { key, was: 0, document });
      if (committed.kind === 'committed')
        return { kind: 'created', object: await counted({ key, version: committed.version, document }) };
      return { kind: committed.kind === 'lost' ? 'taken' : committed.kind };
    },

    async wouldCreate(admitted) {
      const key = keyOf(admitted);
      const standing = await namespaceStanding(key.namespace, { objects });
      if (standing !== 'open') return { kind: standing };
      return (await objects.read('ResourceQuota', key)) === null ? null : { kind: 'taken' };
    },

    async replace({ stored }, admitted, managedFields, changed) {
      const { key, version } = stored;
      const document = documentOf(admitted, managedFields);
      const committed = await objects.commit('ResourceQuota', { key, was: version, document });
      if (committed.kind !== 'committed') return { kind: 'lost' };
      const replaced = { key, version: committed.version, document };
      return { kind: 'replaced', object: changed === 'spec' ? await counted(replaced) : renderStored(replaced) };
    },

    async remove({ stored }) {
      const { key, version } = stored;
      const removed = await objects.commit('ResourceQuota', { key, was: version, document: null });
      return { kind: removed.kind === 'committed' ? 'deleted' : 'lost' };
    },
  };
}

const keyOf = ({ manifest: { metadata } }: AdmittedQuota) => ({ namespace: metadata.namespace, name: metadata.name });

/** As it is stored: as it is shown, without its resourceVersion, and with its ledger. */
function documentOf(
  { manifest, uid, creationTimestamp, before }: AdmittedQuota,
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
    status: before?.['status'] ?? {},
    ...(before?.[LEDGER_FIELD] === undefined ? {} : { [LEDGER_FIELD]: before[LEDGER_FIELD] }),
  };
}

/** A stored ResourceQuota as it was admitted: what is stored as this kind was admitted as one. */
function standingOf(document: StoredDocument): AdmittedQuota {
  const { apiVersion, kind, metadata, spec } = document as unknown as QuotaManifest & {
    readonly metadata: { readonly uid: string; readonly creationTimestamp: string };
  };
  const { uid, creationTimestamp, ...own } = metadata;
  return { manifest: { apiVersion, kind, metadata: own, spec }, uid, creationTimestamp, before: document };
}
