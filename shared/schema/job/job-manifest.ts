import type { JobManifest, JobManifestSpec, Labels, ObjectMeta, PodTemplate } from '../../domain/manifests/manifest.ts';
import { processWarnings, missingCommandErrors } from '../pod-admission/command-rules.ts';
import { type FieldError, invalid } from '../object/field-error.ts';
import { annotationNeedErrors } from './added-rules.ts';
import { dependencyErrors } from './dependency-rules.ts';
import { gangErrors } from './gang-rules.ts';
import { type DefaultedSpec, withDefaults, withGeneratedSelector } from './job-defaults.ts';
import { type FieldValidation, type Undecodable, readJobDocument, misplacedReading } from './job-reading.ts';
import { type HostsOffer, USUAL_OFFER, hostNameErrors, hostNameWarnings } from './host-name-rules.ts';
import {
  type NamedList,
  itemSpecErrors,
  itemsAccountErrors,
  pinItems,
  readItems,
  withItemDefaults,
} from '../items/job-items-rules.ts';
import type { JobShape, JobSpecShape } from './job-shape.ts';
import { itemTaskErrors, withLongestImage } from './item-task-rules.ts';
import { generatedSelectorErrors, hostnameErrors, jobSpecErrors, templateOfJobErrors } from './job-spec-rules.ts';
import { labelSelectorOf } from '../object/label-selector-rules.ts';
import { annotationErrors, labelErrors, ownAnnotationErrors } from '../object/metadata-rules.ts';
import { tieErrors, tiesOf } from '../object/object-metadata.ts';
import { conditionWarnings, podFailurePolicyOf } from './pod-failure-policy-rules.ts';
import { nameErrors, nameOf, nameWarnings } from '../object/object-name.ts';
import { admitPodTemplate } from '../pod-admission/pod-rules.ts';
import type { HostFolders } from '../../domain/task/volumes/host-folders.ts';
import { nfsPlaceErrors } from '../pod/claim-volume-rules.ts';
import { fargateErrors } from '../pod/fargate-rules.ts';
import { hostPathErrors } from '../pod/host-path-rules.ts';
import { selectionErrors } from './selection-rules.ts';
import { successAnnotationErrors } from './success-annotation-rules.ts';
import { successPolicyOf } from './success-policy-rules.ts';
import { taskErrors } from './task-limits.ts';

/** What the server knows when a client creates an object. */
export type AdmissionContext = {
  /** The namespace of the request. */
  readonly namespace: string;
  readonly uid: string;
  /** Five letters or digits that complete a `generateName`. */
  readonly nameSuffix: string;
  readonly fieldValidation: FieldValidation;
  /** Omitted: the defaults. */
  readonly hosts?: HostsOffer;
  /** Images are not pulled, so containers must have a command, or args that are one. */
  readonly needsCommand?: boolean;
  /** Omitted: none, as on AWS. */
  readonly hostFolders?: HostFolders;
  /** The list that the Job names; omitted: it was not looked up. */
  readonly list?: NamedList | null;
};

export type Admission =
  | { readonly kind: 'ok'; readonly manifest: JobManifest; readonly warnings: readonly string[] }
  /** Readable but invalid (422), with all faults. */
  | { readonly kind: 'invalid'; readonly name: string; readonly errors: readonly FieldError[] }
  | Undecodable;

/**
 * Admits an external document as a `batch/v1` Job, with Kubernetes 1.34's defaults and checks on create
 * (kubernetes-job.md 1.1). Ignores nothing: an unsupported field is a fault with its path.
 */
export function admitJob(document: unknown, context: AdmissionContext): Admission {
  const { namespace, uid, nameSuffix, fieldValidation, hosts = USUAL_OFFER, needsCommand = false } = context;
  const { hostFolders = null } = context;
  const read = readJobDocument(document, fieldValidation);
  if (read.kind === 'undecodable') return read;
  const { job } = read;
  const { metadata } = job;
  const misplaced = misplacedReading(metadata, namespace);
  if (misplaced !== null) return misplaced;
  const name = nameOf(metadata, nameSuffix);
  const pinned = pinItems(metadata?.annotations, context.list ?? null);
  const checked = checkJob({
    name,
    namespace,
    uid,
    labels: labelsOf(job),
    annotations: pinned.annotations,
    generateName: metadata?.generateName,
    ties: tiesOf(metadata),
    hosts,
    spec: job.spec,
    generatesSelector: true,
  });
  const errors = [
    ...nameErrors(name, metadata),
    ...(job.spec.manualSelector === true ? manualNameErrors(name) : []),
    ...pinned.errors,
    ...itemsAccountErrors(metadata?.annotations, context.list ?? null, accountOf(checked)),
    ...checked.errors,
    ...(needsCommand ? missingCommandErrors('spec.template.spec', job.spec.template?.spec) : []),
    ...hostPathErrors('spec.template.spec', job.spec.template?.spec, hostFolders),
    ...nfsPlaceErrors('spec.template.spec', job.spec.template?.spec, hostFolders),
    ...(checked.errors.length > 0 ? [] : fargateErrors('spec.template.spec', checked.manifest, hostFolders)),
  ];
  return errors.length > 0
    ? { kind: 'invalid', name, errors }
    : {
        kind: 'ok',
        manifest: checked.manifest,
        warnings: [
          ...read.warnings,
          ...nameWarnings(name),
          ...conditionWarnings(checked.manifest.spec.podFailurePolicy),
          ...hostNameWarnings(checked.manifest.spec.template),
          ...checked.templateWarnings,
          ...(needsCommand ? processWarnings('spec.template.spec', job.spec.template?.spec) : []),
        ],
      };
}

const accountOf = ({ manifest: { spec } }: CheckedJob): string | null => spec.template.spec.serviceAccountName ?? null;

/** A Job as it was read, not yet checked. */
export type JobCandidate = {
  readonly name: string;
  readonly namespace: string;
  readonly uid: string;
  readonly labels: Labels | undefined;
  readonly annotations: Labels | undefined;
  readonly generateName: string | undefined;
  readonly ties: Pick<ObjectMeta, 'finalizers' | 'ownerReferences'>;
  readonly hosts: HostsOffer;
  readonly spec: JobSpecShape;
  /** It is new, and gets a selector. */
  readonly generatesSelector: boolean;
};

export type CheckedJob = {
  /** With every default, as it was read otherwise. */
  readonly spec: DefaultedSpec;
  /** Store it only if there are no faults. */
  readonly manifest: JobManifest;
  readonly errors: readonly FieldError[];
  readonly templateWarnings: readonly string[];
};

/** The rules for every Job, new or changed, in Kubernetes' order. */
export function checkJob(job: JobCandidate): CheckedJob {
  const { name, namespace, uid, labels, annotations, generateName = '', ties, hosts } = job;
  const read = readItems(annotations);
  const items = read.kind === 'ok' ? read.admitted : null;
  const defaulted = withDefaults(withItemDefaults(job.spec, items));
  const spec = job.generatesSelector ? withGeneratedSelector(defaulted, name, uid) : defaulted;
  const { template, errors, warnings } = admitPodTemplate(spec.template, {
    indexed: spec.completionMode === 'Indexed',
    name,
    namespace,
    annotations,
    items,
  });
  // Kubernetes applies the default for labels again when it reads a stored Job, and then takes the generated ones.
  const shownLabels = isEmpty(labels) ? template.metadata.labels : labels;
  const metadata: ObjectMeta = {
    name,
    namespace,
    ...(generateName === '' ? {} : { generateName }),
    ...(isEmpty(shownLabels) ? {} : { labels: shownLabels }),
    ...(isEmpty(annotations) ? {} : { annotations }),
    ...ties,
  };
  const manifest: JobManifest = { apiVersion: 'batch/v1', kind: 'Job', metadata, spec: specOf(spec, template) };
  return {
    spec,
    manifest,
    errors: [
      ...labelErrors('metadata.labels', labels),
      ...annotationErrors('metadata.annotations', annotations),
      ...ownAnnotationErrors('metadata.annotations', annotations, { setByServer: true }),
      ...(read.kind === 'bad' ? read.errors : []),
      ...(items === null ? [] : itemSpecErrors(items, spec)),
      ...selectionErrors(annotations, spec),
      ...dependencyErrors(name, annotations),
      ...annotationNeedErrors(annotations, spec),
      ...successAnnotationErrors(annotations, spec),
      ...gangErrors(annotations, spec),
      ...tieErrors('metadata', ties),
      ...generatedSelectorErrors(spec, name, uid),
      ...jobSpecErrors(spec),
      ...errors,
      ...templateOfJobErrors(spec),
      ...hostnameErrors(spec, name),
      ...hostNameErrors(spec, { name, namespace, annotations }, hosts),
      ...taskErrors(withLongestImage(manifest, items), { isWhole: errors.length === 0 }),
      ...(items === null ? [] : itemTaskErrors(manifest, items)),
    ],
    templateWarnings: warnings,
  };
}

/** A Job without labels gets those of its template. */
export const labelsOf = ({ metadata, spec }: JobShape): Labels | undefined =>
  isEmpty(metadata?.labels) ? spec.template?.metadata?.labels : metadata?.labels;

const isEmpty = (labels: Labels | undefined): labels is undefined =>
  labels === undefined || Object.keys(labels).length === 0;

/** The spec as it is stored, without omitted fields. */
const specOf = (spec: DefaultedSpec, template: PodTemplate): JobManifestSpec => ({
  parallelism: spec.parallelism,
  ...(spec.completions === undefined ? {} : { completions: spec.completions }),
  completionMode: spec.completionMode === 'Indexed' ? 'Indexed' : 'NonIndexed',
  backoffLimit: spec.backoffLimit,
  ...(spec.backoffLimitPerIndex === undefined ? {} : { backoffLimitPerIndex: spec.backoffLimitPerIndex }),
  ...(spec.maxFailedIndexes === undefined ? {} : { maxFailedIndexes: spec.maxFailedIndexes }),
  ...(spec.podFailurePolicy === undefined ? {} : { podFailurePolicy: podFailurePolicyOf(spec.podFailurePolicy) }),
  ...(spec.successPolicy === undefined ? {} : { successPolicy: successPolicyOf(spec.successPolicy) }),
  ...(spec.activeDeadlineSeconds === undefined ? {} : { activeDeadlineSeconds: spec.activeDeadlineSeconds }),
  ...(spec.ttlSecondsAfterFinished === undefined ? {} : { ttlSecondsAfterFinished: spec.ttlSecondsAfterFinished }),
  suspend: spec.suspend,
  ...(spec.manualSelector === undefined ? {} : { manualSelector: spec.manualSelector }),
  podReplacementPolicy: spec.podReplacementPolicy === 'TerminatingOrFailed' ? 'TerminatingOrFailed' : 'Failed',
  ...(spec.managedBy === undefined ? {} : { managedBy: spec.managedBy }),
  selector: spec.selector === undefined ? {} : labelSelectorOf(spec.selector),
  template,
});

/** The limit of the generated label job-name. For Jobs without generated labels, the limit is Muster's own. */
const NAME_CHARS_MAX = 63;

const manualNameErrors = (name: string): readonly FieldError[] =>
  name.length > NAME_CHARS_MAX
    ? [invalid('metadata.name', name, `must be no more than ${NAME_CHARS_MAX} characters`)]
    : [];
