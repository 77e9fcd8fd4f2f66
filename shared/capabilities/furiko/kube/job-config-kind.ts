import { asTime } from '../../../domain/base/time.ts';
import type { JobConfigManifest, JobConfigSpec, JobConfigStatusDocument } from '../domain/job-config.ts';
import { API_KINDS } from '../../../domain/kinds/api-kinds.ts';
import { admitJobConfig, storedJobConfig } from '../schema/job-config-admission.ts';
import { admitJobConfigUpdate } from '../schema/job-config-update.ts';
import { USUAL_OFFER } from '../../../schema/job/host-name-rules.ts';
import type { ApiDeps } from '../../../kube/http/api-deps.ts';
import type { KubeObject } from '../../../kube/http/kube-object.ts';
import { at } from '../../../kube/list/stored-field.ts';
import { type RunsAs, accountIn, accountObjection } from '../../../kube/write/account-objection.ts';
import { defineKind } from '../../../kube/write/define-kind.ts';
import { schedulerHooks } from '../../../kube/write/scheduler-hooks.ts';
import type { KindForm, KindHooks } from '../../../kube/write/stored-kind.ts';
import { JOB_CONFIG_PRINTER } from './job-config-printer.ts';

type AdmittedJobConfig = { readonly document: ReturnType<typeof documentOf> };

/** JobConfigs of `execution.furiko.io/v1alpha1`. `control/configs` creates their Jobs and writes their status. */
export const JOB_CONFIG_KIND = defineKind<AdmittedJobConfig>({
  resource: 'JobConfig',
  form: formOf,
  printer: JOB_CONFIG_PRINTER,
  hooks: hooksOf,
});

function formOf({ clock, hosts = USUAL_OFFER, needsCommand, hostFolders }: ApiDeps): KindForm<AdmittedJobConfig> {
  return {
    admit(document, context) {
      const now = clock.now();
      const admission = admitJobConfig(document, { ...context, hosts, needsCommand, hostFolders, now });
      if (admission.kind !== 'ok') return admission;
      const { manifest, warnings } = admission;
      const status = newStatus(manifest.spec);
      const standing = { uid: context.uid, creationTimestamp: asTime(now), generation: 1, status };
      return { kind: 'ok', admitted: { document: documentOf(manifest, standing) }, warnings };
    },
    admitUpdate({ object, stored }, document, fieldValidation) {
      const context = { now: clock.now(), fieldValidation, hosts, needsCommand, hostFolders };
      const update = admitJobConfigUpdate(storedJobConfig(stored.document), document, context);
      if (update.kind !== 'ok') return update;
      const { manifest, warnings, changed } = update;
      return { kind: 'ok', admitted: { document: documentOf(manifest, standingOf(object)) }, warnings, changed };
    },
  };
}

/** What the server knows about a JobConfig. */
type Standing = Pick<KubeObject['metadata'], 'uid' | 'creationTimestamp' | 'deletionTimestamp'> & {
  readonly generation: number;
  readonly status: JobConfigStatusDocument;
};

function standingOf({ metadata, status }: KubeObject): Standing {
  const { uid, creationTimestamp, generation = 1, deletionTimestamp } = metadata;
  return {
    uid,
    creationTimestamp,
    generation,
    ...(deletionTimestamp === undefined ? {} : { deletionTimestamp }),
    // What is stored has the status that its scheduler, or its creation, gave it.
    status: status as JobConfigStatusDocument,
  };
}

/** Until its scheduler has looked at it. */
const newStatus = ({ schedule }: JobConfigSpec): JobConfigStatusDocument => ({
  state: schedule === undefined ? 'Ready' : schedule.disabled === true ? 'ReadyDisabled' : 'ReadyEnabled',
  queued: 0,
  active: 0,
});

const documentOf = (
  { apiVersion, kind, metadata, spec }: JobConfigManifest,
  { uid, generation, creationTimestamp, deletionTimestamp, status }: Standing,
) => ({
  apiVersion,
  kind,
  metadata: {
    ...metadata,
    uid,
    generation,
    creationTimestamp,
    ...(deletionTimestamp === undefined ? {} : { deletionTimestamp, deletionGracePeriodSeconds: 0 }),
  },
  spec,
  status,
});

function hooksOf(deps: ApiDeps): KindHooks<AdmittedJobConfig> {
  return {
    ...schedulerHooks(deps.owners('JobConfig'), (_was, _is, changed) => changed === 'spec'),
    objection: accountObjection(
      API_KINDS.JobConfig,
      'spec.template.spec.taskTemplate.pod.spec.serviceAccountName',
      {
        runs: ({ document }) => runsAs(document),
        ran: ({ stored }) => runsAs(storedJobConfig(stored.document).manifest),
      },
      deps,
    ),
  };
}

/** Values of options stand in the template's commands and images. */
const runsAs = ({ spec: { template, option } }: Pick<JobConfigManifest, 'spec'>): RunsAs => ({
  account: accountIn(at(template, 'spec', 'taskTemplate', 'pod', 'spec')),
  program: { template, option },
});
