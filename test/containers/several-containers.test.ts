import { describe, expect, test } from 'vitest';
import { linesOf } from '../e2e/kube-calls.ts';
import { hasEnded, hasEngine, oneJob, PATIENT, podsOf, podThat, shell, withDocker } from './a-docker-runtime.ts';

const DATA = { volumes: [{ name: 'data', emptyDir: {} }] };
const volumeMounts = [{ name: 'data', mountPath: '/data' }];
/** A container that says when it begins. */
const says = (name: string, script: string, more: object = {}): object =>
  shell(`echo "${name} begins" >> /workspace/order; ${script}`, { name, volumeMounts, ...more });

describe.runIf(hasEngine)('a task of several containers', PATIENT, () => {
  const docker = withDocker();

  test('init containers run in order, and a sidecar is stopped after the main container', async () => {
    const end =
      'trap "echo side stops >> /workspace/order; exit 0" TERM; hostname -i > /data/side; echo pong > /data/pong';
    const pod = {
      ...DATA,
      initContainers: [
        says('first', 'hostname -i > /data/first; sleep 1; echo "first ends" >> /workspace/order'),
        says('second', 'cat /data/first > /data/second'),
        says('side', `${end}; httpd -p 8080 -h /data; while :; do sleep 0.2; done`, { restartPolicy: 'Always' }),
      ],
    };
    const main = `while ! wget -q -O - http://127.0.0.1:8080/pong; do sleep 0.2; done
      hostname -i | cat - /data/first /data/second /data/side; sleep 1; echo "main ends" >> /workspace/order`;
    await docker.runtime.kube.create(oneJob('several', [says('main', main)], pod));
    const { metadata, status } = await podThat(docker.runtime.kube, 'several', hasEnded);
    expect(status.phase).toBe('Succeeded');

    const order = linesOf(docker.runtime.folders.workspaceDir, 'order');
    expect(order).toEqual([
      'first begins',
      'first ends',
      'second begins',
      'side begins',
      'main begins',
      'main ends',
      'side stops',
    ]);
    // They share a network, so each has the same address, and a volume, where they wrote it.
    const [pong, ...addresses] = (await docker.runtime.kube.log(metadata.name, '?container=main')).trim().split('\n');
    expect(pong).toBe('pong');
    expect(addresses).toHaveLength(4);
    expect(new Set(addresses).size).toBe(1);
  });

  test('a container that is restarted finds what it had written in its emptyDir', async () => {
    const script = 'if [ -e /data/kept ]; then cat /data/kept; else echo kept > /data/kept; exit 1; fi';
    await docker.runtime.kube.create(
      oneJob('again', [shell(script, { volumeMounts })], { ...DATA, restartPolicy: 'OnFailure' }, { backoffLimit: 3 }),
    );
    const pod = await podThat(docker.runtime.kube, 'again', hasEnded);
    expect(pod.status.phase).toBe('Succeeded');
    expect(await docker.runtime.kube.log(pod.metadata.name)).toBe('kept\n');
  });

  test("an emptyDir is no other Pod's", async () => {
    const script = 'ls /data; touch /data/mine';
    const spec = { completions: 2, parallelism: 1 };
    await docker.runtime.kube.create(oneJob('own', [shell(script, { volumeMounts })], DATA, spec));
    await docker.runtime.kube.ended('own');
    for (const { metadata } of await podsOf(docker.runtime.kube, 'own'))
      expect(await docker.runtime.kube.log(metadata.name)).toBe('');
  });
});
