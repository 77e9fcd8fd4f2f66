import { type EpochMs, asTime } from '../base/time.ts';

/** A namespace as stored: a core/v1 Namespace without its resourceVersion. */
export type NamespaceDocument = {
  readonly apiVersion: 'v1';
  readonly kind: 'Namespace';
  readonly metadata: {
    readonly name: string;
    readonly uid: string;
    readonly creationTimestamp: string;
    readonly deletionTimestamp?: string;
    readonly labels: Readonly<Record<string, string>>;
    readonly finalizers?: readonly string[];
    readonly [field: string]: unknown;
  };
  readonly spec: { readonly finalizers: readonly string[] };
  readonly status: {
    readonly phase: 'Active' | 'Terminating';
    readonly conditions?: readonly { readonly [field: string]: string }[];
  };
};

/** The one namespace that always exists and cannot be deleted. */
export const DEFAULT_NAMESPACE = 'default';

/** Every namespace has its own name as this label, so that selectors can match it. */
export const NAME_LABEL = 'kubernetes.io/metadata.name';

/** Holds a namespace until everything in it is gone. */
export const CONTENT_FINALIZER = 'kubernetes';

/** A namespace with nothing set but its name. */
export const freshNamespace = (name: string, uid: string, at: EpochMs): NamespaceDocument => ({
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: { name, uid, creationTimestamp: asTime(at), labels: { [NAME_LABEL]: name } },
  spec: { finalizers: [CONTENT_FINALIZER] },
  status: { phase: 'Active' },
});

/** The same namespace after its deletion was requested; repeating the request changes nothing. */
export const terminating = <T extends NamespaceDocument>(namespace: T, at: EpochMs): T =>
  isTerminating(namespace)
    ? namespace
    : {
        ...namespace,
        metadata: { ...namespace.metadata, deletionTimestamp: asTime(at) },
        status: { ...namespace.status, phase: 'Terminating' },
      };

/** Other controllers must act before the namespace may go: their names are in its spec's finalizers. */
export const awaits = ({ spec }: { readonly [field: string]: unknown }): boolean => {
  const names = typeof spec === 'object' && spec !== null && 'finalizers' in spec ? spec.finalizers : [];
  return Array.isArray(names) && names.some((name) => name !== CONTENT_FINALIZER);
};

type AnyDocument = { readonly metadata: { readonly [field: string]: unknown } };

/** Everything in such a namespace is being deleted, and nothing new may be created in it. Works for any stored document. */
export const isTerminating = ({ metadata }: AnyDocument): boolean => metadata['deletionTimestamp'] !== undefined;

/** Whether something may be created in a namespace; `noNamespace`: it does not exist. */
export type NamespaceStanding = 'open' | 'noNamespace' | 'terminating';

/** The standing of the namespace that was read; null: it does not exist. */
export const standingOfNamespace = (namespace: AnyDocument | null | undefined): NamespaceStanding =>
  !namespace ? 'noNamespace' : isTerminating(namespace) ? 'terminating' : 'open';
