import { describe, expect, test } from 'vitest';
import {
  type ASession,
  V5,
  aSession,
  endedOf,
  ran,
  running,
} from '../../shared/capabilities/sessions/test/a-session.ts';
import { eventually } from '../e2e/kube-calls.ts';
import { PATIENT, hasEngine, oneJob, podThat, shell, withDocker } from './a-docker-runtime.ts';

const isRunning = ({ status }: { readonly status: { readonly phase: string } }): boolean => status.phase === 'Running';
const ALL = 'stdin=true&stdout=true&stderr=true';
const SERVER = 'mkdir -p /tmp/www; echo hello > /tmp/www/a; exec httpd -f -p 8080 -h /tmp/www';

const shown = async ({ on }: ASession, text: string): Promise<true> =>
  eventually(
    () => (on(1).toString().includes(text) ? true : null),
    () => `it shows ${on(1).toString()}`,
  );

describe.runIf(hasEngine)('a session in a container', PATIENT, () => {
  const docker = withDocker();
  let pods = 0;

  /** A Pod that runs, and where it is. */
  const aPod = async (script = SERVER, more: object = {}) => {
    const { kube, process } = docker.runtime;
    const name = `session-${(pods += 1)}`;
    await kube.create(oneJob(name, [shell(script, { env: [{ name: 'COLOR', value: 'blue' }], ...more })]));
    const pod = await podThat(kube, name, isRunning);
    return { url: await process().ready(), pod: pod.metadata.name };
  };

  /** The processes in a container whose command holds the text. */
  const inside = async (url: string, pod: string, text: string): Promise<number> => {
    const { out } = await ran(url, pod, running('ps', '-o', 'args'));
    return out.split('\n').filter((line) => line.startsWith(text)).length;
  };

  test('a command has the container, its environment, and its exit code', async () => {
    const { url, pod } = await aPod();
    expect(await ran(url, pod, running('sh', '-c', 'echo $COLOR; echo wrong >&2; exit 3'))).toMatchObject({
      out: 'blue\n',
      err: 'wrong\n',
      code: 3,
    });
    expect(await ran(url, pod, running('true'))).toMatchObject({ code: 0, err: '' });
    expect(await ran(url, pod, running('sh', '-c', 'nosuch'))).toMatchObject({ code: 127 });
    const missing = await ran(url, pod, running('nosuch'));
    expect(missing.text + missing.err + missing.out).toMatch(/"nosuch": executable file not found/);
  });

  test('20 MB go through cat and come back, and the end of the input is its end', async () => {
    const { url, pod } = await aPod();
    const session = await aSession(url, pod, { query: `stdin=true&${running('cat')}`, protocol: V5 });
    const piece = Buffer.alloc(1024 * 1024, 'muster ');
    for (let n = 0; n < 20; n++) await session.send(0, piece);
    await session.send(255, Buffer.of(0));
    await session.closed;
    expect(endedOf(session).code).toBe(0);
    expect(session.on(1).equals(Buffer.concat(Array.from({ length: 20 }, () => piece)))).toBe(true);
  });

  test('a terminal has the size of the client, and takes what is typed', async () => {
    const { url, pod } = await aPod();
    const session = await aSession(url, pod, { query: `stdin=true&tty=true&${running('sh')}`, protocol: V5 });
    await session.send(4, '{"Width":101,"Height":33}');
    const shows = async (text: string) =>
      eventually(
        () => (session.on(1).toString().includes(text) ? true : null),
        () => `it shows ${session.on(1).toString()}`,
      );
    await shows('#');
    await eventually(
      async () => {
        await session.send(0, 'stty size\n');
        return session.on(1).toString().includes('33 101') ? true : null;
      },
      () => session.on(1).toString(),
    );
    await session.send(0, 'sleep 1000\n');
    await eventually(
      async () => ((await inside(url, pod, 'sleep 1000')) === 1 ? true : null),
      () => 'it does not sleep',
    );
    await session.send(0, '\u0003');
    await shows('^C');
    await session.send(0, 'exit 7\n');
    await session.closed;
    expect(endedOf(session).code).toBe(7);
  });

  test('a client that is cut off leaves no process, even one that ignores SIGHUP', async () => {
    const { url, pod } = await aPod();
    const script = 'trap "" HUP; sleep 54321';
    const session = await aSession(url, pod, { query: running('sh', '-c', script), protocol: V5 });
    await eventually(
      async () => ((await inside(url, pod, 'sleep 54321')) === 1 ? true : null),
      () => 'it does not run',
    );
    session.socket.terminate();
    await eventually(
      async () => ((await inside(url, pod, 'sleep 54321')) === 0 ? true : null),
      () => 'it still runs',
    );
    // The container's own program goes on.
    expect(await inside(url, pod, 'httpd -f')).toBe(1);
  });

  test('who attaches reads what the container prints from then on, until it ends', async () => {
    const { url, pod } = await aPod('sleep 3; echo late; sleep 1');
    const session = await aSession(url, pod, { what: 'attach', query: 'stdout=true&stderr=true', protocol: V5 });
    await session.closed;
    expect(endedOf(session)).toMatchObject({ out: 'late\n', code: 0 });
  });

  test('the input is what the client sends, and ends with it where stdinOnce says so', async () => {
    const { url, pod } = await aPod('cat; echo over', { stdin: true, stdinOnce: true });
    const session = await aSession(url, pod, { what: 'attach', query: ALL, protocol: V5 });
    const piece = Buffer.alloc(1024 * 1024, 'muster\n');
    for (let n = 0; n < 5; n++) await session.send(0, piece);
    await session.send(255, Buffer.of(0));
    await session.closed;
    const all = Buffer.concat([...Array.from({ length: 5 }, () => piece), Buffer.from('over\n')]);
    expect([endedOf(session).code, session.on(1).equals(all)]).toEqual([0, true]);
  });

  test('a client that is cut off ends the input of stdinOnce, and no other', async () => {
    const once = await aPod('cat; echo over; sleep 2', { stdin: true, stdinOnce: true });
    const reader = await aSession(once.url, once.pod, { what: 'attach', query: 'stdout=true', protocol: V5 });
    const cut = await aSession(once.url, once.pod, { what: 'attach', query: ALL, protocol: V5 });
    await cut.send(0, 'half a li');
    await shown(reader, 'half a li');
    cut.socket.terminate();
    await shown(reader, 'half a liover\n');
    const stays = await aPod('read a; echo "$a"; read b; echo "$b"', { stdin: true });
    const first = await aSession(stays.url, stays.pod, { what: 'attach', query: ALL, protocol: V5 });
    await first.send(0, 'one\n');
    await shown(first, 'one\n');
    first.socket.terminate();
    const second = await aSession(stays.url, stays.pod, { what: 'attach', query: ALL, protocol: V5 });
    await second.send(0, 'two\n');
    await second.closed;
    expect(second.on(1).toString()).toBe('two\n');
  });

  test('a terminal of a container is attached to, and its log is what it shows', async () => {
    const { url, pod } = await aPod('exec sh', { stdin: true, stdinOnce: true, tty: true });
    const session = await aSession(url, pod, { what: 'attach', query: `${ALL}&tty=true`, protocol: V5 });
    await session.send(4, '{"Width":101,"Height":33}');
    await eventually(
      async () => {
        await session.send(0, 'stty size\n');
        return session.on(1).toString().includes('33 101') ? true : null;
      },
      () => session.on(1).toString(),
    );
    await session.send(0, 'echo read\\y; exit 3\n');
    await session.closed;
    const { kube } = docker.runtime;
    await podThat(kube, `session-${pods}`, ({ status }) => status.phase === 'Failed');
    const { text } = await kube.ask('GET', `/api/v1/namespaces/default/pods/${pod}/log`);
    expect(text).toContain('33 101\r\n');
    expect(text).toContain('\r\nready\r\n');
  });

  test('100 commands at once all end with their own code', async () => {
    const { url, pod } = await aPod();
    const all = await Promise.all(
      Array.from({ length: 100 }, async (_, n) => ran(url, pod, running('sh', '-c', `sleep 1; echo ${n}; exit ${n}`))),
    );
    expect(all.map(({ code, out }) => [code, out])).toEqual(all.map((_, n) => [n, `${n}\n`]));
  });

  test('a Pod that is over has no sessions, in the words of kubectl', async () => {
    const { kube, process } = docker.runtime;
    await kube.create(oneJob('over', [shell('true')]));
    const pod = await podThat(kube, 'over', ({ status }) => status.phase === 'Succeeded');
    await expect(
      aSession(await process().ready(), pod.metadata.name, { query: running('true'), protocol: V5 }),
    ).rejects.toThrow(/^400 .*cannot exec into a container in a completed pod; current phase is Succeeded/);
  });
});
