import { conditionOf } from '../../../cli/client/api-objects.ts';
import { jobsPath, podsPath } from '../../../cli/client/kube-client.ts';
import {
  type Counts,
  countsOf,
  createJob,
  endOf,
  indexed,
  podsOf,
  shellJob,
  toldCounts,
  until,
  untilJob,
} from '../ground.ts';
import { type Question, verdict } from '../question.ts';

/** The first attempt stays until it is stopped; the others end at once. */
const FIRST_STAYS = '[ "$MUSTER_ATTEMPT" -gt 1 ] || exec sleep 900';

/** A StopTask of ours, and what comes of it. */
export const deletePod: Question<Counts> = {
  name: 'delete-pod',
  asks: 'Does `kubectl delete pod` stop the task, and does another take its place?',
  assumed: 'Complete, 1 succeeded, 1 failed; the functions may send and call all that this needs',
  async observe(ground) {
    const { client, namespace } = ground;
    await createJob(ground, shellJob(ground, 'delete-pod', FIRST_STAYS, { ...indexed(1), backoffLimit: 3 }));
    const pod = await until(
      ground,
      async () => (await podsOf(ground, 'delete-pod')).find(({ status }) => status.phase === 'Running') ?? null,
      () => 'a running Pod of Job delete-pod',
    );
    await client.remove(podsPath(namespace, pod.metadata.name));
    return countsOf(await endOf(ground, 'delete-pod'));
  },
  judge: (seen) => verdict([seen.end === 'Complete', seen.succeeded === 1, seen.failed === 1], toldCounts(seen)),
};

type Suspended = Counts & { readonly whileSuspended: { readonly active: number; readonly failed: number } };

/** Suspending stops tasks, which then count as nothing. */
export const suspend: Question<Suspended> = {
  name: 'suspend',
  asks: 'Does suspending stop the tasks, and resuming start others?',
  assumed: 'none is left while it is suspended; then Complete, 2 succeeded, 0 failed: a stop of ours is no failure',
  async observe(ground) {
    const { client, namespace } = ground;
    const path = jobsPath(namespace, 'suspend');
    await createJob(ground, shellJob(ground, 'suspend', FIRST_STAYS, { ...indexed(2), backoffLimit: 0 }));
    await untilJob(ground, 'suspend', ({ status }) => status.ready === 2);
    await client.patch(path, { spec: { suspend: true } });
    const { status } = await untilJob(
      ground,
      'suspend',
      (job) => conditionOf(job, 'Suspended') !== undefined && job.status.active + job.status.terminating === 0,
    );
    await client.patch(path, { spec: { suspend: false } });
    const counts = countsOf(await endOf(ground, 'suspend'));
    return { ...counts, whileSuspended: { active: status.active, failed: status.failed } };
  },
  judge: ({ whileSuspended, ...counts }) =>
    verdict(
      [counts.end === 'Complete', counts.succeeded === 2, counts.failed === 0, whileSuspended.failed === 0],
      `suspended: ${whileSuspended.active} active, ${whileSuspended.failed} failed; then ${toldCounts(counts)}`,
    ),
};
