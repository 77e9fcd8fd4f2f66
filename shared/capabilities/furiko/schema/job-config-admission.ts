import { asEpochMs, type EpochMs } from '../../../domain/base/time.ts';
import { FURIKO_API_VERSION } from '../domain/furiko-job.ts';
import type { JobConfigManifest, JobConfigSpec } from '../domain/job-config.ts';
import { scheduledJobName } from '../domain/scheduled-job.ts';
import { ANYWHERE, type HostFolders } from '../../../domain/task/volumes/host-folders.ts';
import { type HostsOffer, USUAL_OFFER } from '../../../schema/job/host-name-rules.ts';
import { type FieldError, forbidden, invalid } from '../../../schema/object/field-error.ts';
import { isSame } from '../../../schema/object/object-update.ts';
import { annotationErrors, labelErrors, ownAnnotationErrors } from '../../../schema/object/metadata-rules.ts';
import { tieErrors } from '../../../schema/object/object-metadata.ts';
import { nameErrors, nameOf } from '../../../schema/object/object-name.ts';
import {
  type FieldValidation,
  type ReadObject,
  readObject,
  misplacedReading,
} from '../../../schema/object/read-object.ts';
import { refusedFields } from '../../../schema/pod/pod-fields.ts';
import { labelParts } from '../../../schema/object/object-metadata.ts';
import { lengthErrors, tiesWithoutFurikos } from './furiko-job-admission.ts';
import type { JobConfigAdmission, JobConfigContext, StoredJobConfig } from './furiko-admission-context.ts';
import { writtenTemplate } from './furiko-spec.ts';
import {
  CONCURRENCY_POLICIES,
  forcedDeletionWarnings,
  furikoTemplateErrors,
  policyErrors,
} from './furiko-spec-rules.ts';
import { JobConfigShape, type JobConfigSpecShape } from './job-config-shape.ts';
import { optionErrors, optionOf } from './option-rules.ts';
import { ownAnnotationErrorsOf } from './own-annotations.ts';
import { datedSchedule, scheduleErrors, scheduleOf } from './schedule-rules.ts';
import { type TrialOwner, tryTemplate } from './template-trial.ts';

/** A slot adds its second, and a task its number. */
const NAME_CHARS_MAX = 49;

/** Reads an external document as a JobConfig, without judging its values. */
export const readJobConfig = (document: unknown, fieldValidation: FieldValidation): ReadObject<JobConfigShape> =>
  readObject(document, fieldValidation, { apiVersion: FURIKO_API_VERSION, kind: 'JobConfig', shape: JobConfigShape });

/** Admits an external document as a new JobConfig. Its template is tried: a Job is made of it, with some value for each option. */
export function admitJobConfig(document: unknown, context: JobConfigContext): JobConfigAdmission {
  const { namespace, nameSuffix, fieldValidation, now, hosts = USUAL_OFFER, needsCommand = false } = context;
  const { hostFolders = null } = context;
  const read = readJobConfig(document, fieldValidation);
  if (read.kind === 'undecodable') return read;
  const { metadata } = read.object;
  const misplaced = misplacedReading(metadata, namespace);
  if (misplaced !== null) return misplaced;
  const name = nameOf(metadata, nameSuffix);
  const identity = { name, namespace, generateName: metadata?.generateName };
  const checked = checkJobConfig(read.object, identity, { former: null, now, hosts, needsCommand, hostFolders });
  const errors = [...nameErrors(name, metadata), ...checked.errors];
  return errors.length > 0
    ? { kind: 'invalid', name, errors }
    : { kind: 'ok', manifest: checked.manifest, warnings: [...read.warnings, ...checked.warnings] };
}

export type CheckedJobConfig = {
  /** Store it only if there are no faults. */
  readonly manifest: JobConfigManifest;
  readonly errors: readonly FieldError[];
  readonly warnings: readonly string[];
};

/** The rules for every JobConfig, new (`former` is null) or changed, in Furiko's order. */
export function checkJobConfig(
  { metadata, spec }: JobConfigShape,
  identity: { readonly name: string; readonly namespace: string; readonly generateName?: string | undefined },
  context: {
    readonly former: JobConfigSpec | null;
    readonly now: EpochMs;
    readonly hosts: HostsOffer;
    readonly needsCommand?: boolean;
    readonly hostFolders?: HostFolders;
  },
): CheckedJobConfig {
  const { labels, annotations } = metadata ?? {};
  const before = [
    ...labelErrors('metadata.labels', labels),
    ...annotationErrors('metadata.annotations', annotations),
    ...tieErrors('metadata', tiesWithoutFurikos(metadata)),
    ...lengthErrors(identity.name, NAME_CHARS_MAX),
    ...templateErrors(spec),
  ];
  const after = [
    ...concurrencyErrors(spec.concurrency),
    ...(spec.schedule === undefined ? [] : scheduleErrors(spec.schedule, identity)),
    ...optionErrors('spec.option.options', spec.option?.options ?? []),
  ];
  const config = withDate(jobConfigSpecOf(spec), context);
  const trial =
    before.length + after.length > 0
      ? NOTHING
      : tryTemplate(
          spec.template.spec,
          config,
          ownerOf(identity, { ...context, hostFolders: foldersFor(config, context) }),
        );
  return {
    manifest: manifestOf(metadata, identity, config),
    errors: [...before, ...trial.errors, ...after],
    warnings: [...forcedDeletionWarnings('spec.template.spec', spec.template.spec), ...trial.warnings],
  };
}

/** What it could mount once it may still say, so that its schedule can be disabled. Its Jobs will be refused. */
const foldersFor = (
  { template }: JobConfigSpec,
  { former, hostFolders = null }: { readonly former: JobConfigSpec | null; readonly hostFolders?: HostFolders },
): HostFolders => (former !== null && isSame(former.template, template) ? ANYWHERE : hostFolders);

const NOTHING = { errors: [], warnings: [] } as const;

/** A Job of the longest name: seconds have ten digits until the year 2286. */
const ownerOf = (
  { name, namespace }: { readonly name: string; readonly namespace: string },
  {
    hosts,
    needsCommand = false,
    hostFolders = null,
  }: { readonly hosts: HostsOffer; readonly needsCommand?: boolean; readonly hostFolders?: HostFolders },
): TrialOwner => ({ config: name, job: scheduledJobName(name, LONGEST), namespace, hosts, needsCommand, hostFolders });

const LONGEST = asEpochMs(1_000_000_000_000);

function templateErrors({ template }: JobConfigSpecShape): readonly FieldError[] {
  const path = 'spec.template.metadata';
  const { labels, annotations } = template.metadata ?? {};
  return [
    ...labelErrors(`${path}.labels`, labels),
    ...annotationErrors(`${path}.annotations`, annotations),
    ...ownAnnotationErrorsOf(`${path}.annotations`, annotations),
    ...ownAnnotationErrors(`${path}.annotations`, annotations),
    ...refusedFields('metadata', path, template.metadata),
    ...furikoTemplateErrors('spec.template.spec', template.spec),
  ];
}

function concurrencyErrors(concurrency: JobConfigSpecShape['concurrency']): readonly FieldError[] {
  const { policy, maxConcurrency } = concurrency ?? {};
  const path = 'spec.concurrency.maxConcurrency';
  return [
    ...policyErrors('spec.concurrency.policy', policy),
    ...(maxConcurrency === undefined || policy !== 'Allow'
      ? []
      : [forbidden(path, 'cannot specify maxConcurrency with the policy Allow')]),
    ...(maxConcurrency !== undefined && maxConcurrency <= 0
      ? [invalid(path, maxConcurrency, 'must be greater than 0')]
      : []),
  ];
}

function withDate(
  { schedule, ...spec }: JobConfigSpec,
  { former, now }: { readonly former: JobConfigSpec | null; readonly now: EpochMs },
): JobConfigSpec {
  return schedule === undefined ? spec : { ...spec, schedule: datedSchedule(schedule, former?.schedule, now) };
}

/** The spec as it is stored. */
function jobConfigSpecOf({ template, concurrency, schedule, option }: JobConfigSpecShape): JobConfigSpec {
  const policy = CONCURRENCY_POLICIES.find((known) => known === concurrency?.policy) ?? 'Allow';
  const metadata = labelParts(template.metadata);
  const options = option?.options ?? [];
  return {
    template: { ...(Object.keys(metadata).length === 0 ? {} : { metadata }), spec: writtenTemplate(template.spec) },
    concurrency: { policy, ...(policy === 'Allow' ? {} : { maxConcurrency: concurrency?.maxConcurrency ?? 1 }) },
    ...(schedule === undefined ? {} : { schedule: scheduleOf(schedule) }),
    ...(options.length === 0 ? {} : { option: { options: options.map(optionOf) } }),
  };
}

/** Reads a stored document, with the current defaults. Throws if it is not a JobConfig. */
export function storedJobConfig(document: {
  readonly metadata: { readonly uid: string; readonly [field: string]: unknown };
}): StoredJobConfig {
  const read = readJobConfig(document, 'Ignore');
  if (read.kind === 'undecodable') throw new Error(`a stored JobConfig cannot be read: ${read.message}`);
  const { metadata, spec } = read.object;
  const { uid, deletionTimestamp } = document.metadata;
  const manifest = manifestOf(metadata, metadata ?? {}, jobConfigSpecOf(spec));
  return { manifest, uid, deleting: deletionTimestamp !== undefined };
}

const manifestOf = (
  metadata: JobConfigShape['metadata'],
  { name = '', namespace = '', generateName = '' }: Identity,
  spec: JobConfigSpec,
): JobConfigManifest => ({
  apiVersion: FURIKO_API_VERSION,
  kind: 'JobConfig',
  metadata: {
    name,
    namespace,
    ...(generateName === '' ? {} : { generateName }),
    ...labelParts(metadata),
    ...tiesWithoutFurikos(metadata),
  },
  spec,
});

type Identity = {
  readonly name?: string | undefined;
  readonly namespace?: string | undefined;
  readonly generateName?: string | undefined;
};
