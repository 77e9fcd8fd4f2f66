import * as z from 'zod';
import type { EpochMs } from '../domain/brand.ts';
import { CONTENT_FINALIZER, NAME_LABEL, type NamespaceDocument, freshNamespace } from '../domain/namespace.ts';
import { dnsLabelFaults } from './dns-names.ts';
import { type Fault, invalid, required } from './fault.ts';
import { given } from './given.ts';
import { identityFaults, isSame } from './job-update.ts';
import { opt, text, texts } from './json-fields.ts';
import { annotationFaults, labelFaults } from './metadata-rules.ts';
import {
  addedFinalizerFaults,
  finalizerNameFaults,
  objectMetadataShape,
  tieFaults,
  tiesOf,
} from './object-metadata.ts';
import { nameOf } from './object-name.ts';
import { type FieldValidation, type ReadObject, type Undecodable, readObject, refusedReading } from './read-object.ts';
import { namespaceStatusShape } from './status-shape.ts';

const NamespaceShape = z.strictObject({
  apiVersion: text,
  kind: text,
  metadata: opt(objectMetadataShape),
  spec: opt(z.strictObject({ finalizers: texts })),
  // Looked at by its own path only, but it must be readable.
  status: opt(namespaceStatusShape),
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
  const awaited = spec?.finalizers ?? [];
  const faults = [
    ...nameFaults(name, metadata?.generateName ?? ''),
    ...faultsOf(metadata),
    ...finalizerNameFaults('spec.finalizers', awaited),
  ];
  if (faults.length > 0) return { kind: 'invalid', name, faults };
  const fresh = freshNamespace(name, context.uid, context.at);
  const finalizers = awaited.includes(CONTENT_FINALIZER) ? awaited : [...awaited, CONTENT_FINALIZER];
  return { kind: 'ok', document: { ...withMetadata(fresh, metadata), spec: { finalizers } }, warnings: read.warnings };
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

/** What a request writes of a namespace: itself, or a part that has a path of its own. */
type Part = 'itself' | 'status' | 'finalize';

/**
 * Admits a whole new document in place of a stored namespace, as PUT sends it or as a patch makes it: labels,
 * annotations, owners and finalizers may change; its status or the finalizers of its spec only where they are written.
 */
export function admitNamespaceUpdate(
  stored: NamespaceDocument,
  document: unknown,
  { fieldValidation, part = 'itself' }: { readonly fieldValidation: FieldValidation; readonly part?: Part },
): NamespaceUpdate {
  const read = readNamespace(document, fieldValidation);
  if (read.kind === 'undecodable') return read;
  const { metadata, spec, status } = read.object;
  const { name, uid, deletionTimestamp, finalizers = [] } = stored.metadata;
  const names = spec?.finalizers ?? [];
  const faults = [
    ...identityFaults({ metadata }, { manifest: { metadata: { name, namespace: '' } }, uid }),
    ...(deletionTimestamp === undefined ? [] : addedFinalizerFaults('metadata', tiesOf(metadata), finalizers)),
    ...faultsOf(metadata),
    ...(part === 'status' ? phaseFaults(status?.phase ?? '', deletionTimestamp !== undefined) : []),
    ...(part === 'finalize' ? finalizerNameFaults('spec.finalizers', names) : []),
  ];
  if (faults.length > 0) return { kind: 'invalid', name, faults };
  const next = {
    ...withMetadata(stored, metadata),
    ...(part === 'status' ? { status: statusOf(stored, status) } : {}),
    ...(part === 'finalize' ? { spec: { finalizers: names } } : {}),
  };
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

const faultsOf = (metadata: Metadata): readonly Fault[] => [
  ...labelFaults('metadata.labels', metadata?.labels),
  ...annotationFaults('metadata.annotations', metadata?.annotations),
  ...tieFaults('metadata', tiesOf(metadata)),
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

function withoutManagers({ metadata, ...rest }: NamespaceDocument): unknown {
  const { managedFields: _, ...said } = metadata;
  return { ...rest, metadata: said };
}

/** Kubernetes' rule, with the path as it spells it. */
function phaseFaults(phase: string, isTerminating: boolean): readonly Fault[] {
  const [only, when] = isTerminating ? ['Terminating', 'not empty'] : ['Active', 'empty'];
  return phase === only
    ? []
    : [invalid('status.Phase', phase, `may only be '${only}' if \`deletionTimestamp\` is ${when}`)];
}

function statusOf({ status: { phase } }: NamespaceDocument, said: NamespaceShape['status']) {
  const conditions = (said?.conditions ?? []).map(
    ({ type = '', status = '', lastTransitionTime, reason, message }) => ({
      type,
      status,
      ...given({ lastTransitionTime, reason: reason || undefined, message: message || undefined }),
    }),
  );
  return { phase, ...(conditions.length === 0 ? {} : { conditions }) };
}
