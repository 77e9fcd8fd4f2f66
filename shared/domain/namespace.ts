import { type EpochMs, asTime } from './brand.ts';

/** A namespace as it is stored: a core/v1 Namespace without its resourceVersion. */
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

/** The one namespace that is always there and cannot be deleted. */
export const DEFAULT_NAMESPACE = 'default';

/** Every namespace carries its own name as this label, so that selectors can name it. */
export const NAME_LABEL = 'kubernetes.io/metadata.name';

/** What holds a namespace until everything in it is gone. */
export const CONTENT_FINALIZER = 'kubernetes';

/** A namespace that nobody has said anything about but its name. */
export const freshNamespace = (name: string, uid: string, at: EpochMs): NamespaceDocument => ({
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: { name, uid, creationTimestamp: asTime(at), labels: { [NAME_LABEL]: name } },
  spec: { finalizers: [CONTENT_FINALIZER] },
  status: { phase: 'Active' },
});

/** The same namespace from the moment on at which its deletion was asked for; asking again changes nothing. */
export const terminating = <T extends NamespaceDocument>(namespace: T, at: EpochMs): T =>
  isTerminating(namespace)
    ? namespace
    : {
        ...namespace,
        metadata: { ...namespace.metadata, deletionTimestamp: asTime(at) },
        status: { ...namespace.status, phase: 'Terminating' },
      };

/** Others have something to do before the namespace may go: they have put their name into its spec. */
export const awaits = ({ spec }: { readonly [field: string]: unknown }): boolean => {
  const names = typeof spec === 'object' && spec !== null && 'finalizers' in spec ? spec.finalizers : [];
  return Array.isArray(names) && names.some((name) => name !== CONTENT_FINALIZER);
};

type AnyDocument = { readonly metadata: { readonly [field: string]: unknown } };

/** What is in such a namespace goes, and nothing new comes in. Asked of any stored document. */
export const isTerminating = ({ metadata }: AnyDocument): boolean => metadata['deletionTimestamp'] !== undefined;

/** Whether something may be created in the namespace that was read; null: there is none of that name. */
export const standingOf = (namespace: AnyDocument | null | undefined): 'open' | 'noNamespace' | 'terminating' =>
  !namespace ? 'noNamespace' : isTerminating(namespace) ? 'terminating' : 'open';
