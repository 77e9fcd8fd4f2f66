import type { CronJobManifest } from '../domain/cron-manifest.ts';
import { judgeCronJob, readCronJob } from './cron-admission.ts';
import { namesZone } from './cron-spec-rules.ts';
import type { Fault } from './fault.ts';
import { type HostsOffer, USUAL_OFFER } from './host-name-rules.ts';
import { identityFaults, isSame } from './job-update.ts';
import { meaningOf } from './kept-fields.ts';
import { addedFinalizerFaults } from './object-metadata.ts';
import type { FieldValidation, Undecodable } from './read-object.ts';

/** What the server knows of a CronJob that is to be changed. */
export type StoredCronJob = {
  readonly manifest: CronJobManifest;
  readonly uid: string;
  /** A user has deleted it, and something holds it. */
  readonly deleting: boolean;
};

export type CronJobUpdate =
  | {
      readonly kind: 'ok';
      readonly manifest: CronJobManifest;
      readonly warnings: readonly string[];
      /** The most that differs; the generation counts changes of the spec only. */
      readonly changed: 'nothing' | 'metadata' | 'spec';
    }
  /** Readable, but wrong (422). All that is wrong is listed. */
  | { readonly kind: 'invalid'; readonly name: string; readonly faults: readonly Fault[] }
  | Undecodable;

/**
 * Admits a whole new document in place of a stored CronJob, as PUT sends it or as a patch makes it (kubernetes-job.md
 * 8.2): everything in the spec may change; what its Jobs were made from stays theirs. `status` and resourceVersion are
 * not looked at.
 */
export function admitCronJobUpdate(
  stored: StoredCronJob,
  document: unknown,
  { fieldValidation, hosts = USUAL_OFFER }: { readonly fieldValidation: FieldValidation; readonly hosts?: HostsOffer },
): CronJobUpdate {
  const read = readCronJob(document, fieldValidation);
  if (read.kind === 'undecodable') return read;
  const old = stored.manifest;
  const offer = hasSubdomain(old) ? (hosts ?? USUAL_OFFER) : hosts;
  const { manifest, faults, templateWarnings } = judgeCronJob(read.object, old.metadata, old.spec, offer);
  const all = [
    ...identityFaults(read.object, stored),
    ...(stored.deleting ? addedFinalizerFaults('metadata', manifest.metadata, old.metadata.finalizers ?? []) : []),
    ...faults,
  ];
  if (all.length > 0) return { kind: 'invalid', name: old.metadata.name, faults: all };
  const changed = changeOf(asOfToday(old), manifest);
  const warnings = [
    ...read.warnings,
    ...(changed === 'spec' ? templateWarnings : []),
    ...(namesZone(manifest.spec.schedule) ? [ZONE_WARNING] : []),
  ];
  return { kind: 'ok', manifest, warnings, changed };
}

/** Kubernetes names the path so. */
const ZONE_WARNING =
  'cannot use TZ or CRON_TZ in spec.spec.schedule, use timeZone instead, see https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/ for more details';

/** Whoever had it may keep it, also where no names are given any more: the Jobs themselves will be refused. */
const hasSubdomain = ({ spec }: CronJobManifest): boolean =>
  (spec.jobTemplate.spec.template.spec.subdomain ?? '') !== '';

/** The stored CronJob as it would be admitted now: an earlier Muster may have filled in less. */
function asOfToday(stored: CronJobManifest): CronJobManifest {
  const read = readCronJob(stored, 'Ignore');
  return read.kind === 'read' ? judgeCronJob(read.object, stored.metadata, stored.spec, USUAL_OFFER).manifest : stored;
}

function changeOf(old: CronJobManifest, manifest: CronJobManifest): 'nothing' | 'metadata' | 'spec' {
  if (!isSame(meaningOf('CronJobSpec', old.spec), meaningOf('CronJobSpec', manifest.spec))) return 'spec';
  const { managedFields: _, ...before } = old.metadata;
  return isSame(before, manifest.metadata) ? 'nothing' : 'metadata';
}
