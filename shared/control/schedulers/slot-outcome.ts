import type { JobUid } from '../../domain/base/ids.ts';
import type { ClaimOutcome } from '../../domain/schedulers/claim-outcome.ts';
import { isHidden } from '../../domain/scoreboard/status.ts';
import type { CreatedJob } from '../../ports/job-commands.ts';
import type { StoredSpec } from '../../ports/job-store.ts';
import { fieldErrorText } from '../../schema/object/field-error.ts';
import { deleteJob } from '../lifecycle/job-changes.ts';
import type { Deps } from '../process/deps.ts';

/** What an attempt to create a slot's Job means to its scheduler. */
export function outcomeOf(created: CreatedJob, { identity: { namespace, name } }: StoredSpec): ClaimOutcome {
  switch (created.kind) {
    case 'created':
      return { kind: 'created' };
    case 'taken':
      return { kind: 'taken', message: `jobs.batch ${JSON.stringify(name)} already exists` };
    case 'invalid':
      return {
        kind: 'refused',
        message: created.errors.map((each) => `${each.path}: ${fieldErrorText(each)}`).join(', '),
      };
    case 'noHosts':
      return { kind: 'refused', message: 'there are no names left for its tasks' };
    case 'forbidden':
      return { kind: 'refused', message: `jobs.batch ${JSON.stringify(name)} is forbidden: ${created.why}` };
    case 'noNamespace':
      return { kind: 'refused', message: `namespaces ${JSON.stringify(namespace)} not found` };
    case 'terminating':
      return { kind: 'refused', message: `namespace ${namespace} is being deleted` };
  }
}

/** Deletes a Job again that was created for an owner which is gone. */
export async function takenBack({ uid }: { readonly uid: JobUid }, deps: Deps): Promise<'gone'> {
  const status = await deps.jobs.readStatus(uid);
  if (status !== null && !isHidden(status.phase)) await deleteJob(uid, deps);
  return 'gone';
}
