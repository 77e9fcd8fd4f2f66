import type { CronJobManifest } from '../domain/cron-manifest.ts';
import { ANYWHERE } from '../../../domain/task/volumes/host-folders.ts';
import {
  checkCronJob,
  cronCommandWarnings,
  cronHostPathErrors,
  cronFargateErrors,
  readCronJob,
} from './cron-admission.ts';
import { namesZone } from './cron-spec-rules.ts';
import { USUAL_OFFER } from '../../../schema/job/host-name-rules.ts';
import { addedFinalizerErrors } from '../../../schema/object/object-metadata.ts';
import { type ObjectUpdate, extentOf, identityErrors, isSame } from '../../../schema/object/object-update.ts';
import type { AdmissionContext } from '../../../schema/job/job-manifest.ts';

/** A stored CronJob that a client changes. */
export type StoredCronJob = {
  readonly manifest: CronJobManifest;
  readonly uid: string;
  /** A user has deleted it, and a finalizer holds it. */
  readonly deleting: boolean;
};

export type CronJobUpdate = ObjectUpdate<CronJobManifest>;

/**
 * Admits a document that replaces a stored CronJob, from a PUT or a patch (kubernetes-job.md 8.2). The whole spec may
 * change, and existing Jobs keep what they have. Ignores `status` and resourceVersion.
 */
export function admitCronJobUpdate(
  stored: StoredCronJob,
  document: unknown,
  {
    fieldValidation,
    hosts = USUAL_OFFER,
    needsCommand = false,
    hostFolders = null,
  }: Pick<AdmissionContext, 'fieldValidation' | 'hosts' | 'needsCommand' | 'hostFolders'>,
): CronJobUpdate {
  const read = readCronJob(document, fieldValidation);
  if (read.kind === 'undecodable') return read;
  const old = stored.manifest;
  const offer = hasSubdomain(old) ? (hosts ?? USUAL_OFFER) : hosts;
  const { manifest, errors, templateWarnings } = checkCronJob(read.object, old.metadata, old.spec, offer);
  const all = [
    ...identityErrors(read.object, stored),
    ...(stored.deleting ? addedFinalizerErrors('metadata', manifest.metadata, old.metadata.finalizers ?? []) : []),
    ...errors,
    ...cronHostPathErrors(read.object, hasSameVolumes(old, manifest) ? ANYWHERE : hostFolders),
    ...(errors.length > 0 ? [] : cronFargateErrors(manifest, hostFolders)),
  ];
  if (all.length > 0) return { kind: 'invalid', name: old.metadata.name, errors: all };
  const changed = extentOf('CronJobSpec', asOfToday(old), manifest);
  const warnings = [
    ...read.warnings,
    ...(changed === 'spec' ? templateWarnings : []),
    ...(changed === 'spec' && needsCommand ? cronCommandWarnings(read.object) : []),
    ...(namesZone(manifest.spec.schedule) ? [ZONE_WARNING] : []),
  ];
  return { kind: 'ok', manifest, warnings, changed };
}

/** What it could mount once it may still say, so that it can be suspended. Its Jobs will be refused. */
const hasSameVolumes = (old: CronJobManifest, next: CronJobManifest): boolean => {
  const volumesOf = ({ spec }: CronJobManifest) => spec.jobTemplate.spec.template.spec.volumes ?? [];
  return isSame(volumesOf(old), volumesOf(next));
};

/** Kubernetes writes the path like this. */
const ZONE_WARNING =
  'cannot use TZ or CRON_TZ in spec.spec.schedule, use timeZone instead, see https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/ for more details';

/** A stored CronJob may keep its subdomain even if the installation no longer has names. Its Jobs will be refused. */
const hasSubdomain = ({ spec }: CronJobManifest): boolean =>
  (spec.jobTemplate.spec.template.spec.subdomain ?? '') !== '';

/** The stored CronJob with the current defaults. An earlier version of Muster may have filled in less. */
function asOfToday(stored: CronJobManifest): CronJobManifest {
  const read = readCronJob(stored, 'Ignore');
  return read.kind === 'read' ? checkCronJob(read.object, stored.metadata, stored.spec, USUAL_OFFER).manifest : stored;
}
