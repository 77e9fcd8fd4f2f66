import type { JobManifest, Labels, ObjectMeta } from '../../domain/manifests/manifest.ts';
import type { PodSpec } from '../../domain/manifests/pod-spec.ts';
import { differences } from '../object/differences.ts';
import { type FieldError, forbidden, invalid } from '../object/field-error.ts';
import { meaningOf } from '../object/kept-fields.ts';
import { annotationErrors, labelErrors } from '../object/metadata-rules.ts';
import { addedFinalizerErrors, labelParts, tieErrors, tiesOf } from '../object/object-metadata.ts';
import { type ObjectUpdate, identityErrors, isSame } from '../object/object-update.ts';
import type { FieldValidation } from '../object/read-object.ts';
import { admitPodTemplate } from '../pod-admission/pod-rules.ts';
import { ownAnnotationErrors, withoutShown } from './annotations-of-pods.ts';
import { type PodShape, readPodDocument } from './pod-document.ts';

/** A bare Pod that a client changes. */
export type StoredPod = {
  /** Of the Job that it is stored as. */
  readonly manifest: JobManifest;
  /** The Pod as users see it. */
  readonly shown: {
    readonly metadata: { readonly name: string; readonly uid: string; readonly annotations?: Labels };
    readonly spec: { readonly nodeName?: string };
  };
  /** The defaults that a Pod has beside those of a template. */
  readonly completed: (spec: PodSpec) => PodSpec;
  readonly deleting: boolean;
};

/**
 * Admits a document that replaces a bare Pod, from a PUT or a patch. Its metadata may change, and of its spec only
 * `activeDeadlineSeconds`, which may become shorter (`ValidatePodUpdate`): a task runs what it was started with.
 */
export function admitPodUpdate(
  { manifest: old, shown, completed, deleting }: StoredPod,
  document: unknown,
  fieldValidation: FieldValidation,
): ObjectUpdate<JobManifest> {
  const read = readPodDocument(document, fieldValidation);
  if (read.kind === 'undecodable') return read;
  const { metadata, spec } = read.object;
  const labels = metadata?.labels ?? {};
  const annotations = withoutShown(metadata?.annotations ?? {}, shown.metadata.annotations ?? {});
  const ties = tiesOf(metadata);
  const before = old.spec.template.spec.activeDeadlineSeconds;
  const deadline = spec?.activeDeadlineSeconds;
  const errors = [
    ...identityErrors(read.object, { manifest: asShown(old, shown.metadata.name), uid: shown.metadata.uid }),
    ...labelErrors('metadata.labels', labels),
    ...annotationErrors('metadata.annotations', annotations),
    ...ownAnnotationErrors(annotations),
    ...tieErrors('metadata', ties),
    ...(deleting ? addedFinalizerErrors('metadata', ties, old.metadata.finalizers ?? []) : []),
    ...deadlineErrors(deadline, before),
    ...specErrors(completed(specOf(read.object, shown.spec)), completed(old.spec.template.spec)),
  ];
  const { name } = shown.metadata;
  if (errors.length > 0) return { kind: 'invalid', name, errors };
  const changed = metadataOf(old.metadata, labels, annotations, ties);
  const { managedFields: _, ...standing } = old.metadata;
  const extent = deadline !== before ? 'spec' : isSame(standing, changed) ? 'nothing' : 'metadata';
  return {
    kind: 'ok',
    manifest: withDeadline({ ...old, metadata: changed }, deadline),
    warnings: read.warnings,
    changed: extent,
  };
}

/** As it is written, with a template's defaults, and without the node that a task has. */
function specOf({ metadata, spec }: PodShape, { nodeName }: StoredPod['shown']['spec']): PodSpec {
  const written = spec === undefined || spec.nodeName !== nodeName ? spec : { ...spec, nodeName: undefined };
  const context = { indexed: false, name: 'pod', namespace: metadata?.namespace ?? '', annotations: undefined };
  return admitPodTemplate({ metadata: undefined, spec: written }, context).template.spec;
}

const asShown = (old: JobManifest, name: string): JobManifest => ({ ...old, metadata: { ...old.metadata, name } });

const metadataOf = (
  { name, namespace, generateName = '' }: ObjectMeta,
  labels: Labels,
  annotations: Labels,
  ties: Pick<ObjectMeta, 'finalizers' | 'ownerReferences'>,
): ObjectMeta => ({
  name,
  namespace,
  ...(generateName === '' ? {} : { generateName }),
  ...labelParts({ labels, annotations }),
  ...ties,
});

function withDeadline(manifest: JobManifest, deadline: number | undefined): JobManifest {
  const { activeDeadlineSeconds: _, ...spec }: PodSpec = manifest.spec.template.spec;
  const limited = deadline === undefined ? spec : { ...spec, activeDeadlineSeconds: deadline };
  return { ...manifest, spec: { ...manifest.spec, template: { ...manifest.spec.template, spec: limited } } };
}

const DEADLINE = 'spec.activeDeadlineSeconds';

/** Upstream's `ValidatePodUpdate`, in its words. */
function deadlineErrors(deadline: number | undefined, before: number | undefined): readonly FieldError[] {
  if (deadline === before) return [];
  if (deadline === undefined)
    return [invalid(DEADLINE, deadline, 'must not update from a positive integer to nil value')];
  if (deadline < 1 || deadline > INT32_MAX)
    return [invalid(DEADLINE, deadline, `must be between 1 and ${INT32_MAX}, inclusive`)];
  return before !== undefined && deadline > before
    ? [invalid(DEADLINE, deadline, 'must be less than or equal to previous value')]
    : [];
}

const INT32_MAX = 2_147_483_647;

/** Nothing else of a spec changes: what the document says must be what the Pod has. */
function specErrors(spec: PodSpec, shown: PodSpec): readonly FieldError[] {
  const [next, standing] = [timeless(spec), timeless(shown)].map((each) => meaningOf('PodSpec', each));
  if (isSame(next, standing)) return [];
  const paths = differences(next, standing, 'spec');
  return [
    forbidden(
      'spec',
      `pod updates may not change fields other than spec.activeDeadlineSeconds, as its task runs what it was started with: ${paths.join(', ')} ${paths.length === 1 ? 'differs' : 'differ'}`,
    ),
  ];
}

const timeless = ({ activeDeadlineSeconds: _, ...spec }: PodSpec): object => spec;
