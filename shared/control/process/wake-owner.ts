import type { StoredSpec } from '../../ports/job-store.ts';
import type { Deps } from './deps.ts';

/** Tells a Job's CronJob, if it has one, that the Job has begun, has ended, or is gone. */
export async function wakeOwner({ identity, manifest }: StoredSpec, { queues }: Pick<Deps, 'queues'>): Promise<void> {
  const { ownerReferences = [] } = manifest.metadata;
  const owner = ownerReferences.find(({ kind, controller }) => kind === 'CronJob' && controller === true);
  if (owner !== undefined) await queues.wakeCrons([{ cron: owner.uid, delaySec: 0, jobs: [identity.uid] }]);
}
