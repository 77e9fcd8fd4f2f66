import { createServer } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ALocalRuntime, aLocalRuntime } from '../../../../../test/e2e/a-local-runtime.ts';
import { PATIENCE_MS, TEST_MS, eventually, shellJob } from '../../../../../test/e2e/kube-calls.ts';
import { canLook, processesNaming } from '../../../../../test/e2e/processes-left.ts';
import { type ASession, V5, aSession, endedOf, ran, running } from '../a-session.ts';

const ECHO = `require('node:net').createServer({ allowHalfOpen: true }, (s) => s.pipe(s)).listen(8080, process.env.MUSTER_ADDRESS)`;

describe('a session beside a process', { timeout: TEST_MS }, () => {
  let local: ALocalRuntime;
  let pods = 0;
  beforeAll(async () => {
    local = await aLocalRuntime({ store: 'memory' });
  }, PATIENCE_MS);
  afterAll(async () => local.close());

  /** A Pod that runs. */
  const aPod = async (script = 'while :; do sleep 1; done', container: object = {}): Promise<string> => {
    const name = `session-${(pods += 1)}`;
    const main = { name: 'main', image: 'any', command: ['sh', '-c', script], ...container };
    await local.kube.create(shellJob(name, '', { backoffLimit: 0 }, { containers: [main] }));
    return eventually(
      async () => {
        const [pod] = await local.kube.pods(name);
        return pod?.status.phase === 'Running' ? pod.metadata.name : null;
      },
      () => `${name} does not run`,
    );
  };
  const open = async (pod: string, query: string, what: 'exec' | 'attach' | 'portforward' = 'exec', protocol = V5) =>
    aSession(local.runtime.url, pod, { what, query, protocol });
  const exec = async (pod: string, ...command: readonly string[]) => ran(local.runtime.url, pod, running(...command));
  const shows = async (session: ASession, channel: number, text: string) =>
    eventually(
      () => (session.on(channel).toString().includes(text) ? true : null),
      () => `it shows ${session.on(channel).toString()}`,
    );

  test('a command has the folder, the variables, and the address of its container, and its exit code', async () => {
    const env = [
      { name: 'COLOR', value: 'blue' },
      { name: 'a.dotted', value: 'name' },
    ];
    const pod = await aPod(undefined, { env });
    const script = 'echo $COLOR; pwd; echo $MUSTER_ADDRESS | cut -c1-4; echo wrong >&2; exit 3';
    expect(await exec(pod, 'sh', '-c', script)).toMatchObject({
      out: `blue\n${local.workspaceDir}\n127.\n`,
      err: 'wrong\n',
      code: 3,
    });
    expect((await exec(pod, 'env')).out).toContain('a.dotted=name\n');
    expect(await exec(pod, 'true')).toMatchObject({ code: 0, err: '' });
    expect(await exec(pod, 'sh', '-c', 'nosuch')).toMatchObject({ code: 127 });
    expect((await exec(pod, 'nosuch')).text).toContain(
      'error executing command in container: nosuch: command not found',
    );
  });

  test('100 MB go through cat and come back, and the end of the input is its end', async () => {
    const session = await open(await aPod(), `stdin=true&${running('cat')}`);
    const piece = Buffer.alloc(1024 * 1024, 'muster ');
    for (let n = 0; n < 100; n++) await session.send(0, piece);
    await session.send(255, Buffer.of(0));
    await session.closed;
    expect(endedOf(session).code).toBe(0);
    expect(session.on(1).equals(Buffer.concat(Array.from({ length: 100 }, () => piece)))).toBe(true);
  });

  test('what a program leaves in the background does not hold a session up', async () => {
    const pod = await aPod();
    const { out, code } = await exec(pod, 'sh', '-c', 'sleep 1000 & echo done');
    expect([out, code]).toEqual(['done\n', 0]);
  });

  test('a terminal has the size of the client, and takes what is typed', async () => {
    const session = await open(await aPod(), `stdin=true&tty=true&${running('sh')}`);
    await session.send(4, '{"Width":101,"Height":33}');
    await eventually(
      async () => {
        await session.send(0, 'stty size\n');
        return session.on(1).toString().includes('33 101') ? true : null;
      },
      () => session.on(1).toString(),
    );
    await session.send(0, 'echo begun; sleep 1000; echo never\n');
    await shows(session, 1, 'begun\r\n');
    await session.send(0, '\u0003');
    await shows(session, 1, '^C');
    await session.send(0, 'exit 7\n');
    await session.closed;
    expect(endedOf(session).code).toBe(7);
    expect(session.on(1).toString()).not.toMatch(/(?<!echo )never\r\n/);
  });

  test.runIf(canLook)('a client that is cut off leaves no process, even one that ignores SIGHUP', async () => {
    const pod = await aPod();
    const mark = `${local.root}/mark`;
    const left = () => processesNaming(mark).length;
    for (const tty of ['', 'tty=true&stdin=true&']) {
      const script = `trap "" HUP; setsid sleep 5 </dev/null >/dev/null & exec sleep 54321`;
      const session = await open(pod, `${tty}${running('env', `MARK=${mark}`, 'sh', '-c', script)}`);
      await eventually(
        () => (left() >= 2 ? true : null),
        () => 'it does not run',
      );
      session.socket.terminate();
      await eventually(
        () => (left() === 0 ? true : null),
        () => `left: ${processesNaming(mark).join('\n')}`,
      );
      expect(left()).toBe(0);
    }
  });

  test.runIf(canLook)('a client that is gone is noticed though its program reads nothing', async () => {
    const pod = await aPod();
    const mark = `${local.root}/flooded`;
    const session = await open(pod, `stdin=true&${running('env', `MARK=${mark}`, 'sleep', '54322')}`);
    let isFull = false;
    const flood = async (): Promise<void> => {
      while (!isFull) await session.send(0, Buffer.alloc(1024 * 1024));
    };
    const flooded = flood().catch(() => undefined);
    // What is under way is bounded: a send does not end.
    await eventually(
      () => (session.socket.bufferedAmount > 0 ? true : null),
      () => 'it takes everything',
    );
    isFull = true;
    session.socket.terminate();
    await flooded;
    await eventually(
      () => (processesNaming(mark).length === 0 ? true : null),
      () => 'it still runs',
    );
    expect(session.socket.readyState).toBe(session.socket.CLOSED);
  });

  test('who attaches reads what is printed from then on, until the end', async () => {
    const session = await open(
      await aPod('sleep 2; echo late; sleep 1'),
      'stdout=true&stderr=true&stdin=true',
      'attach',
    );
    await session.closed;
    expect(endedOf(session)).toMatchObject({ out: 'late\n', code: 0 });
  });

  test('a port of the task can be reached, and a port where nothing listens says so', async () => {
    const pod = await aPod('', { command: [process.execPath, '-e', ECHO] });
    const session = await open(pod, 'ports=8080&ports=8081', 'portforward', 'v4.channel.k8s.io');
    await shows(session, 3, 'connection refused');
    await eventually(
      async () => {
        await session.send(0, 'hello');
        return session.on(0).subarray(2).toString().startsWith('hello') ? true : null;
      },
      () => 'nothing comes back',
    );
    expect(session.on(0).readUInt16LE()).toBe(8080);
    expect(session.on(3).readUInt16LE()).toBe(8081);
    expect(session.on(3).subarray(2).toString()).toMatch(
      /^error forwarding port 8081 to pod .*: connect: connection refused$/,
    );
    session.socket.terminate();
  });

  test("a port of this machine's own address is no port of a task", async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    const port = typeof address === 'object' ? (address?.port ?? 0) : 0;
    const session = await open(await aPod(), `ports=${port}`, 'portforward', 'v4.channel.k8s.io');
    await session.closed;
    expect(session.on(1).subarray(2).toString()).toContain('connection refused');
    server.close();
  });

  test('200 commands at once all end with their own code', async () => {
    const pod = await aPod();
    const all = await Promise.all(
      Array.from({ length: 200 }, async (_, n) => exec(pod, 'sh', '-c', `sleep 1; echo ${n}; exit ${n}`)),
    );
    expect(all.map(({ code, out }) => [code, out])).toEqual(all.map((_, n) => [n, `${n}\n`]));
  });

  test('a page of another site gets no session, whatever it asks for', async () => {
    const pod = await aPod();
    const asked = aSession(local.runtime.url, pod, {
      query: running('true'),
      protocol: V5,
      headers: { origin: 'http://evil.example' },
    });
    await expect(asked).rejects.toThrow(/^403 .*pages of other sites/);
    const rebound = aSession(local.runtime.url, pod, {
      query: running('true'),
      protocol: V5,
      headers: { host: 'evil.example' },
    });
    await expect(rebound).rejects.toThrow(/^403 .*127\.0\.0\.1, localhost/);
  });

  test('a client that offers another protocol beside HTTP gets its answer, and its body is read', async () => {
    const headers = {
      connection: 'Upgrade, HTTP2-Settings',
      upgrade: 'h2c',
      'http2-settings': 'AAMAAABkAARAAAAAAAIAAAAA',
    };
    const { hostname, port } = new URL(local.runtime.url);
    const body = JSON.stringify(shellJob('offered', 'true'));
    const path = '/apis/batch/v1/namespaces/default/jobs';
    const { request } = await import('node:http');
    const status = await new Promise((resolve, reject) => {
      const sent = request({
        hostname,
        port,
        path,
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json', 'content-length': body.length },
      });
      sent.on('response', (response) => resolve(response.statusCode));
      sent.on('error', reject);
      sent.end(body);
    });
    expect(status).toBe(201);
  });
});
