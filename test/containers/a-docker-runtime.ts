import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import * as z from 'zod';
import { type Folders, someFolders } from '../e2e/a-local-runtime.ts';
import { type RuntimeProcess, killNow, startRuntime } from '../e2e/a-runtime-process.ts';
import { type Kube, TEST_MS, eventually, kubeAt, shellJob } from '../e2e/kube-calls.ts';
import { isVerifying } from '../verify/verifying.ts';
import { type AnEngine, anEngine, anImage, engineLack } from './an-engine.ts';

const LACK = engineLack();
if (LACK !== null) console.warn(`SKIPPED: containers: ${LACK}`);

/** Where no engine can be started, tests with containers are skipped, but by `npm run verify`, where they fail. */
export const hasEngine = LACK === null || isVerifying;

/** A busy machine takes its time for each container. */
export const PATIENT = { timeout: 2 * TEST_MS } as const;

export type ADockerRuntime = {
  readonly folders: Folders;
  readonly hostFolder: string;
  readonly kube: Kube;
  /** The process that runs now, and what it has said. */
  readonly process: () => RuntimeProcess;
  /** SIGKILL, and a new one on the same folders. */
  readonly killAndStart: () => Promise<void>;
  /** Ends it as Ctrl-C does; resolves with its exit code. */
  readonly stop: () => Promise<number | string>;
  /** Ends it however it can, and removes its folders. */
  readonly remove: () => Promise<void>;
};

/** The embedded runtime in a process of its own, whose tasks are containers. They may mount what is in `hostFolder`. */
export async function aDockerRuntime({ host }: AnEngine): Promise<ADockerRuntime> {
  const folders = someFolders();
  const hostFolder = join(folders.root, 'allowed');
  mkdirSync(hostFolder);
  const tasks = { dockerHost: host, hostFolders: [hostFolder] };
  let runtime = startRuntime(folders, tasks);
  let kube = kubeAt(await runtime.ready());
  const stop = async (): Promise<number | string> => {
    runtime.child.kill('SIGTERM');
    return runtime.ended;
  };
  return {
    folders,
    hostFolder,
    get kube() {
      return kube;
    },
    process: () => runtime,
    async killAndStart() {
      killNow(runtime.child.pid);
      await runtime.ended;
      runtime = startRuntime(folders, tasks);
      kube = kubeAt(await runtime.ready());
    },
    stop,
    async remove() {
      await stop();
      folders.remove();
    },
  };
}

/**
 * An engine with busybox, and a runtime on it, for all tests of a `describe`.
 *
 * @param prepare what else the engine needs before the runtime starts
 */
export function withDocker(prepare?: (engine: AnEngine) => Promise<void>) {
  let engine: AnEngine;
  let runtime: ADockerRuntime;
  beforeAll(async () => {
    engine = await anEngine();
    await anImage(engine, BUSYBOX);
    await prepare?.(engine);
    runtime = await aDockerRuntime(engine);
  });
  afterAll(async () => {
    await runtime?.remove();
    await engine?.remove();
  });
  return {
    get engine() {
      return engine;
    },
    get runtime() {
      return runtime;
    },
  };
}

const StateSchema = z.object({
  waiting: z.object({ reason: z.string(), message: z.string().optional() }).optional(),
  running: z.object({}).optional(),
  terminated: z
    .object({
      exitCode: z.number(),
      reason: z.string().optional(),
      message: z.string().optional(),
      startedAt: z.string().nullish(),
      finishedAt: z.string().nullish(),
    })
    .optional(),
});
const StatusesSchema = z.array(z.object({ name: z.string(), state: StateSchema })).default([]);
const PodSchema = z.object({
  metadata: z.object({
    name: z.string(),
    annotations: z.record(z.string(), z.string()).default({}),
  }),
  status: z.object({
    phase: z.string(),
    reason: z.string().optional(),
    message: z.string().optional(),
    podIP: z.string().optional(),
    conditions: z.array(z.object({ type: z.string(), reason: z.string().optional() })).default([]),
    containerStatuses: StatusesSchema,
    initContainerStatuses: StatusesSchema,
  }),
});
export type SeenPod = z.output<typeof PodSchema>;

/** The Pods of a Job, with what became of their containers. */
export async function podsOf(kube: Kube, job: string): Promise<readonly SeenPod[]> {
  const { text } = await kube.ask('GET', `/api/v1/namespaces/default/pods?labelSelector=job-name%3D${job}`);
  return z.object({ items: z.array(PodSchema) }).parse(JSON.parse(text)).items;
}

/** The only Pod of a Job, once `holds` is true of it. */
export async function podThat(kube: Kube, job: string, holds: (pod: SeenPod) => boolean): Promise<SeenPod> {
  let seen: readonly SeenPod[] = [];
  return eventually(
    async () => {
      seen = await podsOf(kube, job);
      const [pod] = seen;
      return seen.length === 1 && pod !== undefined && holds(pod) ? pod : null;
    },
    () => `the Pods of ${job} are ${JSON.stringify(seen)}`,
  );
}

export const hasEnded = ({ status }: SeenPod): boolean => status.phase === 'Succeeded' || status.phase === 'Failed';

/** A container of an image with a shell. */
export const shell = (script: string, more: object = {}): object => ({
  name: 'main',
  image: BUSYBOX,
  command: ['sh', '-c', script],
  ...more,
});

/** The image of {@link anImage} that most tests take. */
export const BUSYBOX = 'muster-test/busybox:1';

/** A Job of one index that is tried once; `pod` goes into its Pod's spec, `spec` beside the template. */
export const oneJob = (name: string, containers: readonly object[], pod: object = {}, spec: object = {}): object =>
  shellJob(
    name,
    '',
    { completionMode: 'Indexed', completions: 1, parallelism: 1, backoffLimit: 0, ...spec },
    {
      containers,
      ...pod,
    },
  );

const NamesSchema = z.array(z.looseObject({ Id: z.string(), Names: z.array(z.string()) }));
const ListedSchema = z.array(z.looseObject({ Name: z.string() }));

/** The ids of an engine's containers whose names have the text. */
export async function containersOf({ api }: AnEngine, text: string): Promise<readonly string[]> {
  const all = NamesSchema.parse(await api.ask({ method: 'GET', path: '/containers/json', query: { all: true } }));
  return all.filter(({ Names }) => Names.some((name) => name.includes(text))).map(({ Id }) => Id);
}

/** What a runtime has in an engine: containers, volumes, and networks that have its label, whoever made them. */
export async function leftIn({ api }: AnEngine): Promise<readonly string[]> {
  const query = { filters: JSON.stringify({ label: ['muster.run/installation'] }) };
  const containers = await api.ask({ method: 'GET', path: '/containers/json', query: { ...query, all: true } });
  const volumes = z
    .looseObject({ Volumes: ListedSchema.nullish() })
    .parse(await api.ask({ method: 'GET', path: '/volumes', query }));
  const networks = ListedSchema.parse(await api.ask({ method: 'GET', path: '/networks', query }));
  return [
    ...NamesSchema.parse(containers).flatMap(({ Names }) => Names),
    ...(volumes.Volumes ?? []).map(({ Name }) => `volume ${Name}`),
    ...networks.map(({ Name }) => `network ${Name}`),
  ];
}
