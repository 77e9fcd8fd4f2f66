import { afterAll, beforeAll, describe, test } from 'vitest';
import { type ALocalRuntime, aLocalRuntime } from '../a-local-runtime.ts';
import { PATIENCE_MS, TEST_MS, eventually } from '../kube-calls.ts';

let local: ALocalRuntime;
beforeAll(async () => {
  local = await aLocalRuntime();
}, PATIENCE_MS);
afterAll(async () => local.close());

const PODS = '/api/v1/namespaces/default/pods';
const pod = (name: string, script: string, spec: object = {}) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name },
  spec: {
    restartPolicy: 'Never',
    containers: [{ name: 'main', image: 'busybox', command: ['sh', '-c', script] }],
    ...spec,
  },
});
type Status = { phase: string; reason?: string; containerStatuses?: { restartCount: number }[] };

const ask = async (method: string, path: string, body?: object) => {
  const answer = await fetch(local.runtime.url + path, {
    method,
    headers: { 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { code: answer.status, text: await answer.text() };
};
const statusOf = async (name: string): Promise<Status> =>
  (JSON.parse((await ask('GET', `${PODS}/${name}`)).text) as { status: Status }).status;
/** The Pod's status once it is in this phase. */
const inPhase = async (name: string, phase: string): Promise<Status> => {
  let seen: Status | null = null;
  return eventually(
    async () => {
      seen = await statusOf(name);
      return seen.phase === phase ? seen : null;
    },
    () => `Pod ${name} is ${JSON.stringify(seen)}`,
  );
};
/** Waits until a path answers so. */
const answers = async (path: string, isIt: (answer: { code: number; text: string }) => boolean): Promise<unknown> =>
  eventually(
    async () => (isIt(await ask('GET', path)) ? true : null),
    () => path,
  );

describe.concurrent('Pods without a Job', { timeout: TEST_MS }, () => {
  test('one runs, ends, has a log, and goes', async ({ expect }) => {
    const made = await ask('POST', PODS, pod('ends', 'echo one; echo two; exit 3'));
    expect(made.code).toBe(201);
    await inPhase('ends', 'Failed');
    expect((await ask('GET', `${PODS}/ends/log`)).text).toBe('one\ntwo\n');
    expect((await ask('DELETE', `${PODS}/ends`)).code).toBe(200);
    expect((await ask('GET', `${PODS}/ends`)).code).toBe(404);
  });

  test('a deletion stops its program, which may clean up, and shows it until then', async ({ expect }) => {
    await ask('POST', PODS, pod('stops', "trap 'echo cleaning; exit 0' TERM; echo up; while :; do sleep 0.05; done"));
    await answers(`${PODS}/stops/log`, ({ text }) => text === 'up\n');
    const { text } = await ask('DELETE', `${PODS}/stops`);
    expect(text).toContain('"deletionTimestamp"');
    await answers(`${PODS}/stops`, ({ code }) => code === 404);
    expect((await ask('POST', PODS, pod('stops', 'true'))).code).toBe(201);
  });

  test('what fails is started again with OnFailure, in the same Pod', async ({ expect }) => {
    const script = '[ -e "$MUSTER_VOLUME_KEPT/tried" ] && exit 0; touch "$MUSTER_VOLUME_KEPT/tried"; exit 1';
    const mounting = { volumeMounts: [{ name: 'kept', mountPath: '/kept' }] };
    const spec = {
      restartPolicy: 'OnFailure',
      volumes: [{ name: 'kept', emptyDir: {} }],
      containers: [{ name: 'main', image: 'busybox', command: ['sh', '-c', script], ...mounting }],
    };
    await ask('POST', PODS, pod('again', '', spec));
    expect(await inPhase('again', 'Succeeded')).toMatchObject({ containerStatuses: [{ restartCount: 1 }] });
  });

  test('a deadline that is set while it runs', async ({ expect }) => {
    await ask('POST', PODS, pod('late', 'sleep 600'));
    await inPhase('late', 'Running');
    const answer = await fetch(`${local.runtime.url}${PODS}/late`, {
      method: 'PATCH',
      headers: { 'content-type': 'application/merge-patch+json' },
      body: JSON.stringify({ spec: { activeDeadlineSeconds: 1 } }),
    });
    expect(answer.status).toBe(200);
    expect(await inPhase('late', 'Failed')).toMatchObject({ reason: 'DeadlineExceeded' });
  });

  test('a hundred at once, each once', async ({ expect }) => {
    const names = Array.from({ length: 100 }, (_, nth) => `many-${nth}`);
    const codes = await Promise.all(names.map(async (name) => (await ask('POST', PODS, pod(name, 'echo done'))).code));
    expect(new Set(codes)).toEqual(new Set([201]));
    await Promise.all(names.map(async (name) => inPhase(name, 'Succeeded')));
    const logs = await Promise.all(names.map(async (name) => (await ask('GET', `${PODS}/${name}/log`)).text));
    expect(new Set(logs)).toEqual(new Set(['done\n']));
  });
});
