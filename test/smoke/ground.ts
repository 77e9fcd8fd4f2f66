import { setTimeout as sleep } from 'node:timers/promises';
import {
  type EndedAttempt,
  type Job,
  type Pod,
  JobSchema,
  PodSchema,
  WaitsSchema,
  conditionOf,
} from '../../cli/client/api-objects.ts';
import { type KubeClient, jobsPath, podsPath, readAs, waitsPath } from '../../cli/client/kube-client.ts';
import { endedAttempts } from '../../cli/logs/ended-attempts.ts';
import type { EcsCalls } from '../../shared/adapters/aws/ecs/ecs-calls.ts';
import { NotAsked } from './not-asked.ts';

/** What questions are asked through. */
export type Ground = {
  readonly client: KubeClient;
  /** The stack's own address, which wants signatures; without a trailing slash. */
  readonly apiUrl: string;
  /** Of this run alone; it is deleted at the end. */
  readonly namespace: string;
  /** An image with a shell and busybox's programs. */
  readonly image: string;
  /** How long to wait for what must come by itself. */
  readonly patienceMs: number;
  /** How long a watch is left idle. */
  readonly idleMs: number;
  /** ECS with the caller's credentials; null: its cluster was not named. */
  readonly ecs: { readonly calls: Pick<EcsCalls, 'listTasks' | 'describeTasks'>; readonly cluster: string } | null;
  /** Aborted when the run is to end. */
  readonly signal: AbortSignal;
};

const POLL_MS = 1_000;
/** No task of ours runs longer, even if this process dies. */
const DEADLINE_SEC = 1_200;
/** Waits that say something of the account, and nothing of Muster. */
const OF_THE_ACCOUNT: readonly string[] = ['quota', 'capacity'];

/** A Job whose main container runs `script`; `spec` goes beside the template, `pod` into its spec. */
export const shellJob = (
  { image }: Pick<Ground, 'image'>,
  name: string,
  script: string,
  { annotations = {}, pod = {}, env = [], ...spec }: JobWish = {},
): object => ({
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: { name, annotations },
  spec: {
    activeDeadlineSeconds: DEADLINE_SEC,
    ...spec,
    template: {
      spec: {
        restartPolicy: 'Never',
        ...pod,
        containers: [{ name: 'main', image, command: ['sh', '-c', script], env }, ...(pod.containers ?? [])],
      },
    },
  },
});

export type JobWish = {
  readonly annotations?: Readonly<Record<string, string>>;
  /** Of the Pod's spec; its containers stand behind the main one. */
  readonly pod?: { readonly containers?: readonly object[]; readonly [field: string]: unknown };
  readonly env?: readonly object[];
  readonly [field: string]: unknown;
};

export const indexed = (completions: number) => ({
  completionMode: 'Indexed',
  completions,
  parallelism: completions,
});

/** Creates a Job; returns the warnings that came with the answer. */
export const createJob = async ({ client, namespace }: Ground, job: object): Promise<readonly string[]> =>
  (await client.create(jobsPath(namespace), job)).warnings;

export const jobOf = async ({ client, namespace }: Ground, name: string): Promise<Job> =>
  readAs(JobSchema, await client.get(jobsPath(namespace, name)), client.target);

export const podsOf = async ({ client, namespace }: Ground, name: string): Promise<readonly Pod[]> => {
  const { items } = await client.list(podsPath(namespace), { labelSelector: `job-name=${name}` });
  return items.map((item) => readAs(PodSchema, item, client.target));
};

/** Every attempt that has ended, by index. */
export async function attemptsOf({ client, namespace }: Ground, name: string): Promise<readonly EndedAttempt[]> {
  const found: EndedAttempt[] = [];
  for await (const page of endedAttempts({ namespace, name }, 'all', client)) found.push(...page);
  return found.toSorted((a, b) => (a.index ?? 0) - (b.index ?? 0) || a.attempt - b.attempt);
}

/** What a task prints is in CloudWatch some seconds later. */
const LOGGED_WITHIN_MS = 60_000;

/** The lines that a Pod's main container has printed: once there are `linesMin`, or what is there after a minute. */
export async function logOf(ground: Ground, pod: string, linesMin = 1): Promise<readonly string[]> {
  const { client, namespace, signal } = ground;
  for (const overMs = performance.now() + LOGGED_WITHIN_MS; ; await sleep(POLL_MS, undefined, { signal })) {
    const lines: string[] = [];
    const path = `${podsPath(namespace, pod)}/log`;
    for await (const line of client.lines(path, { container: 'main' }, signal)) lines.push(line);
    if (lines.length >= linesMin || performance.now() > overMs) return lines;
  }
}

/** The first answer that is not null; throws what `state` says when the patience is over. */
export async function until<T>(
  { patienceMs, signal }: Pick<Ground, 'patienceMs' | 'signal'>,
  ask: () => Promise<T | null>,
  state: () => string | Promise<string>,
): Promise<T> {
  const overMs = performance.now() + patienceMs;
  for (;;) {
    const answer = await ask();
    if (answer !== null) return answer;
    if (performance.now() > overMs) throw new Error(`did not come: ${await state()}`);
    await sleep(POLL_MS, undefined, { signal });
  }
}

/** The Job once it `holds`. What the account is short of is a reason not to ask. */
export async function untilJob(ground: Ground, name: string, holds: (job: Job) => boolean): Promise<Job> {
  const { client, namespace } = ground;
  return until(
    ground,
    async () => {
      const job = await jobOf(ground, name);
      return holds(job) ? job : null;
    },
    async () => {
      const { summary, waits } = readAs(WaitsSchema, await client.get(waitsPath(namespace, name)), client.target);
      if (waits.some(({ cause }) => OF_THE_ACCOUNT.includes(cause))) throw new NotAsked(`the account: ${summary}`);
      const { active, succeeded, failed } = (await jobOf(ground, name)).status;
      return `Job ${name}: ${active} active, ${succeeded} succeeded, ${failed} failed${summary === null ? '' : `; ${summary}`}`;
    },
  );
}

/** The Job once it is Complete or Failed. */
export const endOf = async (ground: Ground, name: string): Promise<Job> =>
  untilJob(ground, name, (job) => endTypeOf(job) !== null);

const endTypeOf = (job: Job): 'Complete' | 'Failed' | null =>
  (['Complete', 'Failed'] as const).find((type) => conditionOf(job, type) !== undefined) ?? null;

/** Creates a Job and waits for its end. */
export async function runJob(ground: Ground, name: string, script: string, wish: JobWish = {}): Promise<Job> {
  await createJob(ground, shellJob(ground, name, script, wish));
  return endOf(ground, name);
}

/** What a Job's end looks like in a row. */
export const countsOf = (job: Job): Counts => ({
  end: endTypeOf(job),
  succeeded: job.status.succeeded,
  failed: job.status.failed,
});

export type Counts = {
  readonly end: 'Complete' | 'Failed' | null;
  readonly succeeded: number;
  readonly failed: number;
};

export const toldCounts = ({ end, succeeded, failed }: Counts): string =>
  `${end ?? 'open'}, ${succeeded} succeeded, ${failed} failed`;
