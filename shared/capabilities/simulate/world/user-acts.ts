import { changeSpec, deleteJob, deletePod } from '../../../control/lifecycle/job-changes.ts';
import { changeIndexes } from '../../../control/lifecycle/change-indexes.ts';
import type { IndexSet } from '../../../domain/base/index-set.ts';
import { chunkOf } from '../../../domain/scoreboard/board.ts';
import { type IndexAction, WHY_NONE_CHANGES } from '../../../domain/scoreboard/index-changes.ts';
import { hasPod } from '../../../domain/scoreboard/index-record.ts';
import { unreachable } from '../../../domain/base/invariant.ts';
import type { JobIdentity } from '../../../domain/manifests/job.ts';
import { API_KINDS } from '../../../domain/kinds/api-kinds.ts';
import { forbiddenObject, notFound } from '../../../kube/http/status-error.ts';
import { admitPatched } from './admit-patched.ts';
import type { UserAct } from './script.ts';
import type { VirtualWorld } from './virtual-world.ts';

/** Why the API would not do it: the `reason` and `message` of the Status that it answers with. */
export type RefusedAct = { readonly reason: string; readonly message: string };

/** Does to the Job what a user would do through the API, at once. null: it was done. */
export async function userAct(act: UserAct, job: JobIdentity, world: VirtualWorld): Promise<RefusedAct | null> {
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
    case 'hold':
    case 'release':
    case 'cancel':
    case 'requeue':
      return changeSome(act.kind, act.indexes, job, world);
    default:
      return unreachable(act);
  }
}

async function changeSome(
  action: IndexAction,
  indexes: IndexSet,
  job: JobIdentity,
  { deps }: VirtualWorld,
): Promise<RefusedAct | null> {
  const changed = await changeIndexes(job.uid, { action, indexes, isDry: false }, deps);
  switch (changed.kind) {
    case 'changed':
      return null;
    case 'gone':
      return gone(job);
    case 'over':
      return { reason: 'Conflict', message: WHY_NONE_CHANGES[changed.phase] };
    case 'invalid':
      return {
        reason: 'Invalid',
        message: changed.errors.map(({ path, message }) => `${path}: ${message}`).join('; '),
      };
    default:
      return unreachable(changed);
  }
}

async function patchJob(
  patch: Readonly<Record<string, unknown>>,
  job: JobIdentity,
  { deps }: VirtualWorld,
): Promise<RefusedAct | null> {
  const status = await deps.jobs.readStatus(job.uid);
  if (status === null) return gone(job);
  let refusal: RefusedAct | null = null;
  const changed = await changeSpec(
    job.uid,
    (stored) => {
      const patched = admitPatched(stored, patch, status, deps.clock.now());
      if (patched.kind === 'refused') refusal = { reason: patched.reason, message: patched.message };
      return patched.kind === 'changed' ? { ...stored, manifest: patched.manifest } : null;
    },
    deps,
  );
  if (changed.kind === 'forbidden') {
    const { reason, message } = forbiddenObject(API_KINDS.Job, job.name, changed.why);
    return { reason, message };
  }
  return changed.kind === 'gone' ? gone(job) : refusal;
}

/** `reason` and `message` of the API's answer, no more of it. */
function gone({ name }: JobIdentity): RefusedAct {
  const { reason, message } = notFound(API_KINDS.Job, name);
  return { reason, message };
}
