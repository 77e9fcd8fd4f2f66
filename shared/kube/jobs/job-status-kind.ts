import { isForeign } from '../../domain/scoreboard/status-document.ts';
import { isOwn } from '../../domain/manifests/job.ts';
import type { JobStatusDocument } from '../../domain/manifests/manifest.ts';
import type { StoredSpec } from '../../ports/job-store.ts';
import { admitJobStatus } from '../../schema/job/job-status.ts';
import { isSame } from '../../schema/object/object-update.ts';
import type { ApiDeps } from '../http/api-deps.ts';
import { jobKind } from './job-kind.ts';
import { type FoundJob, storedJob } from './job-writes.ts';
import type { JobView } from './job-view.ts';
import { type JobObject, renderJob } from './render-job.ts';
import type { Subresource } from '../write/writable-kind.ts';

/** A Job as it would be shown with its new status. */
type AdmittedStatus = Pick<JobView, 'spec'> & { readonly view: JobView };

/**
 * The status of Jobs as other controllers write it. A Job that another controller manages has the status that was written; for
 * our own Jobs, we keep the conditions that are not ours, and write the rest ourselves.
 */
export function jobStatusKind(deps: ApiDeps): Subresource<FoundJob<JobObject>, AdmittedStatus> {
  const job = jobKind(deps);
  return {
    resource: job.resource,
    apiVersion: job.apiVersion,
    type: job.type,
    subresource: 'status',
    find: (key, published) => job.find(key, published),

    admitUpdate(found, document, fieldValidation) {
      const { object, view } = found;
      const update = admitJobStatus(storedJob(view, deps.clock.now()), object.status, document, { fieldValidation });
      if (update.kind !== 'ok') return update;
      const spec = { ...withSaid(view.spec, update.status), manifest: update.manifest };
      const isSaid = JSON.stringify(spec.said) === JSON.stringify(view.spec.said);
      return {
        kind: 'ok',
        admitted: { spec, view: { ...view, spec } },
        warnings: [...update.warnings, ...unkept(view.spec, object.status, update.status)],
        changed: isSaid ? update.changed : 'metadata',
      };
    },

    preview: ({ view }) => renderJob(view),
    replace: (found, { spec }, managedFields, _, user) => job.replace(found, spec, managedFields, 'metadata', user),
  };
}

/** The part of a written status that is stored. */
function withSaid({ said: _before, ...spec }: StoredSpec, status: JobStatusDocument): StoredSpec {
  const conditions = (status.conditions ?? []).filter(isForeign);
  const said = isOwn(spec.manifest) ? (conditions.length === 0 ? {} : { conditions }) : status;
  return Object.keys(said).length === 0 ? spec : { ...spec, said };
}

/** A client that writes our fields is warned that they do not last. Missing conditions are not removals. */
function unkept(spec: StoredSpec, before: JobStatusDocument, after: JobStatusDocument): readonly string[] {
  const [{ conditions: had = [], ...was }, { conditions = [], ...is }] = [before, after];
  const changed = conditions.filter((each) => !isForeign(each) && !had.some((one) => isSame(one, each)));
  return !isOwn(spec.manifest) || (isSame(was, is) && changed.length === 0)
    ? []
    : ['status: Muster runs this Job and writes its status; of what others write it keeps conditions of other types'];
}
