import { JobSchema } from '../../../cli/client/api-objects.ts';
import { jobsPath, readAs } from '../../../cli/client/kube-client.ts';
import { cronJobsPath } from '../../../shared/capabilities/schedules/cli/api-objects-of-schedules.ts';
import {
  type Counts,
  type Ground,
  attemptsOf,
  countsOf,
  createJob,
  endOf,
  indexed,
  logOf,
  runJob,
  shellJob,
  toldCounts,
  until,
} from '../ground.ts';
import { type Question, verdict } from '../question.ts';

type Fired = { readonly slots: readonly string[]; readonly ends: readonly Counts['end'][] };

const SLOT = 'batch.kubernetes.io/cronjob-scheduled-timestamp';
const LABEL = 'muster-smoke/of';

/** EventBridge's tick, and a message that waits for the second. */
export const cron: Question<Fired> = {
  name: 'cron',
  asks: 'Does a CronJob fire, once for each minute?',
  assumed: 'a Job for each slot, none twice, all Complete',
  async observe(ground) {
    const { client, namespace } = ground;
    const { spec } = shellJob(ground, 'cron', 'exit 0', indexed(1)) as { readonly spec: object };
    const jobTemplate = { metadata: { labels: { [LABEL]: 'cron' } }, spec };
    await client.create(cronJobsPath(namespace), {
      apiVersion: 'batch/v1',
      kind: 'CronJob',
      metadata: { name: 'cron' },
      spec: { schedule: '* * * * *', jobTemplate },
    });
    await until(
      ground,
      async () => ((await firedBy(ground)).length > 0 ? true : null),
      () => 'a Job of the CronJob',
    );
    await client.patch(cronJobsPath(namespace, 'cron'), { spec: { suspend: true } });
    const jobs = await firedBy(ground);
    const ends = await Promise.all(jobs.map(async ({ metadata }) => endOf(ground, metadata.name)));
    return {
      slots: jobs.map(({ metadata }) => metadata.annotations[SLOT] ?? ''),
      ends: ends.map((job) => countsOf(job).end),
    };
  },
  judge: ({ slots, ends }) =>
    verdict(
      [slots.length > 0, new Set(slots).size === slots.length, ends.every((end) => end === 'Complete')],
      slots.map((slot, n) => `${slot} ${ends[n] ?? 'open'}`).join(', '),
    ),
};

async function firedBy({ client, namespace }: Ground) {
  const { items } = await client.list(jobsPath(namespace), { labelSelector: `${LABEL}=cron` });
  return items.map((item) => readAs(JobSchema, item, client.target));
}

const ITEMS = ['apple green', '["dragon fruit", "pink"]', 'Öl gelb'] as const;
const PRINTED = ['0 green apple', '1 pink dragon fruit', '2 gelb Öl'] as const;

/** Items are part of the Job. */
export const workList: Question<readonly string[]> = {
  name: 'work-list',
  asks: 'Does each index get its item, blanks and umlauts included?',
  assumed: PRINTED.join(', '),
  async observe(ground) {
    const annotations = { 'muster.run/items': ['FRUIT COLOR', ...ITEMS, ''].join('\n') };
    const script = 'echo "$JOB_COMPLETION_INDEX $COLOR $FRUIT"';
    await runJob(ground, 'work-list', script, { ...indexed(ITEMS.length), annotations });
    const attempts = await attemptsOf(ground, 'work-list');
    return (await Promise.all(attempts.map(async ({ pod }) => logOf(ground, pod)))).flat();
  },
  judge: (lines) => verdict([lines.join() === PRINTED.join()], lines.join(', ')),
};

type Order = Counts & { readonly upstreamStoppedMs: number; readonly startedMs: number };

/** A Job that waits for another. */
export const dependency: Question<Order> = {
  name: 'dependency',
  asks: 'Does a Job that waits for another start after its end?',
  assumed: 'it does, by ECS’s own times',
  async observe(ground) {
    const annotations = { 'muster.run/after': 'upstream' };
    await createJob(ground, shellJob(ground, 'downstream', 'exit 0', { ...indexed(1), annotations }));
    await createJob(ground, shellJob(ground, 'upstream', 'sleep 3', indexed(1)));
    const job = await endOf(ground, 'downstream');
    const [[before], [after]] = await Promise.all([attemptsOf(ground, 'upstream'), attemptsOf(ground, 'downstream')]);
    return {
      ...countsOf(job),
      upstreamStoppedMs: before?.stoppedAt ?? Number.NaN,
      startedMs: after?.startedAt ?? Number.NaN,
    };
  },
  judge({ upstreamStoppedMs, startedMs, ...counts }) {
    const gapSec = Math.round((startedMs - upstreamStoppedMs) / 1_000);
    return verdict([counts.end === 'Complete', gapSec >= 0], `started ${gapSec} s after; ${toldCounts(counts)}`);
  },
};
