import type { Task } from '@aws-sdk/client-ecs';
import { TAGS } from '../../../shared/names/tags.ts';
import { type Ground, createJob, endOf, indexed, jobOf, shellJob, until } from '../ground.ts';
import { NotAsked } from '../not-asked.ts';
import { type Question, verdict } from '../question.ts';

type Ecs = NonNullable<Ground['ecs']>;

/** ECS with the caller's rights. */
function ecsOf({ ecs }: Ground): Ecs {
  if (ecs === null) throw new NotAsked('needs --cluster (the output Cluster), and ecs:ListTasks and ecs:DescribeTasks');
  return ecs;
}

/** The answer, or NotAsked where the caller lacks the right. */
async function allowed<T>(answer: Promise<T>): Promise<T> {
  return answer.catch((error: unknown) => {
    if (error instanceof Error && error.name.startsWith('AccessDenied')) throw new NotAsked(error.message);
    throw error;
  });
}

type Tagged = { readonly tags: Readonly<Record<string, string>>; readonly startedBy: string; readonly uid: string };

/** Tags by which bills are split. */
export const tags: Question<Tagged> = {
  name: 'tags',
  asks: 'Does a running task have the tags of its namespace and Job?',
  assumed: `${TAGS.namespace}, and ${TAGS.job} = tags; startedBy is the Job's uid, by which ListTasks finds it`,
  async observe(ground) {
    const { arn, uid } = await startedTask(ground, 'tags', 'sleep 60');
    const task = await described(ground, arn);
    const found = (task.tags ?? []).map(({ key = '', value = '' }) => [key, value] as const);
    return { tags: Object.fromEntries(found), startedBy: task.startedBy ?? '', uid };
  },
  judge: (seen) =>
    verdict(
      [seen.tags[TAGS.job] === 'tags', (seen.tags[TAGS.namespace] ?? '') !== '', seen.startedBy === seen.uid],
      Object.entries(seen.tags)
        .map(([key, value]) => `${key} = ${value}`)
        .join(', ') || 'none',
    ),
};

/** Creates a Job of one task, and finds the task while it runs. */
async function startedTask(ground: Ground, name: string, script: string): Promise<{ arn: string; uid: string }> {
  const { calls, cluster } = ecsOf(ground);
  await createJob(ground, shellJob(ground, name, script, indexed(1)));
  const { uid } = (await jobOf(ground, name)).metadata;
  const arn = await until(
    ground,
    async () => (await allowed(calls.listTasks({ cluster, startedBy: uid }))).taskArns?.[0] ?? null,
    () => `a running task that was started by ${uid}`,
  );
  return { arn, uid };
}

/** A task right after RunTask may be MISSING. */
async function described(ground: Ground, arn: string): Promise<Task> {
  const { calls, cluster } = ecsOf(ground);
  return until(
    ground,
    async () => (await allowed(calls.describeTasks({ cluster, tasks: [arn], include: ['TAGS'] }))).tasks?.[0] ?? null,
    () => `DescribeTasks of ${arn}`,
  );
}

type Stopped = { readonly combined: string; readonly status: string; readonly version: number };

/** A task of one container makes five or six changes; each is an event of at most one message. */
const CHANGES_MAX = 8;

/** What ECS says of a task that has ended. */
export const stoppedTask: Question<Stopped> = {
  name: 'stopped-task',
  asks: 'Does ListTasks refuse startedBy beside desiredStatus, and how many changes has a task when it has stopped?',
  assumed: `InvalidParameterException; the task is STOPPED, with at most ${CHANGES_MAX} changes`,
  async observe(ground) {
    const { calls, cluster } = ecsOf(ground);
    const { arn, uid } = await startedTask(ground, 'stopped-task', 'sleep 60');
    const combined = await allowed(calls.listTasks({ cluster, startedBy: uid, desiredStatus: 'STOPPED' })).then(
      ({ taskArns = [] }) => `an answer with ${taskArns.length} tasks`,
      (error: unknown) => {
        if (error instanceof NotAsked) throw error;
        return error instanceof Error ? error.name : String(error);
      },
    );
    await endOf(ground, 'stopped-task');
    const { lastStatus = '', version = 0 } = await described(ground, arn);
    return { combined, status: lastStatus, version };
  },
  judge: ({ combined, status, version }) =>
    verdict(
      [combined === 'InvalidParameterException', status === 'STOPPED', version > 0 && version <= CHANGES_MAX],
      `${combined}; ${status} with ${version} changes`,
    ),
};

type EndMarks = {
  readonly status: string;
  readonly stopCode: string;
  readonly exitCode: number | null;
  readonly executionStoppedAt: number | null;
};

/** `early`: null where DEPROVISIONING was over between two looks. */
type TwoLooks = { readonly early: EndMarks | null; readonly late: EndMarks };

const marksOf = ({ lastStatus, stopCode, containers = [], executionStoppedAt }: Task): EndMarks => ({
  status: lastStatus ?? '',
  stopCode: stopCode ?? '',
  exitCode: containers.find(({ name }) => name === 'main')?.exitCode ?? null,
  executionStoppedAt: executionStoppedAt?.getTime() ?? null,
});

const marksText = ({ stopCode, exitCode, executionStoppedAt }: EndMarks): string =>
  `${stopCode || 'no stop code'}, ${exitCode ?? 'no exit code'}, ${executionStoppedAt === null ? 'no time' : new Date(executionStoppedAt).toISOString()}`;

/** What an index is counted by before its task is STOPPED. */
export const deprovisioning: Question<TwoLooks> = {
  name: 'deprovisioning',
  asks: 'Does DEPROVISIONING say of an end what STOPPED says?',
  assumed: 'EssentialContainerExited, exit code 3, and when it was, in both',
  async observe(ground) {
    const { arn } = await startedTask(ground, 'deprovisioning', 'sleep 60; exit 3');
    const look = async (isAwaited: (status: string) => boolean): Promise<EndMarks> =>
      until(
        ground,
        async () => {
          const marks = marksOf(await described(ground, arn));
          return isAwaited(marks.status) ? marks : null;
        },
        () => `the end of ${arn}`,
      );
    const first = await look((status) => status === 'DEPROVISIONING' || status === 'STOPPED');
    if (first.status === 'STOPPED') return { early: null, late: first };
    return { early: first, late: await look((status) => status === 'STOPPED') };
  },
  judge: ({ early, late }) =>
    verdict(
      [
        late.stopCode === 'EssentialContainerExited' && late.exitCode === 3 && late.executionStoppedAt !== null,
        early === null || marksText(early) === marksText(late),
      ],
      `DEPROVISIONING: ${early === null ? 'over between two looks' : marksText(early)}; STOPPED: ${marksText(late)}`,
    ),
};
