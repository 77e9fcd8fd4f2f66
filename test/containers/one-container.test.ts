import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  type ADockerRuntime,
  BUSYBOX,
  type SeenPod,
  aDockerRuntime,
  PATIENT,
  hasEngine,
  hasEnded,
  leftIn,
  oneJob,
  podThat,
  shell,
} from './a-docker-runtime.ts';
import { type AnEngine, anEngine, anImage } from './an-engine.ts';

describe.runIf(hasEngine)('a task of one container', PATIENT, () => {
  let engine: AnEngine;
  let runtime: ADockerRuntime;

  beforeAll(async () => {
    engine = await anEngine();
    await anImage(engine, BUSYBOX, ['WORKDIR /srv/deep']);
    await anImage(engine, 'muster-test/entry:1', ['ENTRYPOINT ["/bin/hello", "from"]', 'CMD ["the image"]'], {
      hello: 'echo "hello $*"',
    });
    runtime = await aDockerRuntime(engine);
  });

  afterAll(async () => {
    await runtime?.remove();
    await engine?.remove();
  });

  /** The Pod of a Job once it has ended, and what it printed. */
  const ran = async (name: string, container: object, pod: object = {}) => {
    await runtime.kube.create(oneJob(name, [container], pod));
    const ended = await podThat(runtime.kube, name, hasEnded);
    return { status: ended.status, said: await runtime.kube.log(ended.metadata.name) };
  };

  const isWaiting = ({ status }: SeenPod): boolean => status.containerStatuses[0]?.state.waiting?.message !== undefined;

  test('an image that has only an entry point runs it', async () => {
    const { said } = await ran('entry', { name: 'main', image: 'muster-test/entry:1' });
    expect(said).toBe('hello from the image\n');
    const { said: others } = await ran('arguments', { name: 'main', image: 'muster-test/entry:1', args: ['me'] });
    expect(others).toBe('hello from me\n');
  });

  test('a program runs as the user that runAsUser says', async () => {
    const { said } = await ran('user', shell('id -u'), { securityContext: { runAsUser: 1234 } });
    expect(said).toBe('1234\n');
  });

  test('a read-only root takes no file', async () => {
    const { said } = await ran(
      'read-only',
      shell('touch /file 2>/dev/null || echo refused', { securityContext: { readOnlyRootFilesystem: true } }),
    );
    expect(said).toBe('refused\n');
  });

  test('a program that takes more memory than it asked for is OOMKilled, with 137', async () => {
    const { status } = await ran('memory', shell('exec tail /dev/zero'));
    expect(status.phase).toBe('Failed');
    expect(status.containerStatuses[0]?.state.terminated).toMatchObject({ exitCode: 137, reason: 'OOMKilled' });
  });

  test('a program starts in the working directory of its image, unless the Job names one', async () => {
    expect((await ran('directory', shell('pwd'))).said).toBe('/srv/deep\n');
    expect((await ran('other-directory', shell('pwd', { workingDir: '/tmp' }))).said).toBe('/tmp\n');
  });

  test('a command that the image does not have is a StartError', async () => {
    await runtime.kube.create(oneJob('no-command', [{ name: 'main', image: BUSYBOX, command: ['not-there'] }]));
    const { status } = await podThat(runtime.kube, 'no-command', hasEnded);
    expect(status.phase).toBe('Failed');
    const { terminated } = status.containerStatuses[0]?.state ?? {};
    expect(terminated).toMatchObject({ exitCode: 128, reason: 'StartError' });
    expect(JSON.stringify(status)).toMatch(/not-there.*not found/);
  });

  test("an image that its registry does not have is ImagePullBackOff, with the registry's words", async () => {
    const { root } = runtime.folders;
    mkdirSync(join(root, 'www/v2'), { recursive: true });
    writeFileSync(join(root, 'www/v2/index.html'), '{}');
    const errors = [{ code: 'MANIFEST_UNKNOWN', message: 'it knows no such thing' }];
    writeFileSync(join(root, 'unknown.json'), JSON.stringify({ errors }));
    writeFileSync(join(root, 'httpd.conf'), `E404:${join(root, 'unknown.json')}\n`);
    engine.run(
      'busybox',
      'httpd',
      '-f',
      '-p',
      '127.0.0.1:5000',
      '-h',
      join(root, 'www'),
      '-c',
      join(root, 'httpd.conf'),
    );
    await runtime.kube.create(oneJob('no-image', [{ name: 'main', image: '127.0.0.1:5000/none:1' }]));
    const { status } = await podThat(runtime.kube, 'no-image', (pod) => isWaiting(pod) || hasEnded(pod));
    const { waiting } = status.containerStatuses[0]?.state ?? {};
    expect(waiting?.reason).toBe('ImagePullBackOff');
    expect(waiting?.message).toMatch(/127\.0\.0\.1:5000\/none:1 not found: manifest unknown: it knows no such thing/);
    await runtime.kube.remove('no-image');
  });

  test('while a registry does not answer, the Pod says so, and nothing is spent', async () => {
    await runtime.kube.create(oneJob('no-registry', [{ name: 'main', image: '127.0.0.1:1/none:1' }]));
    const { status } = await podThat(runtime.kube, 'no-registry', (pod) => isWaiting(pod) || hasEnded(pod));
    expect(status.phase).toBe('Pending');
    const { waiting } = status.containerStatuses[0]?.state ?? {};
    expect(waiting?.reason).toBe('ImagePullBackOff');
    expect(waiting?.message).toMatch(/127\.0\.0\.1:1: connect: connection refused, next try in/);
    await runtime.kube.remove('no-registry');
  });

  test('status.podIP is the address of the container', async () => {
    const script = 'ip=$(hostname -i); [ "$ip" = "$IP" ] && [ "$ip" = "$MUSTER_ADDRESS" ] && echo same; hostname -i';
    const env = [{ name: 'IP', valueFrom: { fieldRef: { fieldPath: 'status.podIP' } } }];
    expect((await ran('address', shell(script, { env }))).said).toMatch(/^same\n\d+\.\d+\.\d+\.\d+\n$/);
  });

  test('nothing is left in the engine when the runtime has stopped', async () => {
    await runtime.kube.create(oneJob('sleeper', [shell('sleep 600')]));
    await podThat(runtime.kube, 'sleeper', ({ status }) => status.phase === 'Running');
    expect((await leftIn(engine)).length).toBeGreaterThan(2);
    expect(await runtime.stop()).toBe(0);
    expect(await leftIn(engine)).toEqual([]);
  });
});
