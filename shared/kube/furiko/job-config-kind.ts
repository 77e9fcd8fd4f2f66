import { asTime } from '../../domain/base/time.ts';
import { FURIKO_API_VERSION } from '../../domain/furiko/furiko-job.ts';
import type { JobConfigManifest, JobConfigSpec, JobConfigStatusDocument } from '../../domain/furiko/job-config.ts';
import type { ManagedFieldsEntry } from '../../domain/spec/manifest.ts';
import type { StoredDocument, StoredObject } from '../../ports/object-store.ts';
import { admitJobConfig, storedJobConfig } from '../../schema/furiko/job-config-admission.ts';
import { admitJobConfigUpdate } from '../../schema/furiko/job-config-update.ts';
import { USUAL_OFFER } from '../../schema/job/host-name-rules.ts';
import { namespaceStanding } from '../../store/namespace-standing.ts';
import type { ApiDeps } from '../http/api-deps.ts';
import { API_KINDS } from '../../domain/kinds/api-kinds.ts';
import { at } from '../list/stored-field.ts';
import { renderStored } from '../list/stored-objects.ts';
import { type RunsAs, accountIn, accountObjection } from '../write/account-objection.ts';
import type { Found, WritableKind } from '../write/writable-kind.ts';

/** An existing JobConfig: as shown and as stored. */
export type FoundJobConfig = Found & { readonly stored: StoredObject };

/** Values of options stand in the template's commands and images. */
const runsAs = ({ spec: { template, option } }: JobConfigManifest): RunsAs => ({
  account: accountIn(at(template, 'spec', 'taskTemplate', 'pod', 'spec')),
  program: { template, option },
});

/** An admitted JobConfig, and what the server knows about it. */
export type AdmittedJobConfig = {
  readonly manifest: JobConfigManifest;
  readonly uid: string;
  readonly creationTimestamp: string;
  readonly generation: number;
  /** When it was deleted, if a finalizer holds it. */
  readonly deletionTimestamp: string | undefined;
  readonly status: JobConfigStatusDocument;
};

/** JobConfigs as users write them. `control/configs` writes their status. */
export function jobConfigKind(deps: ApiDeps): WritableKind<FoundJobConfig, AdmittedJobConfig> {
  const { objects, clock, configCommands, quotaCommands, hosts = USUAL_OFFER, needsCommand } = deps;

  return {
    resource: API_KINDS.JobConfig,
    apiVersion: FURIKO_API_VERSION,
    type: 'JobConfig',
    orphans: null,
    objection: accountObjection(
      API_KINDS.JobConfig,
      'spec.template.spec.taskTemplate.pod.spec.serviceAccountName',
      {
        runs: ({ manifest }) => runsAs(manifest),
        ran: ({ stored }) => runsAs(storedJobConfig(stored.document).manifest),
      },
      deps,
    ),

    async find(key) {
      const stored = await objects.read('JobConfig', key);
      return stored === null ? null : { object: renderStored(stored), stored };
    },

    admit(document, context) {
      const now = clock.now();
      const admission = admitJobConfig(document, { ...context, hosts, needsCommand, now });
      if (admission.kind !== 'ok') return admission;
      const { manifest, warnings } = admission;
      const admitted = {
        manifest,
        uid: context.uid,
        creationTimestamp: asTime(now),
        generation: 1,
        deletionTimestamp: undefined,
        status: newStatus(manifest.spec),
      };
      return { kind: 'ok', admitted, name: manifest.metadata.name, warnings };
    },

    admitUpdate({ object, stored }, document, fieldValidation) {
      const context = { now: clock.now(), fieldValidation, hosts, needsCommand };
      const update = admitJobConfigUpdate(storedJobConfig(stored.document), document, context);
      if (update.kind !== 'ok') return update;
      const { manifest, warnings, changed } = update;
      const { uid, creationTimestamp, generation = 1, deletionTimestamp } = object.metadata;
      // What is stored has the status that its scheduler, or its creation, gave it.
      const status = object['status'] as JobConfigStatusDocument;
      const admitted = { manifest, uid, creationTimestamp, generation, deletionTimestamp, status };
      return { kind: 'ok', admitted, warnings, changed };
    },

    preview: (admitted) =>
      renderStored({ key: keyOf(admitted.manifest), version: 0, document: documentOf(admitted, []) }),

    async create(admitted, managedFields) {
      const { uid } = admitted;
      const key = keyOf(admitted.manifest);
      const document = documentOf(admitted, managedFields);
      const committed = await quotaCommands.createObject('JobConfig', uid, key, async () => {
        await configCommands.armConfig(uid, key);
        return objects.commit('JobConfig', { key, was: 0, document });
      });
      if (committed.kind === 'forbidden') return committed;
      if (committed.kind === 'lost') return { kind: 'taken' };
      if (committed.kind !== 'committed') return { kind: committed.kind };
      await configCommands.wakeConfig(uid);
      return { kind: 'created', object: renderStored({ key, version: committed.version, document }) };
    },

    async wouldCreate({ manifest, uid }) {
      const key = keyOf(manifest);
      const standing = await namespaceStanding(key.namespace, { objects });
      if (standing !== 'open') return { kind: standing };
      if ((await objects.read('JobConfig', key)) !== null) return { kind: 'taken' };
      return quotaCommands.tryObject('JobConfig', uid, key);
    },

    async replace({ stored }, admitted, managedFields, changed) {
      const { uid, deletionTimestamp } = admitted;
      const generation = admitted.generation + (changed === 'spec' ? 1 : 0);
      const document = documentOf({ ...admitted, generation }, managedFields);
      if (changed === 'spec') await configCommands.armConfig(uid, stored.key);
      const committed = await objects.commit('JobConfig', { key: stored.key, was: stored.version, document });
      if (committed.kind !== 'committed') return { kind: 'lost' };
      const replaced = { ...stored, version: committed.version, document };
      if (changed === 'spec') await configCommands.wakeConfig(uid);
      // Without its last finalizer, a deleted JobConfig is gone.
      if (deletionTimestamp !== undefined) await configCommands.finishConfig(replaced);
      return { kind: 'replaced', object: renderStored(replaced) };
    },

    async remove({ stored }, propagation) {
      const removed = await configCommands.deleteConfig(stored, propagation);
      return removed.kind === 'terminating'
        ? { kind: 'terminating', object: renderStored(removed.object) }
        : { kind: removed.kind };
    },
  };
}

/** Until its scheduler has looked at it. */
const newStatus = ({ schedule }: JobConfigSpec): JobConfigStatusDocument => ({
  state: schedule === undefined ? 'Ready' : schedule.disabled === true ? 'ReadyDisabled' : 'ReadyEnabled',
  queued: 0,
  active: 0,
});

const keyOf = ({ metadata: { namespace, name } }: JobConfigManifest) => ({ namespace, name });

/** As it is stored: as it is shown, without its resourceVersion. */
function documentOf(
  { manifest, uid, creationTimestamp, generation, deletionTimestamp, status }: AdmittedJobConfig,
  managedFields: readonly ManagedFieldsEntry[],
): StoredDocument {
  const { apiVersion, kind, metadata, spec } = manifest;
  const { managedFields: _before, ...own } = metadata;
  return {
    apiVersion,
    kind,
    metadata: {
      ...own,
      uid,
      generation,
      creationTimestamp,
      ...(deletionTimestamp === undefined ? {} : { deletionTimestamp, deletionGracePeriodSeconds: 0 }),
      ...(managedFields.length === 0 ? {} : { managedFields }),
    },
    spec,
    status,
  };
}
