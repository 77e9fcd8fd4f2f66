import {
  DEFAULT_NAMESPACE,
  type NamespaceDocument,
  isTerminating,
  terminating,
} from '../../domain/manifests/namespace.ts';
import { FIRST_OBJECTS } from '../../capabilities/lists/served.ts';
import type { StoredObject } from '../../ports/object-store.ts';
import {
  type NamespaceUpdate,
  admitNamespace,
  admitNamespaceUpdate,
} from '../../schema/namespace/namespace-admission.ts';
import { defaultAccountOf } from '../../store/default-account.ts';
import type { ApiDeps } from '../http/api-deps.ts';
import type { KubeObject } from '../http/kube-object.ts';
import { at, words } from '../list/stored-field.ts';
import { defineKind } from '../write/define-kind.ts';
import type { KindForm, KindHooks } from '../write/stored-kind.ts';
import type { AdmittedUpdate } from '../write/writable-kind.ts';
import { NAMESPACE_PRINTER } from './namespace-printer.ts';

type AdmittedNamespace = { readonly document: NamespaceDocument };

/** `v1` Namespaces. */
export const NAMESPACE_KIND = defineKind<AdmittedNamespace>({
  resource: 'Namespace',
  form: formOf,
  printer: NAMESPACE_PRINTER,
  hooks: hooksOf,
  subresources: [
    ['status', admitPart('status')],
    ['finalize', admitPart('finalize')],
  ],
  orphans: 'everything in a namespace goes with it',
  fields: {
    'metadata.name': ({ metadata }) => metadata.name,
    'status.phase': phaseOf,
    name: ({ metadata }) => metadata.name,
  },
  // A namespace goes from Active to Terminating, and never back.
  before: (object) => ({ ...object, status: { phase: 'Active' } }),
});

function formOf({ clock }: ApiDeps): KindForm<AdmittedNamespace> {
  return {
    admit(document, { uid, nameSuffix, fieldValidation }) {
      const admission = admitNamespace(document, { uid, nameSuffix, fieldValidation, at: clock.now() });
      if (admission.kind !== 'ok') return admission;
      const { document: admitted, warnings } = admission;
      return { kind: 'ok', admitted: { document: admitted }, warnings };
    },
    admitUpdate: admitPart('itself'),
  };
}

/** A change of a whole namespace, or of a part that has a path of its own. */
function admitPart(part: 'itself' | 'status' | 'finalize'): KindForm<AdmittedNamespace>['admitUpdate'] {
  return ({ stored }, document, fieldValidation) =>
    updated(admitNamespaceUpdate(asNamespace(stored), document, { fieldValidation, part }));
}

function updated(update: NamespaceUpdate): AdmittedUpdate<AdmittedNamespace> {
  if (update.kind !== 'ok') return update;
  const { document, warnings, changed } = update;
  return { kind: 'ok', admitted: { document }, warnings, changed };
}

function hooksOf(deps: ApiDeps): KindHooks<AdmittedNamespace> {
  const { objects, clock, emptyNamespace } = deps;
  return {
    mayNotDelete: (name) => (name === DEFAULT_NAMESPACE ? 'this namespace may not be deleted' : null),
    async afterCreate(created) {
      await storeFirstObjects(created, deps);
      return created;
    },
    async afterReplace(_was, is) {
      // Its last finalizer may be what it waited for.
      if (isTerminating(is.document)) await emptyNamespace(is.key.name);
      return is;
    },
    async beforeRemove(stored) {
      const { key, version } = stored;
      let seen = stored;
      if (!isTerminating(stored.document)) {
        const document = terminating(asNamespace(stored), clock.now());
        const marked = await objects.commit('Namespace', { key, was: version, document });
        if (marked.kind !== 'committed') return { kind: 'lost' };
        seen = { key, version: marked.version, document };
      }
      await emptyNamespace(key.name);
      return { kind: 'terminating', object: seen };
    },
  };
}

/**
 * Stores the ServiceAccount of a new namespace, and what else each has, so that watches hear of it. Everybody else sees it without
 * that, too. A release before would not delete it with its namespace.
 */
async function storeFirstObjects(
  namespace: StoredObject,
  { objects, formats = 'current' }: Pick<ApiDeps, 'objects' | 'formats'>,
): Promise<void> {
  if (formats === 'previous') return;
  const account = { kind: 'ServiceAccount', object: defaultAccountOf(namespace) } as const;
  for (const { kind, object } of [account, ...FIRST_OBJECTS.map((of) => of(namespace))])
    await objects.commit(kind, { key: object.key, was: 0, document: object.document });
}

/** What is stored as this kind was admitted as one. */
const asNamespace = ({ document }: { readonly document: unknown }): NamespaceDocument => document as NamespaceDocument;

function phaseOf(namespace: KubeObject): string {
  return words(at(namespace, 'status', 'phase'));
}
