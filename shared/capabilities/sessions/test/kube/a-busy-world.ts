import { JOBS, PODS, START, type World, aWorld, manifest } from '../../../../../test/kube/a-world.ts';
import { addSessionRoutes } from '../../kube/session-routes.ts';
import type { SessionPlan, Taken } from '../../domain/session-plan.ts';

export const OPTIONS = { sessionRoutes: [addSessionRoutes] };
export const WEBSOCKET = { upgrade: 'websocket', 'sec-websocket-protocol': 'v5.channel.k8s.io' };
export const EXEC = 'exec?command=ls&command=-l&stdout=true&stderr=true';
const DONE = { cause: 'Completed', exitCode: 0, container: 'main', reason: '' } as const;

/** Index 0 runs, 1 has succeeded, 2 waits. */
export async function commitJob(world: Pick<World, 'commit' | 'launch' | 'record'>): Promise<void> {
  const all = [0, 1, 2].map((index) => ({ op: 'claim', index }) as const);
  await world.commit('sums', all, { startTime: START });
  await world.launch('sums', [{ index: 0, attempt: 1 }]);
  await world.record('sums', 1, 1, DONE);
  await world.commit('sums', [
    { op: 'running', index: 0 },
    { op: 'succeeded', index: 1 },
  ]);
}

export async function aBusyWorld(
  containers?: readonly object[],
  hooks: Parameters<typeof aWorld>[1] = {},
): Promise<World> {
  const world = await aWorld(OPTIONS, hooks);
  const job = manifest('sums', { parallelism: 3 });
  const spec = { ...job.spec.template.spec, ...(containers === undefined ? {} : { containers }) };
  await world.post(JOBS, { ...job, spec: { ...job.spec, template: { spec } } });
  await commitJob(world);
  return world;
}

export const podOf = async ({ get }: Pick<World, 'get'>, index: number): Promise<string> => {
  const query = `?labelSelector=batch.kubernetes.io/job-completion-index%3D${index}`;
  const { items } = (await (await get(PODS + query)).json()) as { items: { metadata: { name: string } }[] };
  return items[0]?.metadata.name ?? '';
};

/** Asks as a transport does that takes connections over, if `taken` says so. */
export async function ask(
  { app }: Pick<World, 'app'>,
  path: string,
  { headers = WEBSOCKET, method = 'GET', taken = { kind: 'taken' } }: Partial<AskedWith> = {},
) {
  const plans: SessionPlan[] = [];
  const takeOver = (plan: SessionPlan): Taken => {
    plans.push(plan);
    return taken;
  };
  const answer = await app.request(`${PODS}/${path}`, { method, headers }, { takeOver });
  const text = await answer.text();
  const message = text === '' ? '' : (JSON.parse(text) as { message: string }).message;
  return { code: answer.status, message, plan: plans[0] };
}

type AskedWith = {
  readonly headers: Readonly<Record<string, string>>;
  readonly method: string;
  readonly taken: Taken;
};
