import type { CronJobManifest, CronJobSpec } from '../domain/cron-manifest.ts';
import type { ObjectMeta } from '../../../domain/manifests/manifest.ts';
import { CronJobShape } from './cron-shape.ts';
import { cronAnnotationErrors } from './cron-annotation-rules.ts';
import { CONCURRENCY_POLICIES, type FormerTimes, historyErrors, timesErrors } from './cron-spec-rules.ts';
import { admitJobTemplate } from './cron-template.ts';
import { templateCommandWarnings } from '../../../schema/pod-admission/command-rules.ts';
import type { HostFolders } from '../../../domain/task/volumes/host-folders.ts';
import type { PodOwner } from '../../../domain/task/container-env.ts';
import { nfsPlaceErrors } from '../../../schema/pod/claim-volume-rules.ts';
import { fargateErrors } from '../../../schema/pod/fargate-rules.ts';
import { hostPathErrors } from '../../../schema/pod/host-path-rules.ts';
import { type FieldError, invalid } from '../../../schema/object/field-error.ts';
import { type HostsOffer, USUAL_OFFER } from '../../../schema/job/host-name-rules.ts';
import type { AdmissionContext } from '../../../schema/job/job-manifest.ts';
import { annotationErrors, labelErrors } from '../../../schema/object/metadata-rules.ts';
import { tieErrors, tiesOf } from '../../../schema/object/object-metadata.ts';
import { nameErrors, nameOf, nameWarnings } from '../../../schema/object/object-name.ts';
import {
  type FieldValidation,
  type ReadObject,
  type Undecodable,
  readObject,
  misplacedReading,
} from '../../../schema/object/read-object.ts';

export type CronJobAdmission =
  | { readonly kind: 'ok'; readonly manifest: CronJobManifest; readonly warnings: readonly string[] }
  /** Readable but invalid (422), with all faults. */
  | { readonly kind: 'invalid'; readonly name: string; readonly errors: readonly FieldError[] }
  | Undecodable;

/** A Job's name has at most 63 characters, 11 of them for its time. */
const NAME_CHARS_MAX = 52;

/**
 * Admits an external document as a `batch/v1` CronJob, with Kubernetes 1.34's checks on create (kubernetes-job.md 8.2).
 * Ignores nothing: an unsupported field is a fault with its path.
 */
export function admitCronJob(document: unknown, context: AdmissionContext): CronJobAdmission {
  const { namespace, nameSuffix, fieldValidation, hosts = USUAL_OFFER, needsCommand = false } = context;
  const { hostFolders = null } = context;
  const read = readCronJob(document, fieldValidation);
  if (read.kind === 'undecodable') return read;
  const { metadata } = read.object;
  const misplaced = misplacedReading(metadata, namespace);
  if (misplaced !== null) return misplaced;
  const name = nameOf(metadata, nameSuffix);
  const checked = checkCronJob(read.object, { name, namespace, generateName: metadata?.generateName }, null, hosts);
  const errors = [
    ...nameErrors(name, metadata),
    ...checked.errors,
    ...cronHostPathErrors(read.object, hostFolders),
    ...(checked.errors.length > 0 ? [] : cronFargateErrors(checked.manifest, hostFolders)),
    ...(name.length > NAME_CHARS_MAX
      ? [invalid('metadata.name', name, `must be no more than ${NAME_CHARS_MAX} characters`)]
      : []),
  ];
  return errors.length > 0
    ? { kind: 'invalid', name, errors }
    : {
        kind: 'ok',
        manifest: checked.manifest,
        warnings: [
          ...read.warnings,
          ...nameWarnings(name),
          ...checked.templateWarnings,
          ...(needsCommand ? cronCommandWarnings(read.object) : []),
        ],
      };
}

/** Warnings about its commands, where tasks are local processes. */
export const cronCommandWarnings = ({ spec }: CronJobShape): readonly string[] =>
  templateCommandWarnings('spec.jobTemplate.spec.template.spec', spec.jobTemplate.spec.template?.spec);

/** Faults of what it mounts of this machine, and over the network. */
export const cronHostPathErrors = ({ spec }: CronJobShape, folders: HostFolders): readonly FieldError[] =>
  [hostPathErrors, nfsPlaceErrors].flatMap((errorsOf) =>
    errorsOf('spec.jobTemplate.spec.template.spec', spec.jobTemplate.spec.template?.spec, folders),
  );

/** What it cannot have on Fargate, if it has no other faults. */
export function cronFargateErrors({ metadata, spec }: CronJobManifest, folders: HostFolders): readonly FieldError[] {
  const { metadata: ofJob, spec: job } = spec.jobTemplate;
  const { template, completionMode = 'NonIndexed', backoffLimitPerIndex } = job;
  const owner: PodOwner = {
    metadata: { namespace: metadata.namespace, annotations: ofJob.annotations },
    spec: {
      completionMode,
      ...(backoffLimitPerIndex === undefined ? {} : { backoffLimitPerIndex }),
      template: { ...template, metadata: { labels: {}, ...template.metadata } },
    },
  };
  return fargateErrors('spec.jobTemplate.spec.template.spec', owner, folders);
}

/** Reads an external document as a CronJob, without judging its values. */
export const readCronJob = (document: unknown, fieldValidation: FieldValidation): ReadObject<CronJobShape> =>
  readObject(document, fieldValidation, { apiVersion: 'batch/v1', kind: 'CronJob', shape: CronJobShape });

export type CheckedCronJob = {
  /** Store it only if there are no faults. */
  readonly manifest: CronJobManifest;
  readonly errors: readonly FieldError[];
  readonly templateWarnings: readonly string[];
};

/** The rules for every CronJob, new (`former` is null) or changed, in Kubernetes' order. */
export function checkCronJob(
  { metadata, spec }: CronJobShape,
  identity: { readonly name: string; readonly namespace: string; readonly generateName?: string | undefined },
  former: FormerTimes | null,
  hosts: HostsOffer,
): CheckedCronJob {
  const { labels, annotations } = metadata ?? {};
  const { name, namespace, generateName = '' } = identity;
  const ties = tiesOf(metadata);
  const { template, errors, warnings } = admitJobTemplate(spec.jobTemplate, { name, namespace, hosts });
  const stored: ObjectMeta = {
    name,
    namespace,
    ...(generateName === '' ? {} : { generateName }),
    ...(labels === undefined || Object.keys(labels).length === 0 ? {} : { labels }),
    ...(annotations === undefined || Object.keys(annotations).length === 0 ? {} : { annotations }),
    ...ties,
  };
  const defaulted: CronJobSpec = {
    schedule: spec.schedule ?? '',
    ...(spec.timeZone === undefined ? {} : { timeZone: spec.timeZone }),
    ...(spec.startingDeadlineSeconds === undefined ? {} : { startingDeadlineSeconds: spec.startingDeadlineSeconds }),
    concurrencyPolicy: CONCURRENCY_POLICIES.find((policy) => policy === spec.concurrencyPolicy) ?? 'Allow',
    suspend: spec.suspend ?? false,
    jobTemplate: template,
    successfulJobsHistoryLimit: spec.successfulJobsHistoryLimit ?? 3,
    failedJobsHistoryLimit: spec.failedJobsHistoryLimit ?? 1,
  };
  return {
    manifest: { apiVersion: 'batch/v1', kind: 'CronJob', metadata: stored, spec: defaulted },
    errors: [
      ...labelErrors('metadata.labels', labels),
      ...annotationErrors('metadata.annotations', annotations),
      ...cronAnnotationErrors('metadata.annotations', annotations),
      ...tieErrors('metadata', ties),
      ...timesErrors(spec, former),
      ...errors,
      ...historyErrors(spec),
    ],
    templateWarnings: warnings,
  };
}
