import { changeSpec, deleteJob, deletePod } from '../control/lifecycle/job-changes.ts';
import { chunkOf } from '../domain/scoreboard/board.ts';
import { hasPod } from '../domain/scoreboard/index-record.ts';
import { unreachable } from '../domain/base/invariant.ts';
import type { JobIdentity } from '../domain/spec/job.ts';
import { JOBS, notFound } from '../kube/http/status-error.ts';
import { admitPatched } from './admit-patched.ts';
import type { UserAct } from './script.ts';
import type { VirtualWorld } from './virtual-world.ts';

/** Why the API would not do it: the `reason` and `message` of the Status that it answers with. */
export type Refusal = { readonly reason: string; readonly message: string };

/** Does to the Job what a user would do through the API, at once. null: it was done. */
export async function userAct(act: UserAct, job: JobIdentity, world: VirtualWorld): Promise<Refusal | null> {
  const { deps } = world;
  switch (act.kind) {
    case 'delete':
      return (await deleteJob(job.uid, deps)).kind === 'deleted' ? null : gone(job);
    case 'deletePod': {
      const view = world.view(() => [chunkOf(act.index)]);
      const record = view?.board.record(act.index) ?? null;
      if (record === null || !hasPod(record.state))
        return { reason: 'NotFound', message: `index ${act.index} has no Pod that could be deleted` };
      await deletePod(job.uid, { index: act.index, attempt: record.attempt, nonce: record.nonce }, deps);
      return null;
    }
    case 'patch':
      return patchJob(act.patch, job, world);
    default:
      return unreachable(act);
  }
}

async function patchJob(
  patch: Readonly<Record<string, unknown>>,
  job: JobIdentity,
  { deps }: VirtualWorld,
): Promise<Refusal | null> {
  const status = await deps.jobs.readStatus(job.uid);
  if (status === null) return gone(job);
  let refusal: Refusal | null = null;
  const changed = await changeSpec(
    job.uid,
    (stored) => {
      const patched = admitPatched(stored, patch, status);
      if (patched.kind === 'refused') refusal = { reason: patched.reason, message: patched.message };
      return patched.kind === 'changed' ? { ...stored, manifest: patched.manifest } : null;
    },
    deps,
  );
  return changed.kind === 'gone' ? gone(job) : refusal;
}

/** `reason` and `message` of the API's answer, no more of it. */
function gone({ name }: JobIdentity): Refusal {
  const { reason, message } = notFound(JOBS, name);
  return { reason, message };
}
