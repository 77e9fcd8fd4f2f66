import { FURIKO_API_VERSION, type FurikoJobSpec, type FurikoPart, type FurikoTemplate } from '../domain/furiko-job.ts';
import { CONFIG_UID_LABEL } from '../domain/furiko-labels.ts';
import type { EpochMs } from '../../../domain/base/time.ts';
import { ANNOTATIONS, DEFAULT_PENDING_TIMEOUT_SEC } from '../../../domain/manifests/annotations.ts';
import type { JobManifest } from '../../../domain/manifests/manifest.ts';
import { USUAL_OFFER } from '../../../schema/job/host-name-rules.ts';
import { admitJobUpdate, documentOf } from '../../../schema/job/job-update.ts';
import { type FieldError, invalid } from '../../../schema/object/field-error.ts';
import { meaningOf } from '../../../schema/object/kept-fields.ts';
import {
  type Extent,
  identityErrors,
  immutableErrors,
  immutableText,
  isSame,
} from '../../../schema/object/object-update.ts';
import { furikoErrors, furikoWarnings } from './batch-paths.ts';
import { ruleAnnotations } from './compile-furiko-job.ts';
import type { FurikoJobUpdate, FurikoUpdateContext, StoredFurikoJob } from './furiko-admission-context.ts';
import { labelParts } from '../../../schema/object/object-metadata.ts';
import { readFurikoJob, tiesWithoutFurikos } from './furiko-job-admission.ts';
import type { FurikoJobShape } from './furiko-job-shape.ts';
import { furikoSpecOf } from './furiko-spec.ts';
import { forcedDeletionWarnings, furikoSpecErrors } from './furiko-spec-rules.ts';
import { ownAnnotationErrorsOf } from './own-annotations.ts';

/** The document of a stored Furiko Job, to which patches are applied. As an update, it changes nothing. */
export const furikoDocumentOf = ({ manifest, furiko, uid }: Pick<StoredFurikoJob, 'manifest' | 'furiko' | 'uid'>) => {
  const { labels: _labels, annotations: _annotations, ...metadata } = manifest.metadata;
  return {
    apiVersion: FURIKO_API_VERSION,
    kind: 'Job',
    metadata: { ...metadata, ...furiko.metadata, uid },
    spec: furiko.spec,
  };
};

/**
 * Admits a document that replaces a stored Furiko Job, from a PUT or a patch. What it runs, how often, and with which values never
 * changes; when it starts does not change once it has, nor when it is killed once that has passed. Ignores `status` and
 * resourceVersion.
 */
export function admitFurikoJobUpdate(
  stored: StoredFurikoJob,
  document: unknown,
  { now, fieldValidation, hosts = USUAL_OFFER }: FurikoUpdateContext,
): FurikoJobUpdate {
  const read = readFurikoJob(document, fieldValidation);
  if (read.kind === 'undecodable') return read;
  const { metadata, spec: shape } = read.object;
  const { name } = stored.manifest.metadata;
  const wrong = [
    ...identityErrors(read.object, stored),
    ...ownAnnotationErrorsOf('metadata.annotations', metadata?.annotations),
    ...furikoSpecErrors(shape),
  ];
  if (wrong.length > 0) return { kind: 'invalid', name, errors: wrong };
  const spec = furikoSpecOf(shape, { optionValues: textOrNull(shape.optionValues), variables: {} });
  const furiko: FurikoPart = { ...stored.furiko, metadata: labelParts(metadata), spec };
  const next = manifestOf(stored.manifest, read.object, spec);
  const standing = { ...stored, now };
  const sent = documentOf({ ...stored, manifest: next });
  const admitted = admitJobUpdate(standing, sent, { fieldValidation: 'Strict', hosts });
  if (admitted.kind === 'undecodable') return admitted;
  const ofChange = changeErrors(stored, read.object, spec, now);
  // The Job that runs it has the same rules for some fields, and these have better words.
  const said = new Set(ofChange.map(({ path }) => path));
  const ofManifest = admitted.kind === 'invalid' ? furikoErrors(admitted.errors) : [];
  const errors = [...ofChange, ...ofManifest.filter(({ path }) => !said.has(path))];
  if (errors.length > 0 || admitted.kind === 'invalid') return { kind: 'invalid', name, errors };
  return {
    kind: 'ok',
    manifest: admitted.manifest,
    furiko,
    changed: extentOf(stored.furiko, furiko, admitted.changed),
    warnings: [
      ...read.warnings,
      ...(shape.template === undefined ? [] : forcedDeletionWarnings('spec.template', shape.template)),
      ...furikoWarnings(admitted.warnings),
    ],
  };
}

const textOrNull = (text = ''): string | null => (text === '' ? null : text);

/** The generation counts changes of what users see as the spec. */
function extentOf(old: FurikoPart, next: FurikoPart, ofManifest: Extent): Extent {
  if (!isSame(old.spec, next.spec)) return 'spec';
  return ofManifest === 'nothing' && isSame(old.metadata, next.metadata) ? 'nothing' : 'metadata';
}

/**
 * What runs the Job, with what may change. Its parallelism may have been changed through `batch/v1`, and only the server suspends
 * it.
 */
function manifestOf(old: JobManifest, { metadata }: FurikoJobShape, spec: FurikoJobSpec): JobManifest {
  const { name, namespace, generateName, annotations } = old.metadata;
  const matrix = annotations?.[ANNOTATIONS.matrix];
  return {
    ...old,
    metadata: {
      name,
      namespace,
      ...(generateName === undefined ? {} : { generateName }),
      ...labelParts({
        labels: metadata?.labels,
        annotations: {
          ...metadata?.annotations,
          ...(matrix === undefined ? {} : { [ANNOTATIONS.matrix]: matrix }),
          ...ruleAnnotations(spec),
        },
      }),
      ...tiesWithoutFurikos(metadata),
    },
    spec: { ...old.spec, ttlSecondsAfterFinished: spec.ttlSecondsAfterFinished },
  };
}

/** What an update changes that it may not, with upstream's paths and words. */
function changeErrors(
  { furiko, manifest, started }: StoredFurikoJob,
  { metadata, spec: sent }: FurikoJobShape,
  next: FurikoJobSpec,
  now: EpochMs,
): readonly FieldError[] {
  const old = furiko.spec;
  const label = `metadata.labels[${CONFIG_UID_LABEL}]`;
  return [
    ...immutableErrors(label, metadata?.labels?.[CONFIG_UID_LABEL], manifest.metadata.labels?.[CONFIG_UID_LABEL]),
    ...immutableErrors('spec.configName', sent.configName ?? '', ''),
    ...immutableErrors('spec.type', next.type, old.type),
    ...immutableErrors('spec.optionValues', next.optionValues, old.optionValues, CREATE_ANOTHER),
    ...immutableErrors('spec.substitutions', next.substitutions, old.substitutions, CREATE_ANOTHER),
    ...templateErrors(next.template, old.template),
    ...(isPassed(old.killTimestamp, now) && next.killTimestamp !== old.killTimestamp
      ? [invalid('spec.killTimestamp', next.killTimestamp ?? null, 'field is immutable once passed')]
      : []),
    ...(started && !isSame(next.startPolicy, old.startPolicy)
      ? [invalid('spec.startPolicy', next.startPolicy ?? null, 'cannot update startPolicy once Job is started')]
      : []),
  ];
}

const CREATE_ANOTHER = 'to run it, create another Job';

const isPassed = (time: string | undefined, now: EpochMs): boolean => time !== undefined && Date.parse(time) < now;

function templateErrors(next: FurikoTemplate, old: FurikoTemplate): readonly FieldError[] {
  const path = 'spec.template';
  const pod = ({ taskTemplate }: FurikoTemplate) => meaningOf('PodTemplateSpec', taskTemplate.pod);
  const delay = ({ retryDelaySeconds = 0 }: FurikoTemplate) => retryDelaySeconds;
  const timeout = ({ taskPendingTimeoutSeconds = DEFAULT_PENDING_TIMEOUT_SEC }: FurikoTemplate) =>
    taskPendingTimeoutSeconds;
  const task = `${path}.taskTemplate`;
  const ofTask = immutableText(`${task}.pod`, pod(next), pod(old), CREATE_ANOTHER);
  return [
    ...(isSame(pod(next), pod(old)) ? [] : [invalid(task, next.taskTemplate, ofTask)]),
    ...immutableErrors(`${path}.parallelism`, next.parallelism, old.parallelism, CREATE_ANOTHER),
    ...immutableErrors(`${path}.maxAttempts`, next.maxAttempts, old.maxAttempts),
    ...immutableErrors(`${path}.retryDelaySeconds`, delay(next), delay(old)),
    ...immutableErrors(`${path}.taskPendingTimeoutSeconds`, timeout(next), timeout(old)),
  ];
}
