import { type EpochMs, later } from '../../domain/base/time.ts';
import type { JobUid } from '../../domain/base/ids.ts';
import { type Status, isHidden } from '../../domain/scoreboard/status.ts';
import type { JobIdentity } from '../../domain/manifests/job.ts';
import type { SeenJob } from '../../ports/job-commands.ts';
import type { StoredSpec } from '../../ports/job-store.ts';
import type { Deps } from '../process/deps.ts';

// What all changes of a user have in common.

/** A user who changes a Job while many passes commit succeeds within a few tries. */
export const TRIES_MAX = 20;

/** The current Job; null: it does not exist, or users no longer see it. */
export async function liveJob(uid: JobUid, { jobs }: Deps): Promise<SeenJob | null> {
  const spec = await jobs.readSpec(uid);
  const status = await jobs.readStatus(uid);
  return spec === null || status === null || isHidden(status.phase) ? null : { spec, status };
}

/** The status of a user's change, for which a pass is due at once. */
export const nextVersion = (status: Status, clock: EpochMs): Status => ({
  ...status,
  version: status.version + 1,
  alarms: [later(clock, status.now)],
});

/** How far the feed has the Job: this process may know more of that than STATUS. */
export function publishedSeq({ spec, status }: SeenJob, { publisher }: Pick<Deps, 'publisher'>): number {
  return Math.max(publisher.lastPublished(spec.identity.uid)?.seq ?? 0, status.published.seq);
}

/** What follows a user's commit: publication and a pass. If the process dies before it, the sweep does it. */
export async function publishAndWake(
  identity: JobIdentity,
  status: Status,
  { publisher, queues }: Deps,
  before?: StoredSpec,
): Promise<'done'> {
  await publisher.publish(identity, status, undefined, before);
  await queues.wake([{ uid: identity.uid, delaySec: 0 }]);
  return 'done';
}
