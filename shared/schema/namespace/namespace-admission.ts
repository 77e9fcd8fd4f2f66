import * as z from 'zod';
import type { EpochMs } from '../../domain/base/time.ts';
import {
  CONTENT_FINALIZER,
  NAME_LABEL,
  type NamespaceDocument,
  freshNamespace,
} from '../../domain/manifests/namespace.ts';
import { dnsLabelErrors } from '../object/dns-names.ts';
import { type FieldError, invalid, required } from '../object/field-error.ts';
import { given } from '../object/given.ts';
import { identityErrors, isSame } from '../object/object-update.ts';
import { opt, text, texts } from '../object/json-fields.ts';
import { annotationErrors, labelErrors } from '../object/metadata-rules.ts';
import {
  addedFinalizerErrors,
  finalizerNameErrors,
  objectMetadataShape,
  tieErrors,
  tiesOf,
} from '../object/object-metadata.ts';
import { nameOf } from '../object/object-name.ts';
import {
  type FieldValidation,
  type ReadObject,
  type Undecodable,
  readObject,
  misplacedReading,
} from '../object/read-object.ts';
import { namespaceStatusShape } from '../object/status-shape.ts';

const NamespaceShape = z.strictObject({
  apiVersion: text,
  kind: text,
  metadata: opt(objectMetadataShape),
  spec: opt(z.strictObject({ finalizers: texts })),
  // Its rules apply only at the path `status`, but it must be readable everywhere.
  status: opt(namespaceStatusShape),
});
type NamespaceShape = z.output<typeof NamespaceShape>;

type Invalid = { readonly kind: 'invalid'; readonly name: string; readonly errors: readonly FieldError[] };

export type NamespaceAdmission =
  | { readonly kind: 'ok'; readonly document: NamespaceDocument; readonly warnings: readonly string[] }
  /** Readable but invalid (422), with all faults. */
  | Invalid
  | Undecodable;

/**
 * Admits an external document as a new core/v1 Namespace (Kubernetes' `ValidateNamespace`). Every namespace has its own
 * name as a label, whatever the document has there. Muster sets the status.
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
  const misplaced = misplacedReading({ resourceVersion: metadata?.resourceVersion }, '');
  if (misplaced !== null) return misplaced;
  const name = nameOf(metadata, context.nameSuffix);
  const awaited = spec?.finalizers ?? [];
  const errors = [
    ...nameErrors(name, metadata?.generateName ?? ''),
    ...errorsOf(metadata),
    ...finalizerNameErrors('spec.finalizers', awaited),
  ];
  if (errors.length > 0) return { kind: 'invalid', name, errors };
  const fresh = freshNamespace(name, context.uid, context.at);
  const finalizers = awaited.includes(CONTENT_FINALIZER) ? awaited : [...awaited, CONTENT_FINALIZER];
  return { kind: 'ok', document: { ...withMetadata(fresh, metadata), spec: { finalizers } }, warnings: read.warnings };
}

export type NamespaceUpdate =
  | {
      readonly kind: 'ok';
      readonly document: NamespaceDocument;
      readonly warnings: readonly string[];
      /** Users do not change a namespace's spec. */
      readonly changed: 'nothing' | 'metadata';
    }
  | Invalid
  | Undecodable;

/** What a request writes: the whole namespace, or a part that has its own path. */
type Part = 'itself' | 'status' | 'finalize';

/**
 * Admits a document that replaces a stored namespace, from a PUT or a patch. Labels, annotations, owners, and
 * finalizers may change. The status and the spec's finalizers may change only at their own paths.
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
  const errors = [
    ...identityErrors({ metadata }, { manifest: { metadata: { name, namespace: '' } }, uid }),
    ...(deletionTimestamp === undefined ? [] : addedFinalizerErrors('metadata', tiesOf(metadata), finalizers)),
    ...errorsOf(metadata),
    ...(part === 'status' ? phaseErrors(status?.phase ?? '', deletionTimestamp !== undefined) : []),
    ...(part === 'finalize' ? finalizerNameErrors('spec.finalizers', names) : []),
  ];
  if (errors.length > 0) return { kind: 'invalid', name, errors };
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

/** Kubernetes' rules for a namespace's name and its `generateName` prefix, which may end with a dash. */
const nameErrors = (name: string, prefix: string): readonly FieldError[] => [
  ...(name === ''
    ? [required('metadata.name', 'name or generateName is required')]
    : dnsLabelErrors(name).map((fieldError) => invalid('metadata.name', name, fieldError))),
  ...(prefix === ''
    ? []
    : dnsLabelErrors(prefix.replace(/.-$/, 'a')).map((fieldError) =>
        invalid('metadata.generateName', prefix, fieldError),
      )),
];

const errorsOf = (metadata: Metadata): readonly FieldError[] => [
  ...labelErrors('metadata.labels', metadata?.labels),
  ...annotationErrors('metadata.annotations', metadata?.annotations),
  ...tieErrors('metadata', tiesOf(metadata)),
];

/** The namespace with the document's metadata in place of what users set before. */
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

/** Kubernetes' rule, with its spelling of the path. */
function phaseErrors(phase: string, isTerminating: boolean): readonly FieldError[] {
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
