import type { JobTemplate, TemplatedJobSpec } from '../domain/cron-manifest.ts';
import type { JobManifest, Labels, PodTemplate } from '../../../domain/manifests/manifest.ts';
import type { JobTemplateShape } from './cron-shape.ts';
import { type FieldError, invalid, notSupported } from '../../../schema/object/field-error.ts';
import { type HostsOffer, hostNameErrors, hostNameWarnings } from '../../../schema/job/host-name-rules.ts';
import {
  type AdmittedItems,
  givesItems,
  itemSpecErrors,
  pinItems,
  readItems,
  withItemDefaults,
} from '../../../schema/items/job-items-rules.ts';
import { itemTaskErrors, withLongestImage } from '../../../schema/job/item-task-rules.ts';
import { annotationNeedErrors } from '../../../schema/job/added-rules.ts';
import { dependencyErrors } from '../../../schema/job/dependency-rules.ts';
import { gangErrors } from '../../../schema/job/gang-rules.ts';
import { withDefaults } from '../../../schema/job/job-defaults.ts';
import type { JobSpecShape } from '../../../schema/job/job-shape.ts';
import { jobSpecErrors, restartPolicyErrors } from '../../../schema/job/job-spec-rules.ts';
import { keptFields } from '../../../schema/object/kept-fields.ts';
import { labelSelectorOf } from '../../../schema/object/label-selector-rules.ts';
import { annotationErrors, labelErrors, ownAnnotationErrors } from '../../../schema/object/metadata-rules.ts';
import { conditionWarnings, podFailurePolicyOf } from '../../../schema/job/pod-failure-policy-rules.ts';
import { refusedFields } from '../../../schema/pod/pod-fields.ts';
import { admitPodTemplate } from '../../../schema/pod-admission/pod-rules.ts';
import { selectionErrors } from '../../../schema/job/selection-rules.ts';
import { successAnnotationErrors } from '../../../schema/job/success-annotation-rules.ts';
import { successPolicyOf } from '../../../schema/job/success-policy-rules.ts';
import { taskErrors } from '../../../schema/job/task-limits.ts';

/** A template with its faults and warnings, whose paths begin at the CronJob. Store it only if there are no faults. */
export type AdmittedJobTemplate = {
  readonly template: JobTemplate;
  readonly errors: readonly FieldError[];
  readonly warnings: readonly string[];
};

/** The parts of a CronJob that its Jobs depend on. */
export type TemplateOwner = { readonly name: string; readonly namespace: string; readonly hosts: HostsOffer };

const PATH = 'spec.jobTemplate';

/**
 * Kubernetes' rules for a CronJob's template: those for a Job's spec, except for what each Job gets on create
 * (selector, labels, defaults). Checks labels and annotations, too. Kubernetes reports those only when it fails to
 * create a Job. An inline work list is checked as that of a Job; one that is only named is looked up when a Job is created.
 */
export function admitJobTemplate({ metadata, spec }: JobTemplateShape, cron: TemplateOwner): AdmittedJobTemplate {
  const { namespace, hosts } = cron;
  const name = nameOfAJob(cron.name);
  const { labels, annotations } = metadata ?? {};
  // Only the server pins a list, so a template has no pin, which is reported below.
  const said = pinItems(annotations, null).annotations;
  const list = listOf(spec, said);
  const { items, indexed } = list;
  const pod = admitPodTemplate(spec.template, { indexed, name, namespace, annotations: said, items });
  const templated = templatedSpec(spec, pod.template);
  // Only the created Job gets the default. Here an Indexed Job must set completions, unless it has a work list.
  const defaulted = { ...withDefaults(list.spec), completions: list.spec.completions };
  const job = jobOf(templated, pod.template, said);
  const ofJob = [
    ...list.errors,
    ...(items === null ? [] : itemSpecErrors(items, defaulted)),
    ...jobSpecErrors(defaulted).filter(({ path }) => path !== 'spec.completions' || !list.isUnknown || isGiven(spec)),
    ...pod.errors,
    ...restartPolicyErrors(defaulted),
    ...hostNameErrors(defaulted, { name, namespace, annotations: said }, hosts),
    ...taskErrors(withLongestImage(job, items), { isWhole: pod.errors.length === 0 }),
    ...(items === null ? [] : itemTaskErrors(job, items)),
    ...selectionErrors(said, defaulted),
    ...annotationNeedErrors(said, defaulted),
    ...successAnnotationErrors(said, defaulted),
    ...dependencyErrors('', said),
    ...gangErrors(said, defaulted),
    ...selectorErrors(spec),
  ];
  return {
    template: { metadata: keptFields('ObjectMeta', metadata ?? {}), spec: templated },
    errors: [
      ...labelErrors(`${PATH}.metadata.labels`, labels),
      ...annotationErrors(`${PATH}.metadata.annotations`, annotations),
      ...ownAnnotationErrors(`${PATH}.metadata.annotations`, annotations),
      ...refusedFields('metadata', `${PATH}.metadata`, metadata),
      ...ofJob.map((fieldError) => ({ ...fieldError, path: `${PATH}.${fieldError.path}` })),
    ],
    warnings: [
      ...conditionWarnings(templated.podFailurePolicy),
      ...hostNameWarnings(pod.template),
      ...pod.warnings,
    ].map((text) => `${PATH}.${text}`),
  };
}

const isGiven = ({ completions }: JobSpecShape): boolean => completions !== undefined;

/** What the work list of each Job makes of its spec. */
function listOf(given: JobSpecShape, annotations: Labels | undefined) {
  const read = readItems(annotations);
  const items: AdmittedItems | null = read.kind === 'ok' ? read.admitted : null;
  const hasList = givesItems(annotations);
  const completionMode = given.completionMode ?? (hasList ? 'Indexed' : undefined);
  const spec = withItemDefaults({ ...given, completionMode }, items);
  return {
    items,
    /** It says how many completions there are, which nobody knows yet. */
    isUnknown: hasList && items === null,
    spec,
    indexed: spec.completionMode === 'Indexed',
    errors: read.kind === 'bad' ? read.errors : [],
  };
}

/** A name as long as those that schedules produce: the minute has eight digits until the year 2160. */
const nameOfAJob = (cronJob: string): string => (cronJob === '' ? '' : `${cronJob}-${'0'.repeat(8)}`);

/** Every Job of a CronJob gets its own generated selector. */
const selectorErrors = ({ selector, manualSelector }: JobSpecShape): readonly FieldError[] => [
  ...(selector === undefined
    ? []
    : [invalid('spec.selector', labelSelectorOf(selector), '`selector` will be auto-generated')]),
  ...(manualSelector === true ? [notSupported('spec.manualSelector', manualSelector, ['nil', 'false'])] : []),
];

/** The spec as it is stored, without omitted fields. */
function templatedSpec(spec: JobSpecShape, template: PodTemplate): TemplatedJobSpec {
  const { podFailurePolicy, successPolicy } = withDefaults(spec);
  const { completionMode, podReplacementPolicy } = spec;
  const { labels, ...metadata } = template.metadata;
  return {
    ...some('parallelism', spec.parallelism),
    ...some('completions', spec.completions),
    ...some('completionMode', completionMode && (completionMode === 'Indexed' ? 'Indexed' : 'NonIndexed')),
    ...some('backoffLimit', spec.backoffLimit),
    ...some('backoffLimitPerIndex', spec.backoffLimitPerIndex),
    ...some('maxFailedIndexes', spec.maxFailedIndexes),
    ...some('podFailurePolicy', podFailurePolicy && podFailurePolicyOf(podFailurePolicy)),
    ...some('successPolicy', successPolicy && successPolicyOf(successPolicy)),
    ...some('activeDeadlineSeconds', spec.activeDeadlineSeconds),
    ...some('ttlSecondsAfterFinished', spec.ttlSecondsAfterFinished),
    ...some('suspend', spec.suspend),
    ...some(
      'podReplacementPolicy',
      podReplacementPolicy && (podReplacementPolicy === 'TerminatingOrFailed' ? 'TerminatingOrFailed' : 'Failed'),
    ),
    ...some('manualSelector', spec.manualSelector),
    ...some('managedBy', spec.managedBy),
    template: { metadata: { ...metadata, ...some('labels', labels) }, spec: template.spec },
  };
}

/** A Job of this template, to check its task. */
const jobOf = (spec: TemplatedJobSpec, template: PodTemplate, annotations: Labels | undefined): JobManifest => ({
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: { name: '', namespace: '', ...(annotations === undefined ? {} : { annotations }) },
  spec: {
    parallelism: 1,
    completionMode: 'NonIndexed',
    backoffLimit: 0,
    suspend: false,
    podReplacementPolicy: 'Failed',
    selector: {},
    ...spec,
    template,
  },
});

/** The field, unless it is empty. */
function some<K extends string, T>(key: K, value: T | '' | undefined): { readonly [P in K]?: T } {
  return isNothing(value) ? {} : ({ [key]: value } as { [P in K]: T });
}

const isNothing = (value: unknown): boolean =>
  value === undefined ||
  value === '' ||
  (typeof value === 'object' && value !== null && Object.keys(value).length === 0);
