import type { WaitedFor } from '../domain/pending/upstream-waits.ts';
import { type Status, isHidden, isOver } from '../domain/scoreboard/status.ts';
import type { JobStore, StoredSpec } from '../ports/job-store.ts';
import { toJob } from './to-job.ts';

/** The Jobs that a Job still waits for, as they are now, without their boards. A Job that waits for none costs nothing. */
export async function readWaitedFor(
  { identity: { namespace } }: Pick<StoredSpec, 'identity'>,
  { phase, upstreams }: Pick<Status, 'phase' | 'upstreams'>,
  jobs: Pick<JobStore, 'findJob' | 'readStatus' | 'readSpec'>,
): Promise<readonly WaitedFor[]> {
  if (isOver(phase) || isHidden(phase)) return [];
  return Promise.all(
    upstreams
      .filter(({ isMet }) => !isMet)
      .map(async ({ name, uid: known }) => {
        const uid = known ?? (await jobs.findJob(namespace, name));
        if (uid === null) return { name, uid, job: null };
        const [spec, status] = await Promise.all([jobs.readSpec(uid), jobs.readStatus(uid)]);
        return { name, uid, job: spec === null || status === null ? null : { status, spec: toJob(spec).spec } };
      }),
  );
}
