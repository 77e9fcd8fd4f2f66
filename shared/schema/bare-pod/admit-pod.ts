import { jobNameOfPod } from '../../domain/manifests/bare-pod.ts';
import type { JobManifest, ObjectMeta } from '../../domain/manifests/manifest.ts';
import { type Admission, type AdmissionContext, admitJob } from '../job/job-manifest.ts';
import { type FieldError, invalid } from '../object/field-error.ts';
import { ownAnnotationErrors, withoutAttempts } from './annotations-of-pods.ts';
import { annotationErrors, labelErrors } from '../object/metadata-rules.ts';
import { type ObjectMetadataShape, labelParts, tieErrors, tiesOf } from '../object/object-metadata.ts';
import { nameErrors, nameOf } from '../object/object-name.ts';
import { misplacedReading } from '../object/read-object.ts';
import { ofPod } from './pod-paths.ts';
import { type PodShape, readPodDocument } from './pod-document.ts';

/**
 * Admits an external document as a new Pod that no Job owns: the manifest of the Job of one Pod that it is stored as. All rules of a
 * Job's template hold for it; faults and warnings have the Pod's own paths.
 *
 * @returns undecodable, with the first reasons, or invalid, with all faults: nothing is to be stored
 */
export function admitPod(document: unknown, context: AdmissionContext): Admission {
  const { namespace, nameSuffix, fieldValidation } = context;
  const read = readPodDocument(document, fieldValidation);
  if (read.kind === 'undecodable') return read;
  const object = withoutWritten(read.object);
  const { metadata, spec } = object;
  const misplaced = misplacedReading(metadata, namespace);
  if (misplaced !== null) return misplaced;
  const name = nameOf(metadata, nameSuffix);
  const [labels, annotations] = [metadata?.labels ?? {}, metadata?.annotations ?? {}];
  const own = [
    ...nameErrors(name, metadata),
    ...labelErrors('metadata.labels', labels),
    ...annotationErrors('metadata.annotations', annotations),
    ...ownAnnotationErrors(annotations),
    ...tieErrors('metadata', tiesOf(metadata)),
    ...restartErrors(spec),
  ];
  const admitted = admitJob(asJob(object, namespace), { ...context, fieldValidation: 'Strict', list: null });
  if (admitted.kind === 'undecodable') return admitted;
  const errors = [...own, ...(admitted.kind === 'invalid' ? ofPod(admitted.errors, own) : [])];
  if (errors.length > 0 || admitted.kind === 'invalid') return { kind: 'invalid', name, errors };
  const manifest = manifestOf(admitted.manifest, metadataOf(name, namespace, metadata));
  return { kind: 'ok', manifest, warnings: [...read.warnings, ...warningsOfPod(admitted.warnings)] };
}

/**
 * Clients make Pods of Pods that they have read, as `kubectl debug --copy-to` does: what the server had written there goes, and with it
 * the name that an index shows.
 */
function withoutWritten(pod: PodShape): PodShape {
  const { metadata, spec } = pod;
  if (metadata?.annotations === undefined) return pod;
  const { annotations } = metadata;
  const left = withoutAttempts(annotations);
  if (Object.keys(left).length === Object.keys(annotations).length) return pod;
  return {
    ...pod,
    metadata: { ...metadata, annotations: left },
    ...(spec === undefined ? {} : { spec: { ...spec, hostname: undefined } }),
  };
}

const warningsOfPod = (warnings: readonly string[]): readonly string[] =>
  warnings.map((text) => text.replace(/^spec\.template\.(?=spec|metadata)/, ''));

/** A Pod that says nothing is to be started again whenever it ends. */
function restartErrors(spec: PodShape['spec']): readonly FieldError[] {
  const policy = spec?.restartPolicy ?? 'Always';
  return policy === 'Never' || policy === 'OnFailure'
    ? []
    : [
        invalid(
          'spec.restartPolicy',
          policy,
          'a Pod runs to its end here, as nothing takes it away when it is idle: write "Never" or "OnFailure" (kubectl run --restart=Never)',
        ),
      ];
}

/** A Job whose template the Pod is, for the rules of templates. Its name is any: that of the Pod is checked by itself. */
function asJob({ metadata, spec }: PodShape, namespace: string) {
  const { labels = {}, annotations = {} } = metadata ?? {};
  const policy = spec?.restartPolicy === 'OnFailure' ? 'OnFailure' : 'Never';
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name: 'pod', namespace },
    spec: {
      parallelism: 1,
      completions: 1,
      completionMode: 'NonIndexed',
      backoffLimit: 0,
      template: {
        metadata: { labels, annotations },
        ...(spec === undefined ? {} : { spec: { ...spec, restartPolicy: policy } }),
      },
    },
  };
}

const metadataOf = (name: string, namespace: string, given: ObjectMetadataShape | undefined): ObjectMeta => {
  const { labels = {}, annotations = {}, generateName = '' } = given ?? {};
  return {
    name: jobNameOfPod(name),
    namespace,
    ...(generateName === '' ? {} : { generateName }),
    ...labelParts({ labels, annotations }),
    ...tiesOf(given),
  };
};

/** Without what a Job generates: nobody selects by it. */
function manifestOf({ spec, ...job }: JobManifest, metadata: ObjectMeta): JobManifest {
  const { labels = {}, annotations = {} } = metadata;
  const template = { ...spec.template, metadata: { ...labelParts({ labels, annotations }), labels } };
  return { ...job, metadata, spec: { ...spec, selector: {}, template } };
}
