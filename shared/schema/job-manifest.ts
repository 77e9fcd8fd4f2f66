import type { JobManifest, Labels, ObjectMeta } from '../domain/manifest.ts';
import { TASK_CONTAINERS_MAX, fargateSizeOf, taskDefinitionOf } from '../domain/pod-template.ts';
import { dnsLabelFaults, dnsSubdomainFaults } from './dns-names.ts';
import { type Fault, invalid, notSupported, required, tooLong, tooMany } from './fault.ts';
import { type JobShape, type Problem, decodeJob } from './job-shape.ts';
import { annotationFaults, labelFaults } from './metadata-rules.ts';
import { admitPodTemplate } from './pod-rules.ts';
import { refusedInJobSpec, refusedMetadata, refusedValue } from './refused-fields.ts';

/** What the server knows of a Job that is being created. */
export type AdmissionContext = {
  /** The namespace of the request. */
  readonly namespace: string;
  readonly uid: string;
  /** Five letters or digits that make a `generateName` a name. */
  readonly nameSuffix: string;
  readonly fieldValidation: FieldValidation;
};

/** What becomes of a field that Kubernetes does not know: an error, a warning, or nothing. */
export type FieldValidation = 'Strict' | 'Warn' | 'Ignore';

export type Admission =
  | { readonly kind: 'ok'; readonly manifest: JobManifest; readonly warnings: readonly string[] }
  /** Readable, but wrong (422). All that is wrong is listed. */
  | { readonly kind: 'invalid'; readonly name: string; readonly faults: readonly Fault[] }
  /** Not readable as a Job (400). */
  | { readonly kind: 'undecodable'; readonly message: string; readonly problems: readonly Problem[] };

/** A named limit of Muster; Kubernetes' own is 100,000 and soft. */
const COMPLETIONS_MAX = 1_000_000;
/** Kubernetes' limit for Indexed Jobs; ours for all. */
const PARALLELISM_MAX = 100_000;
/** ECS takes 64 KiB; the rest is for what the adapter adds (roles, logs, JSON's own names). */
const TASK_DEFINITION_BYTES_MAX = 48 * 1024;
/** Names that Muster makes: 63 less the suffix (Kubernetes' `maxGeneratedNameLength`). */
const GENERATE_NAME_CHARS_MAX = 58;

/**
 * Admits an outside document as a `batch/v1` Job: defaults filled in and checked as Kubernetes 1.34 does on create
 * (kubernetes-job.md 1.1), nothing in it ignored. Fields that we do not support are faults with their path.
 */
export function admitJob(document: unknown, context: AdmissionContext): Admission {
  const decoded = decodeJob(document);
  if (decoded.kind === 'undecodable') return undecodable(decoded.problems);
  const { job, unknownFields } = decoded;
  const foreign = foreignKind(job);
  if (foreign !== null) return { kind: 'undecodable', message: foreign, problems: [] };
  const unknown = unknownFields.map((path) => ({ path, message: `unknown field ${JSON.stringify(path)}` }));
  if (unknown.length > 0 && context.fieldValidation === 'Strict') return strictDecoding(unknown);
  if (
    job.metadata?.namespace !== undefined &&
    job.metadata.namespace !== '' &&
    job.metadata.namespace !== context.namespace
  )
    return {
      kind: 'undecodable',
      message: 'the namespace of the provided object does not match the namespace sent on the request',
      problems: [],
    };
  if (job.metadata?.resourceVersion !== undefined && job.metadata.resourceVersion !== '')
    return {
      kind: 'undecodable',
      message: 'resourceVersion should not be set on objects to be created',
      problems: [{ path: 'metadata.resourceVersion', message: 'should not be set on objects to be created' }],
    };
  const warnings = context.fieldValidation === 'Warn' ? unknown.map(({ message }) => message) : [];
  return admit(job, context, warnings);
}

function admit(job: JobShape, context: AdmissionContext, unknown: readonly string[]): Admission {
  const given: Partial<SpecShape> = job.spec ?? {};
  const name = nameOf(job, context.nameSuffix);
  const warnings: string[] = [...unknown];
  const completionMode = given.completionMode ?? 'NonIndexed';
  const parallelism = given.parallelism ?? 1;
  const completions = given.completions ?? (given.parallelism === undefined ? 1 : undefined);
  const generated = generatedLabels(name, context.uid);
  const template = admitPodTemplate(given.template, { generated, indexed: completionMode === 'Indexed' });
  const faults: Fault[] = [
    ...metadataFaults(job, name),
    ...specFaults(job, name, completionMode, parallelism, completions),
    ...refusedInJobSpec('spec', job.spec),
    ...template.faults,
  ];
  if (job.spec === undefined) faults.push(required('spec'));
  if (name !== '' && name.length <= 63 && dnsLabelFaults(name).length > 0 && dnsSubdomainFaults(name).length === 0)
    warnings.push(
      `metadata.name: this is used in Pod names and hostnames, which can result in surprising behavior; a DNS label is recommended: [${dnsLabelFaults(name).join(', ')}]`,
    );
  if (template.template === null || faults.length > 0) return { kind: 'invalid', name, faults };
  const labels = nonEmpty(job.metadata?.labels) ?? nonEmpty(given.template?.metadata?.labels);
  const annotations = nonEmpty(job.metadata?.annotations);
  const metadata: ObjectMeta = {
    name,
    namespace: context.namespace,
    ...(labels === undefined ? {} : { labels }),
    ...(annotations === undefined ? {} : { annotations }),
  };
  const manifest: JobManifest = {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata,
    spec: {
      parallelism,
      ...(completions === undefined ? {} : { completions }),
      completionMode: completionMode === 'Indexed' ? 'Indexed' : 'NonIndexed',
      backoffLimit: given.backoffLimit ?? 6,
      suspend: given.suspend ?? false,
      ...(given.manualSelector === undefined ? {} : { manualSelector: given.manualSelector }),
      podReplacementPolicy: 'Failed',
      selector: { matchLabels: { [CONTROLLER_UID]: context.uid } },
      template: template.template,
    },
  };
  const sizeFaults = taskFaults(manifest);
  if (sizeFaults.length > 0) return { kind: 'invalid', name, faults: sizeFaults };
  return { kind: 'ok', manifest, warnings: [...warnings, ...template.warnings] };
}

const CONTROLLER_UID = 'batch.kubernetes.io/controller-uid';

/** The labels by which a Job knows its Pods, in the old form and the new one. */
const generatedLabels = (name: string, uid: string): Labels => ({
  [CONTROLLER_UID]: uid,
  'batch.kubernetes.io/job-name': name,
  'controller-uid': uid,
  'job-name': name,
});

type SpecShape = NonNullable<JobShape['spec']>;

function nameOf({ metadata }: JobShape, suffix: string): string {
  const given = metadata?.name ?? '';
  const prefix = metadata?.generateName ?? '';
  return given !== '' || prefix === '' ? given : prefix.slice(0, GENERATE_NAME_CHARS_MAX) + suffix;
}

function metadataFaults({ metadata }: JobShape, name: string): readonly Fault[] {
  const faults: Fault[] = [];
  if (name === '') faults.push(required('metadata.name', 'name or generateName is required'));
  else if (name.length > 63)
    faults.push(
      invalid('metadata.name', name, 'must be no more than 63 characters: it is the value of the label job-name'),
    );
  else faults.push(...dnsSubdomainFaults(name).map((fault) => invalid('metadata.name', name, fault)));
  return [
    ...faults,
    ...labelFaults('metadata.labels', metadata?.labels),
    ...annotationFaults('metadata.annotations', metadata?.annotations),
    ...refusedMetadata('metadata', metadata),
  ];
}

const MODES = ['NonIndexed', 'Indexed'];

function specFaults(
  job: JobShape,
  name: string,
  completionMode: string,
  parallelism: number,
  completions: number | undefined,
): readonly Fault[] {
  const spec: Partial<SpecShape> = job.spec ?? {};
  const faults: Fault[] = [];
  for (const field of ['parallelism', 'completions', 'backoffLimit'] as const) {
    const value = spec[field];
    if (value !== undefined && value < 0)
      faults.push(invalid(`spec.${field}`, value, 'must be greater than or equal to 0'));
  }
  if (parallelism > PARALLELISM_MAX)
    faults.push(invalid('spec.parallelism', parallelism, `must be less than or equal to ${PARALLELISM_MAX}`));
  if (completions !== undefined && completions > COMPLETIONS_MAX)
    faults.push(invalid('spec.completions', completions, `must be less than or equal to ${COMPLETIONS_MAX}`));
  if (!MODES.includes(completionMode)) faults.push(notSupported('spec.completionMode', completionMode, MODES));
  if (completionMode === 'Indexed') {
    if (completions === undefined) faults.push(required('spec.completions', 'when completion mode is Indexed'));
    else if (completions > 0 && name !== '')
      for (const fault of dnsLabelFaults(`${name}-${completions - 1}`))
        faults.push(
          invalid(
            'metadata.name',
            name,
            `will not able to create pod with invalid DNS label "${name}-${completions - 1}": ${fault}`,
          ),
        );
  }
  return [...faults, ...replacementFaults(spec.podReplacementPolicy), ...selectorFaults(spec)];
}

/** One live attempt an index at most: what Kubernetes calls Failed is the only policy there is, and our default. */
function replacementFaults(policy: string | undefined): readonly Fault[] {
  const path = 'spec.podReplacementPolicy';
  if (policy === undefined || policy === 'Failed') return [];
  if (policy !== 'TerminatingOrFailed') return [notSupported(path, policy, ['TerminatingOrFailed', 'Failed'])];
  return [
    refusedValue(
      path,
      'use Failed, or leave it out: Muster starts a replacement only when the attempt before has ended',
    ),
  ];
}

function selectorFaults({ selector, manualSelector }: Partial<SpecShape>): readonly Fault[] {
  const faults: Fault[] = [];
  if (manualSelector === true)
    faults.push(refusedValue('spec.manualSelector', 'leave it out: the selector is generated'));
  const isEmpty = Object.keys(selector?.matchLabels ?? {}).length + (selector?.matchExpressions ?? []).length === 0;
  if (!isEmpty) faults.push(invalid('spec.selector', selector, '`selector` not auto-generated'));
  return faults;
}

/** What only the task as a whole shows. */
function taskFaults(manifest: JobManifest): readonly Fault[] {
  const { containers, initContainers = [] } = manifest.spec.template.spec;
  const count = containers.length + initContainers.length;
  if (count > TASK_CONTAINERS_MAX) return [tooMany('spec.template.spec.containers', count, TASK_CONTAINERS_MAX)];
  const size = fargateSizeOf(manifest);
  if (size.kind === 'tooLarge') return [invalid(size.path, undefined, size.message)];
  const definition = taskDefinitionOf(manifest, { hash: () => '' });
  const bytes = new TextEncoder().encode(JSON.stringify(definition)).length;
  return bytes > TASK_DEFINITION_BYTES_MAX ? [tooLong('spec.template.spec', TASK_DEFINITION_BYTES_MAX)] : [];
}

const nonEmpty = (labels: Labels | undefined): Labels | undefined =>
  labels === undefined || Object.keys(labels).length === 0 ? undefined : labels;

/** Absent kind and apiVersion are taken from the address, as Kubernetes does. */
function foreignKind({ apiVersion = 'batch/v1', kind = 'Job' }: JobShape): string | null {
  if ((apiVersion === 'batch/v1' || apiVersion === '') && (kind === 'Job' || kind === '')) return null;
  return `${kind} in version ${JSON.stringify(apiVersion)} cannot be handled as a Job: no kind "${kind}" is accepted here, only "Job" of "batch/v1"`;
}

const undecodable = (problems: readonly Problem[]): Admission => ({
  kind: 'undecodable',
  message: `Job in version "v1" cannot be handled as a Job: ${problems.map(({ message }) => message).join(', ')}`,
  problems,
});

const strictDecoding = (problems: readonly Problem[]): Admission => ({
  kind: 'undecodable',
  message: `Job in version "v1" cannot be handled as a Job: strict decoding error: ${problems.map(({ message }) => message).join(', ')}`,
  problems,
});
