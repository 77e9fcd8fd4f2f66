import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parse } from 'yaml';
import * as z from 'zod';

/** Generous: a busy machine may take minutes for what takes seconds alone, and must not turn a test red. */
export const PATIENCE_MS = 600_000;
/** What a test may take: longer than it waits for one thing, so that it says what did not come. */
export const TEST_MS = PATIENCE_MS + 60_000;
const POLL_MS = 100;

const ConditionSchema = z.object({ type: z.string(), status: z.string(), reason: z.string().optional() });
const JobSchema = z.object({
  metadata: z.object({ name: z.string(), uid: z.string() }),
  status: z.object({
    active: z.number().default(0),
    succeeded: z.number().default(0),
    failed: z.number().default(0),
    terminating: z.number().default(0),
    completedIndexes: z.string().optional(),
    conditions: z.array(ConditionSchema).default([]),
  }),
});
const PodSchema = z.object({
  metadata: z.object({ name: z.string(), annotations: z.record(z.string(), z.string()).default({}) }),
  status: z.object({
    phase: z.string(),
    message: z.string().optional(),
    containerStatuses: z
      .array(
        z.object({
          state: z.object({
            terminated: z.object({ exitCode: z.number(), message: z.string().optional() }).optional(),
          }),
        }),
      )
      .optional(),
  }),
});

/** What these tests look at of a Job and of a Pod. */
export type Job = z.output<typeof JobSchema>;
export type Pod = z.output<typeof PodSchema>;
export type Answer = { readonly status: number; readonly text: string };
export type Kube = ReturnType<typeof kubeAt>;

/** The Kubernetes API at `url`, in namespace default, as far as the tests ask it. */
export function kubeAt(url: string) {
  const ask = async (method: string, path: string, body?: object): Promise<Answer> => {
    const response = await fetch(url + path, {
      method,
      ...(body === undefined ? {} : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
    });
    return { status: response.status, text: await response.text() };
  };
  const expectOk = async (method: string, path: string, body?: object): Promise<string> => {
    const { status, text } = await ask(method, path, body);
    if (status >= 300) throw new Error(`${method} ${path}: ${status} ${text}`);
    return text;
  };
  const job = async (name: string): Promise<Job> => JobSchema.parse(JSON.parse(await expectOk('GET', jobPath(name))));
  const until = async (name: string, holds: (job: Job) => boolean): Promise<Job> => {
    let seen: Job | null = null;
    return eventually(
      async () => {
        seen = await job(name);
        return holds(seen) ? seen : null;
      },
      () => `Job ${name} is ${JSON.stringify(seen?.status)}`,
    );
  };
  return {
    ask,
    /** Returns the new Job's uid. */
    create: async (manifest: object): Promise<string> =>
      JobSchema.parse(JSON.parse(await expectOk('POST', JOBS, manifest))).metadata.uid,
    job,
    until,
    /** The Job once it is Complete or Failed. */
    ended: async (name: string): Promise<Job> =>
      until(name, (seen) => conditionsOf(seen).some((type) => type === 'Complete' || type === 'Failed')),
    pods: async (name: string): Promise<readonly Pod[]> =>
      z
        .object({ items: z.array(PodSchema) })
        .parse(JSON.parse(await expectOk('GET', `${PODS}?labelSelector=job-name%3D${name}`))).items,
    log: async (pod: string, query = ''): Promise<string> => expectOk('GET', `${PODS}/${pod}/log${query}`),
    remove: async (name: string): Promise<unknown> => expectOk('DELETE', jobPath(name)),
  };
}

export const JOBS = '/apis/batch/v1/namespaces/default/jobs';
const PODS = '/api/v1/namespaces/default/pods';
const jobPath = (name: string): string => `${JOBS}/${name}`;

/** The types of the conditions that are true, in their order. */
export const conditionsOf = ({ status }: Job): readonly string[] =>
  status.conditions.filter((condition) => condition.status === 'True').map(({ type }) => type);

/** The reason of the Job's terminal condition. */
export const reasonOf = ({ status }: Job): string | undefined => status.conditions.at(-1)?.reason;

export const indexOf = ({ metadata }: Pod): number =>
  Number(metadata.annotations['batch.kubernetes.io/job-completion-index']);

/** Asks until the answer is not null, with pauses of `pauseMs`. Throws after {@link PATIENCE_MS} with what `state` says then. */
export async function eventually<T>(
  ask: () => T | null | Promise<T | null>,
  state: () => string,
  pauseMs = POLL_MS,
): Promise<T> {
  const until = performance.now() + PATIENCE_MS;
  for (;;) {
    const answer = await ask();
    if (answer !== null) return answer;
    if (performance.now() > until) throw new Error(`nothing came of it: ${state()}`);
    await sleep(pauseMs);
  }
}

/** A Job whose single container runs `script` in a shell; `spec` goes beside the template, `pod` into its spec. */
export const shellJob = (name: string, script: string, spec: object = {}, pod: object = {}): object => ({
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: { name },
  spec: {
    ...spec,
    template: {
      spec: {
        restartPolicy: 'Never',
        containers: [{ name: 'main', image: 'busybox', command: ['sh', '-c', script] }],
        ...pod,
      },
    },
  },
});

export const indexed = (completions: number, parallelism: number): object => ({
  completionMode: 'Indexed',
  completions,
  parallelism,
});

/** The lines of a file in a workspace; none if it is not there. */
export function linesOf(workspace: string, file: string): readonly string[] {
  try {
    return readFileSync(join(workspace, file), 'utf8').split('\n').slice(0, -1);
  } catch {
    return [];
  }
}

/** The manifest of an example. */
export const exampleJob = (name: string): object =>
  z.looseObject({}).parse(parse(readFileSync(join(EXAMPLES, name, 'job.yaml'), 'utf8')));
export const EXAMPLES = join(import.meta.dirname, '../../examples');
