import * as z from 'zod';
import { type Answer, eventually } from '../e2e/kube-calls.ts';

const ConditionSchema = z.object({
  type: z.string(),
  status: z.string(),
  reason: z.string().optional(),
  lastTransitionTime: z.string().optional(),
});
const MetadataSchema = z.looseObject({
  name: z.string(),
  uid: z.string(),
  resourceVersion: z.string(),
  deletionTimestamp: z.string().optional(),
  labels: z.record(z.string(), z.string()).default({}),
  annotations: z.record(z.string(), z.string()).default({}),
});
const JobStatusSchema = z.looseObject({
  active: z.number().default(0),
  completionTime: z.string().optional(),
  ready: z.number().optional(),
  succeeded: z.number().default(0),
  failed: z.number().default(0),
  terminating: z.number().optional(),
  completedIndexes: z.string().optional(),
  failedIndexes: z.string().optional(),
  conditions: z.array(ConditionSchema).default([]),
});
/** A Job as it was read, with all its fields, so that it can be changed and put back. */
const JobSchema = z.looseObject({
  metadata: MetadataSchema,
  spec: z.looseObject({}),
  status: z.looseObject({}),
});
const PodSchema = z.object({
  metadata: MetadataSchema,
  spec: z.object({ hostname: z.string().optional() }),
  status: z.object({
    phase: z.string(),
    containerStatuses: z.array(z.object({ restartCount: z.number() })).optional(),
  }),
});
const ListSchema = <T extends z.ZodType>(item: T) =>
  z.object({ metadata: z.object({ resourceVersion: z.string() }), items: z.array(item) });

export type JobDocument = z.output<typeof JobSchema>;
export type JobStatus = z.output<typeof JobStatusSchema>;
export type PodDocument = z.output<typeof PodSchema>;
export type WatchEvent = {
  readonly type: string;
  readonly object: { readonly metadata: z.output<typeof MetadataSchema> };
};

const WatchEventSchema = z.object({ type: z.string(), object: z.looseObject({ metadata: MetadataSchema }) });

/** The content types of the patches. */
export const MERGE = 'application/merge-patch+json';
export const STRATEGIC = 'application/strategic-merge-patch+json';

export type ANamespace = Awaited<ReturnType<typeof aNamespace>>;

/** Makes namespace `name` on the server at `url`, and returns once it has what every test framework waits for. */
export async function aNamespace(url: string, name: string) {
  const ask = asking(url);
  await ask('POST', '/api/v1/namespaces', { metadata: { name } });
  const core = `/api/v1/namespaces/${name}`;
  const jobsPath = `/apis/batch/v1/namespaces/${name}/jobs`;
  const exists = async (path: string): Promise<true | null> =>
    (await request(url, 'GET', path)).status < 300 ? true : null;
  for (const path of [`${core}/serviceaccounts/default`, `${core}/configmaps/kube-root-ca.crt`])
    await eventually(
      async () => exists(path),
      () => `${path} is not there`,
    );

  const job = async (jobName: string, subresource = ''): Promise<JobDocument> =>
    JobSchema.parse(JSON.parse(await ask('GET', `${jobsPath}/${jobName}${subresource}`)));
  const status = async (jobName: string): Promise<JobStatus> => JobStatusSchema.parse((await job(jobName)).status);
  const pods = async (jobName: string): Promise<readonly PodDocument[]> =>
    ListSchema(PodSchema).parse(JSON.parse(await ask('GET', `${core}/pods?labelSelector=job-name%3D${jobName}`))).items;

  return {
    name,
    jobsPath,
    ask,
    /** The answer, whatever its code. */
    tryTo: async (method: string, path: string, body?: object): Promise<Answer> => request(url, method, path, body),
    create: async (manifest: object): Promise<JobDocument> =>
      JobSchema.parse(JSON.parse(await ask('POST', jobsPath, manifest))),
    job,
    status,
    pods,
    /** The Jobs of a collection, and its version. */
    list: async (path: string) => ListSchema(JobSchema).parse(JSON.parse(await ask('GET', path))),
    patch: async (jobName: string, type: string, body: object, subresource = ''): Promise<JobDocument> =>
      JobSchema.parse(JSON.parse(await ask('PATCH', `${jobsPath}/${jobName}${subresource}`, body, type))),
    /** Reads, changes and replaces the Job, and all over again if it was changed meanwhile. */
    update: async (
      jobName: string,
      change: (job: JobDocument) => JobDocument,
      subresource = '',
    ): Promise<JobDocument> => {
      const path = `${jobsPath}/${jobName}${subresource}`;
      const answer = await eventually(
        async () => {
          const put = await request(url, 'PUT', path, change(await job(jobName)));
          return put.status === 409 ? null : put;
        },
        () => `${path} changes all the time`,
      );
      if (answer.status >= 300) throw new Error(`PUT ${path}: ${answer.status} ${answer.text}`);
      return JobSchema.parse(JSON.parse(answer.text));
    },
    /** The status once it `holds`. */
    until: async (jobName: string, holds: (status: JobStatus) => boolean): Promise<JobStatus> => {
      let seen: JobStatus | null = null;
      return eventually(
        async () => {
          seen = await status(jobName);
          return holds(seen) ? seen : null;
        },
        () => `${name}/${jobName} is ${JSON.stringify(seen)}`,
      );
    },
    /** The Pods of the Job once they `hold`. */
    untilPods: async (
      jobName: string,
      holds: (pods: readonly PodDocument[]) => boolean,
    ): Promise<readonly PodDocument[]> => {
      let seen: readonly PodDocument[] = [];
      return eventually(
        async () => {
          seen = await pods(jobName);
          return holds(seen) ? seen : null;
        },
        () =>
          `the Pods of ${name}/${jobName} are ${JSON.stringify(seen.map(({ metadata, status }) => [metadata.name, status]))}`,
      );
    },
    /** Events of a watch, as they come. `stop` ends it. */
    watch: async (path: string) => watching(url + path),
  };
}

/** A condition is true, for the reason given, if one is. */
export const has =
  (type: string, reason?: string) =>
  ({ conditions }: JobStatus): boolean =>
    conditions.some(
      (condition) =>
        condition.type === type && condition.status === 'True' && (reason === undefined || condition.reason === reason),
    );

/** Complete, for `reason`, with this many successes. */
export const isComplete =
  (reason: string, succeeded: number) =>
  (status: JobStatus): boolean =>
    has('Complete', reason)(status) && status.succeeded === succeeded;

export const isFailed = has('Failed');

export const inPhase = (pods: readonly PodDocument[], phase: string): readonly PodDocument[] =>
  pods.filter(({ status }) => status.phase === phase);

function asking(url: string) {
  return async (method: string, path: string, body?: object, type?: string): Promise<string> => {
    const { status, text } = await request(url, method, path, body, type);
    if (status >= 300) throw new Error(`${method} ${path}: ${status} ${text}`);
    return text;
  };
}

async function request(
  url: string,
  method: string,
  path: string,
  body?: object,
  type = 'application/json',
): Promise<Answer> {
  const response = await fetch(url + path, {
    method,
    ...(body === undefined ? {} : { headers: { 'content-type': type }, body: JSON.stringify(body) }),
  });
  return { status: response.status, text: await response.text() };
}

async function watching(url: string) {
  const stopping = new AbortController();
  const response = await fetch(url, { signal: stopping.signal });
  if (!response.ok || response.body === null) throw new Error(`${url}: ${response.status} ${await response.text()}`);
  const events: WatchEvent[] = [];
  let failure: Error | null = null;
  const reading = readInto(events, response.body).catch((error: unknown) => {
    failure = new Error('the watch broke', { cause: error });
  });
  return {
    events,
    until: async (holds: (event: WatchEvent) => boolean): Promise<WatchEvent> =>
      eventually(
        () => {
          const found = events.find(holds);
          if (found === undefined && failure !== null) throw failure;
          return found ?? null;
        },
        () => `the watch told ${JSON.stringify(events.map(({ type, object }) => [type, object.metadata.name]))}`,
      ),
    stop: async (): Promise<void> => {
      stopping.abort();
      await reading;
    },
  };
}

async function readInto(events: WatchEvent[], body: ReadableStream<Uint8Array>): Promise<void> {
  let rest = '';
  for await (const text of body.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) if (line.trim() !== '') events.push(WatchEventSchema.parse(JSON.parse(line)));
  }
}
