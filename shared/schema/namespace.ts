import * as z from 'zod';
import type { EpochMs } from '../domain/brand.ts';
import { CONTENT_FINALIZER, NAME_LABEL, type NamespaceDocument, freshNamespace } from '../domain/namespace.ts';
import { dnsLabelFaults } from './dns-names.ts';
import { type Fault, invalid, required } from './fault.ts';
import { identityFaults, isSame } from './job-update.ts';
import { known, opt, text, texts } from './json-fields.ts';
import { annotationFaults, labelFaults } from './metadata-rules.ts';
import { addedFinalizerFaults, objectMetadataShape, tieFaults, tiesOf } from './object-metadata.ts';
import { nameOf } from './object-name.ts';
import { type FieldValidation, type ReadObject, type Undecodable, readObject, refusedReading } from './read-object.ts';
import { refusedValue } from './refused-fields.ts';

const NamespaceShape = z.strictObject({
  apiVersion: text,
  kind: text,
  metadata: opt(objectMetadataShape),
  spec: opt(z.strictObject({ finalizers: texts })),
  // The server's own.
  ...known('status'),
});
type NamespaceShape = z.output<typeof NamespaceShape>;

type Invalid = { readonly kind: 'invalid'; readonly name: string; readonly faults: readonly Fault[] };

export type NamespaceAdmission =
  | { readonly kind: 'ok'; readonly document: NamespaceDocument; readonly warnings: readonly string[] }
  /** Readable, but wrong (422). All that is wrong is listed. */
  | Invalid
  | Undecodable;

/**
 * Admits an outside document as a new core/v1 Namespace (Kubernetes' `ValidateNamespace`). Every namespace carries its
 * own name as a label, whatever the document says of that label; its status is ours.
 */
export function admitNamespace(
  document: unknown,
  context: {
    readonly uid: string;
    readonly nameSuffix: string;
    readonly fieldValidation: FieldValidation;
    readonly at: EpochMs;
  },
): NamespaceAdmission {
  const read = readNamespace(document, context.fieldValidation);
  if (read.kind === 'undecodable') return read;
  const { metadata, spec } = read.object;
  if ((metadata?.resourceVersion ?? '') !== '') {
    const message = 'should not be set on objects to be created';
    return refusedReading(`resourceVersion ${message}`, [{ path: 'metadata.resourceVersion', message }]);
  }
  const name = nameOf(metadata, context.nameSuffix);
  const faults = [...nameFaults(name, metadata?.generateName ?? ''), ...faultsOf(metadata, spec?.finalizers ?? [])];
  if (faults.length > 0) return { kind: 'invalid', name, faults };
  const fresh = freshNamespace(name, context.uid, context.at);
  return { kind: 'ok', document: withMetadata(fresh, metadata), warnings: read.warnings };
}

export type NamespaceUpdate =
  | {
      readonly kind: 'ok';
      readonly document: NamespaceDocument;
      readonly warnings: readonly string[];
      /** A namespace's spec is not changed by users. */
      readonly changed: 'nothing' | 'metadata';
    }
  | Invalid
  | Undecodable;

/**
 * Admits a whole new document in place of a stored namespace, as PUT sends it or as a patch makes it: labels,
 * annotations, owners and finalizers may change. spec, status and resourceVersion are not looked at, as in Kubernetes.
 */
export function admitNamespaceUpdate(
  stored: NamespaceDocument,
  document: unknown,
  { fieldValidation }: { readonly fieldValidation: FieldValidation },
): NamespaceUpdate {
  const read = readNamespace(document, fieldValidation);
  if (read.kind === 'undecodable') return read;
  const { metadata } = read.object;
  const { name, uid, deletionTimestamp, finalizers = [] } = stored.metadata;
  const faults = [
    ...identityFaults({ metadata }, { manifest: { metadata: { name, namespace: '' } }, uid }),
    ...(deletionTimestamp === undefined ? [] : addedFinalizerFaults('metadata', tiesOf(metadata), finalizers)),
    ...faultsOf(metadata, []),
  ];
  if (faults.length > 0) return { kind: 'invalid', name, faults };
  const next = withMetadata(stored, metadata);
  const changed = isSame(withoutManagers(stored), withoutManagers(next)) ? 'nothing' : 'metadata';
  return { kind: 'ok', document: next, warnings: read.warnings, changed };
}

const readNamespace = (document: unknown, fieldValidation: FieldValidation): ReadObject<NamespaceShape> =>
  readObject(document, fieldValidation, { apiVersion: 'v1', kind: 'Namespace', shape: NamespaceShape });

type Metadata = NamespaceShape['metadata'];

/** Kubernetes' rules for the name of a namespace, and for the prefix that it was made from, which may end with a dash. */
const nameFaults = (name: string, prefix: string): readonly Fault[] => [
  ...(name === ''
    ? [required('metadata.name', 'name or generateName is required')]
    : dnsLabelFaults(name).map((fault) => invalid('metadata.name', name, fault))),
  ...(prefix === ''
    ? []
    : dnsLabelFaults(prefix.replace(/.-$/, 'a')).map((fault) => invalid('metadata.generateName', prefix, fault))),
];

const faultsOf = (metadata: Metadata, specFinalizers: readonly string[]): readonly Fault[] => [
  ...labelFaults('metadata.labels', metadata?.labels),
  ...annotationFaults('metadata.annotations', metadata?.annotations),
  ...tieFaults('metadata', tiesOf(metadata)),
  ...specFinalizers
    .filter((finalizer) => finalizer !== CONTENT_FINALIZER)
    .map(() => refusedValue('spec.finalizers', 'use metadata.finalizers, which hold a namespace as well')),
];

/** The namespace with what the document says of it, and nothing else that users might have said before. */
function withMetadata(namespace: NamespaceDocument, metadata: Metadata): NamespaceDocument {
  const { name, uid, creationTimestamp, deletionTimestamp, generateName } = namespace.metadata;
  const { labels, annotations } = metadata ?? {};
  const prefix = generateName ?? metadata?.generateName ?? '';
  return {
    ...namespace,
    metadata: {
      name,
      ...(prefix === '' ? {} : { generateName: prefix }),
      uid,
      creationTimestamp,
      ...(deletionTimestamp === undefined ? {} : { deletionTimestamp }),
      labels: { ...labels, [NAME_LABEL]: name },
      ...(annotations === undefined || Object.keys(annotations).length === 0 ? {} : { annotations }),
      ...tiesOf(metadata),
    },
  };
}

function withoutManagers({ metadata }: NamespaceDocument): unknown {
  const { managedFields: _, ...said } = metadata;
  return said;
}
