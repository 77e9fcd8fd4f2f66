import type { StoredSpec } from '../../ports/job-store.ts';
import type { Deps } from './deps.ts';

/**
 * Tells a Job's CronJob or JobConfig, if it has one, that the Job has begun, has ended, or is gone. A Job may name a CronJob of
 * another namespace, which does not own it and is not woken.
 */
export async function wakeOwner(spec: StoredSpec, deps: Pick<Deps, 'queues' | 'crons'>): Promise<void> {
  const { ownerReferences = [] } = spec.manifest.metadata;
  const cron = ownerReferences.find(({ kind, controller }) => kind === 'CronJob' && controller === true);
  const row = cron === undefined ? null : await deps.crons.read(cron.uid);
  if (row?.key.namespace !== spec.identity.namespace) return wakeConfig(spec, deps);
  await deps.queues.wakeCrons([{ cron: row.uid, delaySec: 0, jobs: [spec.identity.uid] }]);
}

/** Tells a Job's JobConfig, if it has one: nothing of the Job runs any more. */
export async function wakeConfig(spec: StoredSpec, { queues }: Pick<Deps, 'queues'>): Promise<void> {
  const config = configOf(spec);
  if (config !== null) await queues.wakeCrons([{ cron: config.uid, delaySec: 0, jobs: [spec.identity.uid] }]);
}

/** The JobConfig that owns a Job, and in which the Job has a place; null: there is none. */
export function configOf({ furiko, manifest }: StoredSpec): { readonly name: string; readonly uid: string } | null {
  if (furiko === undefined || furiko.config === null) return null;
  const { uid } = furiko.config;
  return (manifest.metadata.ownerReferences ?? []).find((owner) => owner.uid === uid) ?? null;
}
