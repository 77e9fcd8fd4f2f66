import type { JobManifest, ObjectMeta, PodTemplate } from '../domain/manifest.ts';
import { type Fault, invalid } from './fault.ts';
import { type HostsOffer, USUAL_OFFER } from './host-name-rules.ts';
import { type DefaultedSpec, withDefaults } from './job-defaults.ts';
import { type JudgedJob, judgeJob, labelsOf } from './job-manifest.ts';
import { type FieldValidation, type Undecodable, readJobDocument } from './job-reading.ts';
import type { JobShape } from './job-shape.ts';
import { meaningOf } from './kept-fields.ts';
import { addedFinalizerFaults, tiesOf } from './object-metadata.ts';

/** What the server knows of a Job that is to be changed. */
export type StoredJob = {
  readonly manifest: JobManifest;
  readonly uid: string;
  /** It has a startTime: it is running or has been, even if it is suspended by now. */
  readonly started: boolean;
  /** A user has deleted it, and something holds it. */
  readonly deleting: boolean;
};

export type JobUpdate =
  | {
      readonly kind: 'ok';
      readonly manifest: JobManifest;
      readonly warnings: readonly string[];
      /** The most that differs; the generation counts changes of the spec only. */
      readonly changed: 'nothing' | 'metadata' | 'spec';
    }
  /** Readable, but wrong, or a change that is not allowed (422). All that is wrong is listed. */
  | { readonly kind: 'invalid'; readonly name: string; readonly faults: readonly Fault[] }
  | Undecodable;

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
  const judged = judge(job, stored, hosts);
  const faults = [
    ...identityFaults(job, stored),
    ...(stored.deleting
      ? addedFinalizerFaults('metadata', judged.manifest.metadata, old.metadata.finalizers ?? [])
      : []),
    ...judged.faults,
    ...completionsFaults(spec, old),
    ...immutableFaults('spec.selector', spec.selector, old.spec.selector),
    ...templateFaults(judged.manifest.spec.template, old, stored.started),
    ...IMMUTABLE.flatMap((field) => immutableFaults(`spec.${field}`, spec[field], old.spec[field])),
  ];
  return faults.length > 0
    ? { kind: 'invalid', name, faults }
    : { kind: 'ok', manifest: judged.manifest, warnings, changed: changeOf(old, judged.manifest) };
}

/** The names that it has are not taken from it, whatever the installation gives by now. */
const judge = (job: JobShape, { manifest, uid }: StoredJob, hosts: HostsOffer): JudgedJob =>
  judgeJob({
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
  return read.kind === 'read' ? judge(read.job, stored, USUAL_OFFER).manifest : stored.manifest;
}

/** The document that stands for a stored Job: admitted as an update it changes nothing, so patches are applied to it. */
export const documentOf = ({ manifest, uid }: Pick<StoredJob, 'manifest' | 'uid'>) => ({
  ...manifest,
  metadata: { ...manifest.metadata, uid },
});

const IMMUTABLE = ['completionMode', 'podFailurePolicy', 'backoffLimitPerIndex', 'managedBy', 'successPolicy'] as const;

/** What the server fills in may be left out; the name may not. */
export function identityFaults(
  { metadata }: Pick<JobShape, 'metadata'>,
  { manifest, uid }: { readonly manifest: { readonly metadata: ObjectMeta }; readonly uid: string },
): readonly Fault[] {
  const { name, namespace } = manifest.metadata;
  return [
    ...immutableFaults('metadata.name', metadata?.name ?? '', name),
    ...immutableFaults('metadata.namespace', orStored(metadata?.namespace, namespace), namespace),
    ...immutableFaults('metadata.uid', orStored(metadata?.uid, uid), uid),
  ];
}

const orStored = (given: unknown, stored: string): unknown =>
  given === undefined || given === null || given === '' ? stored : given;

/** An Indexed Job is resized as a whole: its completions change together with parallelism, and become the same number. */
function completionsFaults(
  { completions, parallelism, completionMode }: DefaultedSpec,
  old: JobManifest,
): readonly Fault[] {
  const path = 'spec.completions';
  if (completionMode !== 'Indexed') return immutableFaults(path, completions, old.spec.completions);
  // None at all is a fault of its own already.
  if (completions === undefined || completions === old.spec.completions || completions === parallelism) return [];
  return [invalid(path, completions, 'can only be modified in tandem with spec.parallelism')];
}

/**
 * The template is what the Pods that ran were made from, so it stays. Before a suspended Job has ever started there are
 * none, and whoever queues Jobs may still say where they go.
 */
function templateFaults(template: PodTemplate, old: JobManifest, started: boolean): readonly Fault[] {
  const was = old.spec.template;
  const isQueued = old.spec.suspend && !started;
  const kept = isQueued
    ? { metadata: template.metadata, spec: { ...was.spec, nodeSelector: template.spec.nodeSelector } }
    : was;
  return isSame(meaningOf('PodTemplateSpec', template), meaningOf('PodTemplateSpec', kept))
    ? []
    : [invalid('spec.template', template, 'field is immutable')];
}

function immutableFaults(path: string, value: unknown, old: unknown): readonly Fault[] {
  return isSame(value, old) ? [] : [invalid(path, value ?? null, 'field is immutable')];
}

function changeOf(old: JobManifest, manifest: JobManifest): 'nothing' | 'metadata' | 'spec' {
  if (!isSame(meaningOf('JobSpec', old.spec), meaningOf('JobSpec', manifest.spec))) return 'spec';
  return isSame(old.metadata, manifest.metadata) ? 'nothing' : 'metadata';
}

/** Equal as Kubernetes compares: an empty list or map within is none, the order of keys means nothing. */
export const isSame = (a: unknown, b: unknown): boolean =>
  JSON.stringify(canonical(a)) === JSON.stringify(canonical(b));

function canonical(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => canonical(item) ?? null);
  const entries = Object.entries(value)
    .map(([key, inner]) => [key, canonical(inner)] as const)
    .filter(([, inner]) => inner !== undefined && !isEmpty(inner))
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries);
}

const isEmpty = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && Object.keys(value).length === 0;
