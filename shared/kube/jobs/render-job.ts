import { isPlain } from '../../ports/job-store.ts';
import { asTime } from '../../domain/base/time.ts';
import { isOwn } from '../../domain/manifests/job.ts';
import type { JobStatusDocument, ManagedFieldsEntry } from '../../domain/manifests/manifest.ts';
import { statusDocument } from '../../domain/scoreboard/status-document.ts';
import { asPublished } from '../../domain/scoreboard/shown-status.ts';
import type { Status } from '../../domain/scoreboard/status.ts';
import type { JobView } from './job-view.ts';

/** The `batch/v1` Job that a user sees. */
export function renderJob(view: JobView) {
  const { spec, version, shown = null } = view;
  const status = shown === null ? view.status : asPublished(view.status, shown);
  const { identity, manifest, generation } = spec;
  const { name: _name, namespace: _namespace, managedFields, ...metadata } = manifest.metadata;
  return {
    apiVersion: BATCH_V1,
    kind: 'Job',
    metadata: {
      name: identity.name,
      namespace: identity.namespace,
      uid: identity.uid,
      resourceVersion: String(version),
      generation,
      creationTimestamp: asTime(identity.createdAt),
      ...deletionOf(status),
      ...metadata,
      ...managedThrough(isPlain(spec) ? null : BATCH_V1, managedFields),
    },
    spec: manifest.spec,
    status: statusOf(view),
  };
}

/** For a Job that another controller manages, it is whatever that controller has written. */
function statusOf(view: JobView): JobStatusDocument {
  const { spec, status, board, shown = null } = view;
  if (!isOwn(spec.manifest)) return spec.said ?? {};
  const own = statusDocument({ spec: spec.manifest.spec, status, board, published: shown });
  const others = spec.said?.conditions ?? [];
  return others.length === 0 ? own : { ...own, conditions: [...(own.conditions ?? []), ...others] };
}

export type JobObject = ReturnType<typeof renderJob>;

/**
 * The managers of the fields that a kind of the API has; null: of all fields. Of a Job that two kinds show, each kind shows and
 * changes its own.
 */
export function managedThrough(apiVersion: string | null, all: readonly ManagedFieldsEntry[] = []) {
  const managedFields = apiVersion === null ? all : all.filter((entry) => entry.apiVersion === apiVersion);
  return managedFields.length === 0 ? {} : { managedFields };
}

const BATCH_V1 = 'batch/v1';

/** A deleted Job that a finalizer holds. */
export const deletionOf = ({ phase }: Status) =>
  phase.kind === 'terminating' ? { deletionTimestamp: asTime(phase.since), deletionGracePeriodSeconds: 0 } : {};
