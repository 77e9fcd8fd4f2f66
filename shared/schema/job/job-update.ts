import type { EpochMs } from '../../domain/base/time.ts';
import type { JobParts } from '../../domain/manifests/job-parts.ts';
import type { PodSpec } from '../../domain/manifests/pod-spec.ts';
import { namesNeeded } from '../../domain/task/host-names.ts';
import type { JobManifest, PodTemplate } from '../../domain/manifests/manifest.ts';
import { type FieldError, invalid } from '../object/field-error.ts';
import { type HostsOffer, USUAL_OFFER } from './host-name-rules.ts';
import { keepPin, pinChangeErrors } from '../items/job-items-rules.ts';
import { annotationChangeErrors } from './added-rules.ts';
import { dependencyChangeErrors } from './dependency-rules.ts';
import type { DefaultedSpec } from './job-defaults.ts';
import { type CheckedJob, checkJob, labelsOf } from './job-manifest.ts';
import { type FieldValidation, readJobDocument } from './job-reading.ts';
import type { JobShape } from './job-shape.ts';
import { selectionChangeErrors } from './selection-rules.ts';
import { meaningOf } from '../object/kept-fields.ts';
import { addedFinalizerErrors, tiesOf } from '../object/object-metadata.ts';
import {
  type ObjectUpdate,
  RUN_ANEW,
  extentOf,
  identityErrors,
  immutableErrors,
  immutableText,
  isSame,
} from '../object/object-update.ts';

/** A stored Job that a client changes. */
export type StoredJob = {
  readonly manifest: JobManifest;
  readonly uid: string;
  /** It has a startTime: it has run, even if it is suspended now. */
  readonly started: boolean;
  /** A user has deleted it, and a finalizer holds it. */
  readonly deleting: boolean;
  /** When it is changed; omitted: no moment that it names has passed. */
  readonly now?: EpochMs;
};

export type JobUpdate = ObjectUpdate<JobManifest>;

/**
 * How a document of `batch/v1` changes a Job of which a capability keeps a part: with the part as it is then. null: it is none of
 * the capability's.
 */
export type PartUpdate = (
  stored: StoredJob & JobParts,
  document: unknown,
  context: { readonly now: EpochMs; readonly fieldValidation: FieldValidation; readonly hosts?: HostsOffer },
) => (JobUpdate & JobParts) | null;

/**
 * Admits a document that replaces a stored Job, from a PUT or from a patch of {@link documentOf}. Checks the rules for
 * a new Job, and what may change (kubernetes-job.md 1.1 and 1.5). Generates nothing: a document without the selector
 * and its labels is not the same Job. Ignores `status` and resourceVersion.
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
  const checked = check(job, stored, hosts);
  const { spec } = checked;
  const errors = [
    ...identityErrors(job, stored),
    ...(stored.deleting
      ? addedFinalizerErrors('metadata', checked.manifest.metadata, old.metadata.finalizers ?? [])
      : []),
    ...checked.errors,
    ...pinChangeErrors(job.metadata?.annotations, old.metadata.annotations),
    ...completionsErrors(spec, old),
    ...dependencyChangeErrors(job.metadata?.annotations, stored),
    ...annotationChangeErrors(job.metadata?.annotations, stored),
    ...selectionChangeErrors(spec.completions, old),
    ...immutableErrors('spec.selector', spec.selector, old.spec.selector, RUN_ANEW),
    ...templateErrors(checked.manifest.spec.template, old, stored.started),
    ...IMMUTABLE.flatMap((field) => immutableErrors(`spec.${field}`, spec[field], old.spec[field], RUN_ANEW)),
  ];
  return errors.length > 0
    ? { kind: 'invalid', name, errors }
    : { kind: 'ok', manifest: checked.manifest, warnings, changed: extentOf('JobSpec', old, checked.manifest) };
}

/** A stored Job keeps its names, even if the installation offers fewer now. */
const check = (job: JobShape, { manifest, uid }: StoredJob, hosts: HostsOffer): CheckedJob =>
  checkJob({
    name: manifest.metadata.name,
    namespace: manifest.metadata.namespace,
    uid,
    labels: labelsOf(job),
    annotations: keepPin(job.metadata?.annotations, manifest.metadata.annotations),
    generateName: manifest.metadata.generateName,
    ties: tiesOf(job.metadata),
    hosts: { max: Math.max(hosts?.max ?? 0, namesNeeded(manifest)) },
    spec: job.spec,
    generatesSelector: false,
  });

/** The stored Job with the current defaults. An earlier version of Muster may have filled in less. */
function asOfToday(stored: StoredJob): JobManifest {
  const read = readJobDocument(documentOf(stored), 'Ignore');
  return read.kind === 'read' ? check(read.job, stored, USUAL_OFFER).manifest : stored.manifest;
}

/** The document of a stored Job, to which patches are applied. As an update, it changes nothing. */
export const documentOf = ({ manifest, uid }: Pick<StoredJob, 'manifest' | 'uid'>) => ({
  ...manifest,
  metadata: { ...manifest.metadata, uid },
});

const IMMUTABLE = ['completionMode', 'podFailurePolicy', 'backoffLimitPerIndex', 'managedBy', 'successPolicy'] as const;

/** An elastic Indexed Job: completions may change only together with parallelism, to the same number. */
function completionsErrors(
  { completions, parallelism, completionMode }: DefaultedSpec,
  old: JobManifest,
): readonly FieldError[] {
  const path = 'spec.completions';
  if (completionMode !== 'Indexed') return immutableErrors(path, completions, old.spec.completions);
  // Another rule reports a missing value.
  if (completions === undefined || completions === old.spec.completions || completions === parallelism) return [];
  return [invalid(path, completions, 'can only be modified in tandem with spec.parallelism')];
}

/**
 * The template may not change, because existing Pods were made from it. Before the first start of a suspended Job there
 * are none, so a queue controller may still set their placement.
 */
function templateErrors(template: PodTemplate, old: JobManifest, started: boolean): readonly FieldError[] {
  const was = old.spec.template;
  const isQueued = old.spec.suspend && !started;
  const kept = isQueued ? { metadata: template.metadata, spec: placedAs(was.spec, template.spec) } : was;
  const [next, standing] = [meaningOf('PodTemplateSpec', template), meaningOf('PodTemplateSpec', kept)];
  if (isSame(next, standing)) return [];
  return [invalid('spec.template', template, immutableText('spec.template', next, standing, RUN_ANEW))];
}

/** The spec, with what a queue controller may set of another: nodeSelector, tolerations, and node affinity. */
const placedAs = (spec: PodSpec, { nodeSelector, tolerations, affinity }: PodSpec) => ({
  ...spec,
  nodeSelector,
  tolerations,
  affinity: { ...spec.affinity, nodeAffinity: affinity?.nodeAffinity },
});
