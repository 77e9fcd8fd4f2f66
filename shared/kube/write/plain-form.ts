import { asTime } from '../../domain/base/time.ts';
import { apiVersionOf } from '../../domain/kinds/api-kind.ts';
import type { StoredDocument } from '../../ports/object-store.ts';
import type { FieldError } from '../../schema/object/field-error.ts';
import {
  type Content,
  type PlainForm,
  type PlainManifest,
  type PlainMetadata,
  type PlainShape,
  admitPlain,
  admitPlainUpdate,
} from '../../schema/object/plain-admission.ts';
import type { ApiDeps } from '../http/api-deps.ts';
import type { AdmittedObject, KindForm, ObjectDocument } from './stored-kind.ts';

export type AdmittedPlain = AdmittedObject & { readonly manifest: PlainManifest };

/** What the server adds to a manifest. */
type Standing = {
  readonly uid: string;
  readonly creationTimestamp: string;
  /** The fields that only the server sets. */
  readonly server: Content;
};

/**
 * The form of a kind whose contents users write as a whole.
 *
 * @param further faults that depend on the installation
 */
export const plainForm =
  <T extends PlainShape>(
    form: PlainForm<T>,
    further: (manifest: PlainManifest, deps: ApiDeps) => readonly FieldError[] = () => [],
  ) =>
  (deps: ApiDeps): KindForm<AdmittedPlain> => ({
    admit(document, { uid, ...context }) {
      const admission = admitPlain(form, document, context);
      if (admission.kind !== 'ok') return admission;
      const { manifest, warnings } = admission;
      const errors = further(manifest, deps);
      if (errors.length > 0) return { kind: 'invalid', name: manifest.metadata.name, errors };
      const server = form.serverFields.initially;
      const standing = { uid, creationTimestamp: asTime(deps.clock.now()), server };
      return { kind: 'ok', admitted: { manifest, document: documentOf(manifest, standing) }, warnings };
    },

    admitUpdate({ stored }, document, fieldValidation) {
      const { manifest: before, ...standing } = standingOf(stored.document, form);
      const update = admitPlainUpdate(form, { manifest: before, uid: standing.uid }, document, { fieldValidation });
      if (update.kind !== 'ok') return update;
      const { manifest, warnings, changed } = update;
      const errors = changed === 'nothing' ? [] : further(manifest, deps);
      if (errors.length > 0) return { kind: 'invalid', name: manifest.metadata.name, errors };
      return { kind: 'ok', admitted: { manifest, document: documentOf(manifest, standing) }, warnings, changed };
    },
  });

function documentOf(manifest: PlainManifest, { uid, creationTimestamp, server }: Standing): ObjectDocument {
  const { apiVersion, kind, metadata, content } = manifest;
  return { apiVersion, kind, metadata: { ...metadata, uid, creationTimestamp }, ...content, ...server };
}

/** A stored object as it was admitted: what is stored as this kind was admitted as one. */
function standingOf<T extends PlainShape>(
  document: StoredDocument,
  { resource, serverFields }: PlainForm<T>,
): Standing & { readonly manifest: PlainManifest } {
  const { apiVersion: _version, kind: _kind, metadata, ...fields } = document;
  const { uid, creationTimestamp, ...own } = metadata;
  const entries = Object.entries(fields);
  const isServers = ([name]: readonly [string, unknown]): boolean => serverFields.names.includes(name);
  const content = Object.fromEntries(entries.filter((entry) => !isServers(entry)));
  const server = Object.fromEntries(entries.filter(isServers));
  return {
    manifest: { apiVersion: apiVersionOf(resource), kind: resource.kind, metadata: own as PlainMetadata, content },
    uid,
    creationTimestamp: String(creationTimestamp),
    server,
  };
}
