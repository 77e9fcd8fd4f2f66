import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { type ALocalRuntime, aLocalRuntime, someFolders } from '../../../../../test/e2e/a-local-runtime.ts';
import { killNow, startRuntime } from '../../../../../test/e2e/a-runtime-process.ts';
import { type Kube, PATIENCE_MS, TEST_MS, eventually, kubeAt } from '../../../../../test/e2e/kube-calls.ts';
import { canLook, processesNaming } from '../../../../../test/e2e/processes-left.ts';
import { type ASession, V5, aSession, endedOf } from '../a-session.ts';

const ALL = 'stdin=true&stdout=true&stderr=true';
const PODS = '/api/v1/namespaces/default/pods';

/** A Pod whose program runs and takes input. */
async function anOpenPod(
  kube: Kube,
  name: string,
  script: string,
  container: object = { stdin: true },
): Promise<string> {
  const main = { name: 'main', image: 'any', command: ['sh', '-c', script], ...container };
  const body = { metadata: { name }, spec: { restartPolicy: 'Never', containers: [main] } };
  const { status, text } = await kube.ask('POST', PODS, { apiVersion: 'v1', kind: 'Pod', ...body });
  if (status !== 201) throw new Error(text);
  await phase(kube, name, 'Running');
  return name;
}

const phase = async (kube: Kube, name: string, wanted: string): Promise<true> => {
  let seen = '';
  return eventually(
    async () => {
      seen = (await kube.ask('GET', `${PODS}/${name}`)).text;
      return (JSON.parse(seen) as { status: { phase: string } }).status.phase === wanted ? true : null;
    },
    () => seen,
  );
};

const logOf = async (kube: Kube, name: string): Promise<string> => (await kube.ask('GET', `${PODS}/${name}/log`)).text;

describe('the input of a program beside others', { timeout: TEST_MS }, () => {
  let local: ALocalRuntime;
  beforeAll(async () => {
    local = await aLocalRuntime({ store: 'memory' });
  }, PATIENCE_MS);
  afterAll(async () => local.close());

  const attach = async (pod: string, query = ALL): Promise<ASession> =>
    aSession(local.runtime.url, pod, { what: 'attach', query, protocol: V5 });
  const shows = async (session: ASession, text: string) =>
    eventually(
      () => (session.on(1).toString().includes(text) ? true : null),
      () => `it shows ${session.on(1).toString()}`,
    );

  test('is what the client sends, and ends with it where stdinOnce says so', async () => {
    const pod = await anOpenPod(local.kube, 'once', 'cat; echo over', { stdin: true, stdinOnce: true });
    const session = await attach(pod);
    const piece = Buffer.alloc(1024 * 1024, 'muster\n');
    for (let n = 0; n < 20; n++) await session.send(0, piece);
    await session.send(255, Buffer.of(0));
    await session.closed;
    expect(endedOf(session).code).toBe(0);
    const all = Buffer.concat([...Array.from({ length: 20 }, () => piece), Buffer.from('over\n')]);
    expect(session.on(1).equals(all)).toBe(true);
    await phase(local.kube, pod, 'Succeeded');
  });

  test('ends with the first client of stdinOnce, even one that is cut off in the middle', async () => {
    const pod = await anOpenPod(local.kube, 'cut', 'cat; echo over', { stdin: true, stdinOnce: true });
    // One that sends nothing, and does not say that it might, is no such client.
    const reader = await attach(pod, 'stdout=true&stderr=true');
    reader.socket.terminate();
    const session = await attach(pod);
    await session.send(0, 'half a li');
    await shows(session, 'half a li');
    session.socket.terminate();
    await phase(local.kube, pod, 'Succeeded');
    expect(await logOf(local.kube, pod)).toBe('half a liover\n');
  });

  test('stays open for the next client without stdinOnce, and the first hears that it has left', async () => {
    const pod = await anOpenPod(local.kube, 'stays', 'read a; echo "$a"; read b; echo "$b"');
    const first = await attach(pod);
    await first.send(0, 'one\n');
    await shows(first, 'one\n');
    await first.send(255, Buffer.of(0));
    await first.closed;
    const second = await attach(pod);
    await second.send(0, 'two\n');
    await second.closed;
    expect(second.on(1).toString()).toBe('two\n');
    await phase(local.kube, pod, 'Succeeded');
  });

  test('is closed without stdin, whatever a client sends', async () => {
    const pod = await anOpenPod(local.kube, 'closed', 'cat; echo end of file; sleep 2', {});
    const session = await attach(pod);
    await session.send(0, 'nobody reads this\n');
    await session.closed;
    expect(await logOf(local.kube, pod)).toBe('end of file\n');
  });

  test('is a terminal with tty, which has the size of the client and takes what is typed', async () => {
    const pod = await anOpenPod(local.kube, 'terminal', 'exec sh', { stdin: true, stdinOnce: true, tty: true });
    const session = await attach(pod, `${ALL}&tty=true`);
    await session.send(4, '{"Width":101,"Height":33}');
    await eventually(
      async () => {
        await session.send(0, 'stty size\n');
        return session.on(1).toString().includes('33 101') ? true : null;
      },
      () => session.on(1).toString(),
    );
    // A terminal stays open for the next one.
    session.socket.terminate();
    const next = await attach(pod, `${ALL}&tty=true`);
    await next.send(0, 'echo read\\y; exit 3\n');
    await next.closed;
    expect(next.on(1).toString()).toContain('ready\r\n');
    await phase(local.kube, pod, 'Failed');
  });

  test('a program in a terminal is asked to end as any other', async () => {
    const script = 'trap "echo asked; exit 9" TERM; echo ready; while :; do sleep 0.1; done';
    const pod = await anOpenPod(local.kube, 'asked', script, { tty: true });
    const session = await attach(pod);
    await eventually(
      async () => ((await logOf(local.kube, pod)) === 'ready\r\n' ? true : null),
      () => 'it is not ready',
    );
    await local.kube.ask('DELETE', `${PODS}/${pod}`);
    await session.closed;
    expect(session.on(1).toString()).toBe('asked\r\n');
  });

  test('of a program that does not read holds up its clients', async () => {
    const pod = await anOpenPod(local.kube, 'deaf', 'while :; do sleep 1; done');
    for (let round = 0; round < 5; round++) {
      const session = await attach(pod);
      const flooded = (async () => {
        for (let n = 0; n < 256; n++) await session.send(0, Buffer.alloc(1024 * 1024));
      })().catch(() => undefined);
      await eventually(
        () => (session.socket.bufferedAmount > 0 ? true : null),
        () => 'it takes everything',
      );
      session.socket.terminate();
      await flooded;
    }
    expect((await local.kube.ask('GET', `${PODS}/${pod}`)).text).toContain('"phase":"Running"');
  });

  test('comes from 200 clients at once, each line of each whole', async () => {
    const pod = await anOpenPod(
      local.kube,
      'many',
      'n=0; while [ $n -lt 200 ]; do read a; echo "got $a"; n=$((n + 1)); done',
    );
    const all = await Promise.all(Array.from({ length: 200 }, async () => attach(pod)));
    await Promise.all(all.map(async (each, n) => each.send(0, `line ${n}\n`)));
    await Promise.all(all.map(async ({ closed }) => closed));
    const wanted = all.map((_, n) => `got line ${n}`).sort();
    for (const each of [all[0], all[199]]) expect(each?.on(1).toString().trim().split('\n').sort()).toEqual(wanted);
  });
});

describe.runIf(canLook)('a runtime that is killed', { timeout: TEST_MS }, () => {
  test('the input of a process ends with its runtime', async () => {
    const folders = someFolders();
    onTestFinished(() => {
      for (const line of processesNaming(folders.root)) killNow(Number.parseInt(line, 10));
      folders.remove();
    });
    const first = startRuntime(folders);
    const pod = await anOpenPod(kubeAt(await first.ready()), 'adopted', 'cat; echo closed; sleep 3; echo on');
    const session = await aSession(await first.ready(), pod, { what: 'attach', query: ALL, protocol: V5 });
    await session.send(0, 'before\n');
    await eventually(
      () => (session.on(1).toString().includes('before') ? true : null),
      () => session.on(1).toString(),
    );
    first.child.kill('SIGKILL');
    await first.ended;
    const second = startRuntime(folders);
    const kube = kubeAt(await second.ready());
    await phase(kube, pod, 'Succeeded');
    expect(await logOf(kube, pod)).toBe('before\nclosed\non\n');
    second.child.kill('SIGTERM');
    await second.ended;
  });
});
