import { asTime } from '../../domain/base/time.ts';
import { ANNOTATIONS } from '../../domain/spec/annotations.ts';
import { cronRulesOf } from '../../domain/cron/cron-rules.ts';
import type { CronJobManifest, CronJobStatusDocument } from '../../domain/spec/cron-manifest.ts';
import type { StoredObject } from '../../ports/object-store.ts';
import { admitCronJob } from '../../schema/cron/cron-admission.ts';
import { type CronJobStanding, cronJobDocument, storedCronJob } from '../../schema/cron/cron-document.ts';
import { admitCronJobStatus } from '../../schema/cron/cron-status.ts';
import { isSame } from '../../schema/object/object-update.ts';
import { admitCronJobUpdate } from '../../schema/cron/cron-update.ts';
import { USUAL_OFFER } from '../../schema/job/host-name-rules.ts';
import type { ApiDeps } from '../http/api-deps.ts';
import type { KubeObject } from '../http/kube-object.ts';
import { API_KINDS } from '../../domain/kinds/api-kinds.ts';
import { renderStored } from '../list/stored-objects.ts';
import { type RunsAs, accountObjection } from '../write/account-objection.ts';
import type { Found, Subresource, WritableKind } from '../write/writable-kind.ts';
import { namespaceStanding } from '../../store/namespace-standing.ts';

/** An existing CronJob: as shown and as stored. */
export type FoundCronJob = Found & { readonly stored: StoredObject };

/** The keys of objects that start its Jobs are variables there. */
const runsAs = ({ metadata, spec: { jobTemplate } }: CronJobManifest): RunsAs => ({
  account: jobTemplate.spec.template.spec.serviceAccountName ?? null,
  program: { jobTemplate, objects: metadata.annotations?.[ANNOTATIONS.onObjectCreated] ?? null },
});

/** An admitted CronJob. */
export type AdmittedCronJob = { readonly manifest: CronJobManifest; readonly standing: CronJobStanding };

/** CronJobs as users write them. */
export function cronJobKind(deps: ApiDeps): WritableKind<FoundCronJob, AdmittedCronJob> {
  const { objects, clock, cronJobCommands, quotaCommands, hosts = USUAL_OFFER, needsCommand } = deps;
  const found = (stored: StoredObject): FoundCronJob => ({ object: renderStored(stored), stored });

  return {
    resource: API_KINDS.CronJob,
    apiVersion: 'batch/v1',
    type: 'CronJob',
    orphans: null,
    objection: accountObjection(
      API_KINDS.CronJob,
      'spec.jobTemplate.spec.template.spec.serviceAccountName',
      {
        runs: ({ manifest }) => runsAs(manifest),
        ran: ({ stored }) => runsAs(storedCronJob(stored.document).manifest),
      },
      deps,
    ),

    async find(key) {
      const stored = await objects.read('CronJob', key);
      return stored === null ? null : found(stored);
    },

    admit(document, context) {
      const admission = admitCronJob(document, { ...context, hosts, needsCommand });
      if (admission.kind !== 'ok') return admission;
      const { manifest, warnings } = admission;
      const creationTimestamp = asTime(clock.now());
      const standing = {
        uid: context.uid,
        creationTimestamp,
        generation: 1,
        managedFields: [],
        deletion: null,
        status: {},
      };
      return { kind: 'ok', admitted: { manifest, standing }, name: manifest.metadata.name, warnings };
    },

    admitUpdate({ object, stored }, document, fieldValidation) {
      const update = admitCronJobUpdate(storedCronJob(stored.document), document, {
        fieldValidation,
        hosts,
        needsCommand,
      });
      if (update.kind !== 'ok') return update;
      const { manifest, warnings, changed } = update;
      return { kind: 'ok', admitted: { manifest, standing: standingOfObject(object) }, warnings, changed };
    },

    preview: (admitted) => rendered(admitted, 0),

    async create(admitted, managedFields) {
      const { manifest, standing } = admitted;
      const document = cronJobDocument(manifest, { ...standing, managedFields });
      const key = keyOf(manifest);
      const committed = await quotaCommands.createObject('CronJob', standing.uid, key, async () => {
        await cronJobCommands.armCronJob(standing.uid, key);
        return objects.commit('CronJob', { key, was: 0, document });
      });
      if (committed.kind === 'forbidden') return committed;
      if (committed.kind === 'lost') return { kind: 'taken' };
      if (committed.kind !== 'committed') return { kind: committed.kind };
      await cronJobCommands.wakeCronJob(standing.uid);
      return { kind: 'created', object: renderStored({ key, version: committed.version, document }) };
    },

    async wouldCreate({ manifest, standing: { uid } }) {
      const key = keyOf(manifest);
      const standing = await namespaceStanding(key.namespace, { objects });
      if (standing !== 'open') return { kind: standing };
      if ((await objects.read('CronJob', key)) !== null) return { kind: 'taken' };
      return quotaCommands.tryObject('CronJob', uid, key);
    },

    async replace({ stored }, { manifest, standing }, managedFields, changed) {
      const generation = standing.generation + (changed === 'spec' ? 1 : 0);
      const document = cronJobDocument(manifest, { ...standing, generation, managedFields });
      const isNews = changed === 'spec' || !isSame(rulesOf(stored), rulesOf({ document }));
      if (isNews) await cronJobCommands.armCronJob(standing.uid, stored.key);
      const committed = await objects.commit('CronJob', { key: stored.key, was: stored.version, document });
      if (committed.kind !== 'committed') return { kind: 'lost' };
      const replaced = { ...stored, version: committed.version, document };
      if (isNews) await cronJobCommands.wakeCronJob(standing.uid);
      // Without its last finalizer, a deleted CronJob is gone.
      if (standing.deletion !== null) await cronJobCommands.finishCronJob(replaced);
      return { kind: 'replaced', object: renderStored(replaced) };
    },

    async remove({ stored }, propagation) {
      const removed = await cronJobCommands.deleteCronJob(stored, propagation);
      return removed.kind === 'terminating'
        ? { kind: 'terminating', object: renderStored(removed.object) }
        : { kind: removed.kind };
    },
  };
}

/** What the scheduler reads of a CronJob beside its spec. */
const rulesOf = ({ document }: Pick<StoredObject, 'document'>) =>
  cronRulesOf(storedCronJob(document).manifest.metadata.annotations);

const keyOf = ({ metadata: { namespace, name } }: CronJobManifest) => ({ namespace, name });

const rendered = ({ manifest, standing }: AdmittedCronJob, version: number): KubeObject =>
  renderStored({ key: keyOf(manifest), version, document: cronJobDocument(manifest, standing) });

/** The status of CronJobs as other controllers write it. */
export function cronJobStatusKind(deps: ApiDeps): Subresource<FoundCronJob, AdmittedCronJob> {
  const whole = cronJobKind(deps);
  return {
    resource: whole.resource,
    apiVersion: whole.apiVersion,
    type: whole.type,
    subresource: 'status',
    // It takes the metadata, too, which says which objects start Jobs.
    ...(whole.objection === undefined ? {} : { objection: whole.objection }),
    find: (key, published) => whole.find(key, published),
    admitUpdate({ object, stored }, document, fieldValidation) {
      const update = admitCronJobStatus(storedCronJob(stored.document), document, { fieldValidation });
      if (update.kind !== 'ok') return update;
      const { manifest, status, warnings } = update;
      const standing = standingOfObject(object);
      const changed = isSame(standing.status, status) ? update.changed : 'metadata';
      return { kind: 'ok', admitted: { manifest, standing: { ...standing, status } }, warnings, changed };
    },
    preview: (admitted) => whole.preview(admitted),
    replace: (found, admitted, managedFields, changed, user) =>
      whole.replace(found, admitted, managedFields, changed, user),
  };
}

function standingOfObject({ metadata, status = {} }: KubeObject): CronJobStanding {
  const { uid, creationTimestamp, generation = 1, managedFields = [], deletionTimestamp } = metadata;
  const deletion = deletionTimestamp === undefined ? null : { at: deletionTimestamp };
  // What is stored was admitted as a CronJob.
  return { uid, creationTimestamp, generation, managedFields, deletion, status: status as CronJobStatusDocument };
}
