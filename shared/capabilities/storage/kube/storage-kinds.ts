import type { Derived, DerivedPorts } from '../../../kube/write/derived-kind.ts';
import { derivedKind } from '../../../kube/write/derived-kind.ts';
import { defineKind } from '../../../kube/write/define-kind.ts';
import { type AdmittedPlain, plainForm } from '../../../kube/write/plain-form.ts';
import type { KindHooks } from '../../../kube/write/stored-kind.ts';
import type { ApiDeps } from '../../../kube/http/api-deps.ts';
import { USUAL_FIELDS } from '../../../kube/list/select-stored.ts';
import type { StoredObject } from '../../../ports/object-store.ts';
import { hostFolderErrors } from '../../../schema/pod/host-path-rules.ts';
import type { FieldError } from '../../../schema/object/field-error.ts';
import type { PlainManifest } from '../../../schema/object/plain-admission.ts';
import { STANDARD } from '../domain/standard-class.ts';
import { claimIn, volumeIn } from '../domain/storage-objects.ts';
import { CLAIM_FORM } from '../schema/claim-form.ts';
import { STORAGE_CLASS_FORM } from '../schema/storage-class-form.ts';
import { VOLUME_FORM } from '../schema/volume-form.ts';
import { readStandard } from '../store/read-classes.ts';
import { CLAIM_PRINTER, STORAGE_CLASS_PRINTER, VOLUME_PRINTER } from './storage-printers.ts';

/** `v1` PersistentVolumeClaims. A claim is bound as soon as it is there, if something fits. */
export const CLAIM_KIND = defineKind<AdmittedPlain>({
  resource: 'PersistentVolumeClaim',
  form: plainForm(CLAIM_FORM),
  printer: CLAIM_PRINTER,
  fields: { ...USUAL_FIELDS },
  hooks: (deps) => {
    const { storage } = deps.commands;
    const settle = async (claim: StoredObject): Promise<StoredObject> =>
      (await orLater(async () => storage.claimChanged(claim.key), deps)) ?? claim;
    return {
      afterCreate: settle,
      afterReplace: async (_was, is) => settle(is),
      async afterRemove({ document }) {
        await orLater(async () => storage.claimRemoved(claimIn(document).spec.volumeName ?? ''), deps);
      },
    };
  },
});

/** `v1` PersistentVolumes. */
export const VOLUME_KIND = defineKind<AdmittedPlain>({
  resource: 'PersistentVolume',
  form: plainForm(VOLUME_FORM, folderErrors),
  printer: VOLUME_PRINTER,
  hooks: (deps) => {
    const { storage } = deps.commands;
    const settle = async (volume: StoredObject): Promise<StoredObject> =>
      (await orLater(async () => storage.volumeChanged(volume.key), deps)) ?? volume;
    return {
      afterCreate: settle,
      afterReplace: async (_was, is) => settle(is),
      async afterRemove({ document }) {
        const { claimRef } = volumeIn(document).spec;
        if (claimRef !== undefined) await orLater(async () => storage.claimChanged(claimRef), deps);
      },
    };
  },
});

/** `storage.k8s.io/v1` StorageClasses. A machine has one of its own. */
export const STORAGE_CLASS_KIND = derivedKind({
  resource: 'StorageClass',
  form: plainForm(STORAGE_CLASS_FORM),
  printer: STORAGE_CLASS_PRINTER,
  derived: standardOf,
  after: (deps): Pick<KindHooks<AdmittedPlain>, 'afterCreate' | 'afterReplace'> => {
    const look = async (is: StoredObject): Promise<StoredObject> => {
      await orLater(async () => deps.commands.storage.lookAtClaims(), deps);
      return is;
    };
    return { afterCreate: look, afterReplace: async (_was, is) => look(is) };
  },
});

function standardOf({ objects, commands: { storage } }: DerivedPorts): Derived {
  return {
    whyKept: () => null,
    read: async ({ name }) => (name === STANDARD && storage.hasFolders ? readStandard(objects) : null),
    list: async () => (storage.hasFolders ? [await readStandard(objects)] : []),
  };
}

/** What follows a change that is made: if it fails, the sweep does it. */
async function orLater<T>(follow: () => Promise<T>, { telemetry }: Pick<ApiDeps, 'telemetry'>): Promise<T | null> {
  try {
    return await follow();
  } catch (error) {
    telemetry.warn('storage not settled', { error: String(error) });
    return null;
  }
}

/** Folders that are volumes, by the rules for those that Pods mount themselves. That of its claim is a volume's own. */
function folderErrors({ metadata, content }: PlainManifest, deps: ApiDeps): readonly FieldError[] {
  const { hostFolders, commands } = deps;
  const volume = volumeIn({ ...content, metadata });
  const { spec } = volume;
  if (spec.hostPath !== undefined && spec.hostPath.path === commands.storage.folderOf(volume)) return [];
  return (['hostPath', 'local'] as const).flatMap((name) => {
    const source = spec[name];
    return source === undefined
      ? []
      : hostFolderErrors(`spec.${name}`, { path: source.path, type: source.type }, hostFolders);
  });
}
