import type { JobManifest, PodTemplate } from '../../domain/spec/manifest.ts';
import { type FieldError, invalid } from '../object/field-error.ts';
import { type HostsOffer, USUAL_OFFER } from './host-name-rules.ts';
import { type DefaultedSpec, withDefaults } from './job-defaults.ts';
import { type CheckedJob, checkJob, labelsOf } from './job-manifest.ts';
import { type FieldValidation, readJobDocument } from './job-reading.ts';
import type { JobShape } from './job-shape.ts';
import { meaningOf } from '../object/kept-fields.ts';
import { addedFinalizerErrors, tiesOf } from '../object/object-metadata.ts';
import { type ObjectUpdate, extentOf, identityErrors, immutableErrors, isSame } from '../object/object-update.ts';

/** What the server knows about a Job that a client changes. */
export type StoredJob = {
  readonly manifest: JobManifest;
  readonly uid: string;
  /** It has a startTime: it is running or has been, even if it is suspended by now. */
  readonly started: boolean;
  /** A user has deleted it, and something holds it. */
  readonly deleting: boolean;
};

export type JobUpdate = ObjectUpdate<JobManifest>;

/**
 * Admits a whole new document in place of a stored Job, as PUT sends it, or as a patch of {@link documentOf} makes it:
 * everything that a new Job must keep to, and what may change (kubernetes-job.md 1.1 and 1.5). Nothing is generated this
 * time: a document without the selector and its labels is not the same Job. `status` and resourceVersion are not looked at.
 */
export function admitJobUpdate(
  stored: StoredJob,
  document: unknown,
  { fieldValidation, hosts = USUAL_OFFER }: { readonly fieldValidation: FieldValidation; readonly hosts?: HostsOffer },
): JobUpdate {
  const read = readJobDocument(document, fieldValidation);
  if (read.kind === 'undecodable') return read;
  const { job, warnings } = read;
  const old = asOfToday(stored);
  const { name } = old.metadata;
  const spec = withDefaults(job.spec);
  const checked = check(job, stored, hosts);
  const errors = [
    ...identityErrors(job, stored),
    ...(stored.deleting
      ? addedFinalizerErrors('metadata', checked.manifest.metadata, old.metadata.finalizers ?? [])
      : []),
    ...checked.errors,
    ...completionsErrors(spec, old),
    ...immutableErrors('spec.selector', spec.selector, old.spec.selector),
    ...templateErrors(checked.manifest.spec.template, old, stored.started),
    ...IMMUTABLE.flatMap((field) => immutableErrors(`spec.${field}`, spec[field], old.spec[field])),
  ];
  return errors.length > 0
    ? { kind: 'invalid', name, errors }
    : { kind: 'ok', manifest: checked.manifest, warnings, changed: extentOf('JobSpec', old, checked.manifest) };
}

/** The names that it has are not taken from it, whatever the installation gives by now. */
const check = (job: JobShape, { manifest, uid }: StoredJob, hosts: HostsOffer): CheckedJob =>
  checkJob({
    name: manifest.metadata.name,
    namespace: manifest.metadata.namespace,
    uid,
    labels: labelsOf(job),
    annotations: job.metadata?.annotations,
    generateName: manifest.metadata.generateName,
    ties: tiesOf(job.metadata),
    hosts: { max: Math.max(hosts?.max ?? 0, manifest.spec.completions ?? 0) },
    spec: withDefaults(job.spec),
  });

/** The stored Job as it would be admitted now: an earlier Muster may have filled in less. */
function asOfToday(stored: StoredJob): JobManifest {
  const read = readJobDocument(documentOf(stored), 'Ignore');
  return read.kind === 'read' ? check(read.job, stored, USUAL_OFFER).manifest : stored.manifest;
}

/** The document that stands for a stored Job: admitted as an update it changes nothing, so patches are applied to it. */
export const documentOf = ({ manifest, uid }: Pick<StoredJob, 'manifest' | 'uid'>) => ({
  ...manifest,
  metadata: { ...manifest.metadata, uid },
});

const IMMUTABLE = ['completionMode', 'podFailurePolicy', 'backoffLimitPerIndex', 'managedBy', 'successPolicy'] as const;

/** An Indexed Job is resized as a whole: its completions change together with parallelism, and become the same number. */
function completionsErrors(
  { completions, parallelism, completionMode }: DefaultedSpec,
  old: JobManifest,
): readonly FieldError[] {
  const path = 'spec.completions';
  if (completionMode !== 'Indexed') return immutableErrors(path, completions, old.spec.completions);
  // None at all is a fault of its own already.
  if (completions === undefined || completions === old.spec.completions || completions === parallelism) return [];
  return [invalid(path, completions, 'can only be modified in tandem with spec.parallelism')];
}

/**
 * The template stays, because it is what the existing Pods were made from. Before a suspended Job first starts there are
 * none, and a queue controller may still set where they go.
 */
function templateErrors(template: PodTemplate, old: JobManifest, started: boolean): readonly FieldError[] {
  const was = old.spec.template;
  const isQueued = old.spec.suspend && !started;
  const kept = isQueued
    ? { metadata: template.metadata, spec: { ...was.spec, nodeSelector: template.spec.nodeSelector } }
    : was;
  return isSame(meaningOf('PodTemplateSpec', template), meaningOf('PodTemplateSpec', kept))
    ? []
    : [invalid('spec.template', template, 'field is immutable')];
}
