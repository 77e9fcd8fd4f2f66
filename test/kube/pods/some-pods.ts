import { JOBS, PODS, START, type World, aWorld, manifest } from '../a-world.ts';

export type Pod = {
  metadata: {
    name: string;
    uid: string;
    creationTimestamp: string;
    labels: Record<string, string>;
    annotations?: Record<string, string>;
    resourceVersion: string;
  };
  spec: { hostname?: string; containers: { env?: { name: string }[] }[] };
  status: {
    phase: string;
    qosClass?: string;
    reason?: string;
    conditions?: { type: string; status: string; reason?: string; message?: string }[];
    containerStatuses?: ContainerStatus[];
    initContainerStatuses?: ContainerStatus[];
  };
};
type ContainerStatus = { name: string; restartCount: number; state: object; lastState: object };
export type PodList = { metadata: { continue?: string; resourceVersion: string }; items: Pod[] };

export const list = async (world: World, query = ''): Promise<PodList> =>
  (await (await world.get(PODS + query)).json()) as PodList;

/** Index 0 failed and runs again, 1 succeeded, 2 is launched, 3 claimed. */
export const aBusyJob = async (spec: object = {}, hooks: Parameters<typeof aWorld>[1] = {}): Promise<World> => {
  const world = await aWorld({}, hooks);
  await world.post(JOBS, manifest('sums', { parallelism: 4, ...spec }));
  await world.commit(
    'sums',
    [0, 1, 2, 3].map((index) => ({ op: 'claim', index })),
    { startTime: START },
  );
  await world.record('sums', 0, 1, {
    cause: 'Error',
    exitCode: 3,
    container: 'main',
    reason: 'Essential container in task exited',
  });
  await world.commit('sums', [
    { op: 'failed', index: 0, notBefore: null },
    { op: 'claim', index: 0, attempt: 2 },
  ]);
  await world.launch('sums', [
    { index: 0, attempt: 2 },
    { index: 2, attempt: 1 },
  ]);
  await world.record('sums', 1, 1, { cause: 'Completed', exitCode: 0, container: 'main', reason: '' });
  await world.commit('sums', [
    { op: 'running', index: 0, attempt: 2 },
    { op: 'succeeded', index: 1 },
    { op: 'launched', index: 2 },
  ]);
  return world;
};
