import { asTime } from '../../../domain/base/time.ts';
import { cronRulesOf } from '../domain/cron-rules.ts';
import { API_KINDS } from '../../../domain/kinds/api-kinds.ts';
import { CRON_JOB_ANNOTATIONS } from '../annotations/index.ts';
import type { CronJobManifest, CronJobStatusDocument } from '../domain/cron-manifest.ts';
import type { StoredDocument } from '../../../ports/object-store.ts';
import { admitCronJob } from '../schema/cron-admission.ts';
import { type CronJobStanding, cronJobDocument, storedCronJob } from '../schema/cron-document.ts';
import { admitCronJobStatus } from '../schema/cron-status.ts';
import { admitCronJobUpdate } from '../schema/cron-update.ts';
import { USUAL_OFFER } from '../../../schema/job/host-name-rules.ts';
import { type Extent, isSame } from '../../../schema/object/object-update.ts';
import type { FieldValidation } from '../../../schema/object/read-object.ts';
import type { ApiDeps } from '../../../kube/http/api-deps.ts';
import type { KubeObject } from '../../../kube/http/kube-object.ts';
import { type RunsAs, accountObjection } from '../../../kube/write/account-objection.ts';
import { defineKind } from '../../../kube/write/define-kind.ts';
import { schedulerHooks } from '../../../kube/write/scheduler-hooks.ts';
import type { FoundStored, KindForm, KindHooks } from '../../../kube/write/stored-kind.ts';
import type { AdmittedUpdate } from '../../../kube/write/writable-kind.ts';
import { CRON_JOB_PRINTER } from './cronjob-printer.ts';

type AdmittedCronJob = { readonly document: ReturnType<typeof cronJobDocument> };

/** `batch/v1` CronJobs. `control` creates their Jobs and writes their status. */
export const CRON_JOB_KIND = defineKind<AdmittedCronJob>({
  resource: 'CronJob',
  form: formOf,
  printer: CRON_JOB_PRINTER,
  hooks: hooksOf,
  subresources: [['status', admitStatus]],
});

function formOf({ clock, hosts = USUAL_OFFER, needsCommand, hostFolders }: ApiDeps): KindForm<AdmittedCronJob> {
  return {
    admit(document, context) {
      const admission = admitCronJob(document, { ...context, hosts, needsCommand, hostFolders });
      if (admission.kind !== 'ok') return admission;
      const { manifest, warnings } = admission;
      const creationTimestamp = asTime(clock.now());
      const standing = { uid: context.uid, creationTimestamp, generation: 1, deletion: null, status: {} };
      return { kind: 'ok', admitted: admittedOf(manifest, standing), warnings };
    },
    admitUpdate({ object, stored }, document, fieldValidation) {
      const context = { fieldValidation, hosts, needsCommand, hostFolders };
      const update = admitCronJobUpdate(storedCronJob(stored.document), document, context);
      if (update.kind !== 'ok') return update;
      const { manifest, warnings, changed } = update;
      return { kind: 'ok', admitted: admittedOf(manifest, standingOf(object)), warnings, changed };
    },
  };
}

/** The status of CronJobs as other controllers write it. */
function admitStatus(
  { object, stored }: FoundStored,
  document: unknown,
  fieldValidation: FieldValidation,
): AdmittedUpdate<AdmittedCronJob> {
  const update = admitCronJobStatus(storedCronJob(stored.document), document, { fieldValidation });
  if (update.kind !== 'ok') return update;
  const { manifest, status, warnings } = update;
  const standing = standingOf(object);
  const changed = isSame(standing.status, status) ? update.changed : 'metadata';
  return { kind: 'ok', admitted: admittedOf(manifest, { ...standing, status }), warnings, changed };
}

type Standing = Omit<CronJobStanding, 'managedFields'>;

const admittedOf = (manifest: CronJobManifest, standing: Standing): AdmittedCronJob => ({
  document: cronJobDocument(manifest, { ...standing, managedFields: [] }),
});

function standingOf({ metadata, status = {} }: KubeObject): Standing {
  const { uid, creationTimestamp, generation = 1, deletionTimestamp } = metadata;
  const deletion = deletionTimestamp === undefined ? null : { at: deletionTimestamp };
  // What is stored was admitted as a CronJob.
  return { uid, creationTimestamp, generation, deletion, status: status as CronJobStatusDocument };
}

function hooksOf(deps: ApiDeps): KindHooks<AdmittedCronJob> {
  return {
    ...schedulerHooks(deps.owners('CronJob'), isNews),
    // It takes the metadata, too, which says which objects start Jobs.
    objection: accountObjection(
      API_KINDS.CronJob,
      'spec.jobTemplate.spec.template.spec.serviceAccountName',
      {
        runs: ({ document }) => runsAs(document),
        ran: ({ stored }) => runsAs(storedCronJob(stored.document).manifest),
      },
      deps,
    ),
  };
}

/** The keys of objects that start its Jobs are variables there. */
const runsAs = ({ metadata, spec: { jobTemplate } }: Pick<CronJobManifest, 'metadata' | 'spec'>): RunsAs => ({
  account: jobTemplate.spec.template.spec.serviceAccountName ?? null,
  program: { jobTemplate, objects: metadata.annotations?.[CRON_JOB_ANNOTATIONS.onObjectCreated.key] ?? null },
});

/** Whether its scheduler must look at a change: at its spec, or at the annotations that it reads. */
const isNews = (was: StoredDocument, is: StoredDocument, changed: Extent): boolean =>
  changed === 'spec' || !isSame(rulesOf(was), rulesOf(is));

const rulesOf = (document: StoredDocument) => cronRulesOf(storedCronJob(document).manifest.metadata.annotations);
