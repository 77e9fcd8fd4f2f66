import { asTime } from '../../domain/base/time.ts';
import { isOwn } from '../../domain/spec/job.ts';
import type { JobStatusDocument } from '../../domain/spec/manifest.ts';
import { statusDocument } from '../../domain/scoreboard/status-document.ts';
import type { Status } from '../../domain/scoreboard/status.ts';
import type { JobView } from './job-view.ts';

/** The `batch/v1` Job that a user sees. */
export function renderJob(view: JobView) {
  const { spec, status, version } = view;
  const { identity, manifest, generation } = spec;
  const { name: _name, namespace: _namespace, ...metadata } = manifest.metadata;
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: {
      name: identity.name,
      namespace: identity.namespace,
      uid: identity.uid,
      resourceVersion: String(version),
      generation,
      creationTimestamp: asTime(identity.createdAt),
      ...deletion(status),
      ...metadata,
    },
    spec: manifest.spec,
    status: statusOf(view),
  };
}

/** For a Job that another controller manages, it is whatever that controller has written. */
function statusOf(view: JobView): JobStatusDocument {
  const { spec, status, board } = view;
  if (!isOwn(spec.manifest)) return spec.said ?? {};
  const own = statusDocument({ spec: spec.manifest.spec, status, board });
  const others = spec.said?.conditions ?? [];
  return others.length === 0 ? own : { ...own, conditions: [...(own.conditions ?? []), ...others] };
}

export type JobObject = ReturnType<typeof renderJob>;

/** A deleted Job that a finalizer holds. */
const deletion = ({ phase }: Status) =>
  phase.kind === 'terminating' ? { deletionTimestamp: asTime(phase.since), deletionGracePeriodSeconds: 0 } : {};
