import { execFile } from 'node:child_process';
import { performance } from 'node:perf_hooks';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { indexed, shellJob } from '../e2e/kube-calls.ts';
import { BUSYBOX, hasEngine, PATIENT, shell, withDocker } from './a-docker-runtime.ts';

const CONTAINERS = 20;
const AT_ONCE = 4;

describe.runIf(hasEngine)('what Muster adds to a container', PATIENT, () => {
  const docker = withDocker();

  /** What anybody would type for such a task: the same network, limits, and folder. */
  const byHand = async (network: string): Promise<void> => {
    const size = ['--cpus', '0.25', '--memory', '512m'];
    const place = ['--network', network, '--volume', `${docker.runtime.folders.workspaceDir}:/workspace`];
    const words = ['run', '--rm', ...size, ...place, BUSYBOX, 'sh', '-c', 'true'];
    await promisify(execFile)('docker', words, { env: { ...process.env, DOCKER_HOST: docker.engine.host } });
  };

  const secondsOf = async (work: () => Promise<unknown>): Promise<number> => {
    const from = performance.now();
    await work();
    return (performance.now() - from) / 1000;
  };

  test('20 containers by Muster beside 20 by docker run', async () => {
    const network = 'by-hand';
    await docker.engine.api.ask({ method: 'POST', path: '/networks/create', body: { Name: network } });
    await byHand(network); // the first of an image is slower
    const lane = async (): Promise<void> => {
      for (let n = 0; n < CONTAINERS / AT_ONCE; n += 1) await byHand(network);
    };
    const plain = await secondsOf(async () => Promise.all(Array.from({ length: AT_ONCE }, lane)));
    const muster = await secondsOf(async () => {
      const spec = indexed(CONTAINERS, AT_ONCE);
      await docker.runtime.kube.create(shellJob('twenty', '', spec, { containers: [shell('true')] }));
      expect((await docker.runtime.kube.ended('twenty')).status.succeeded).toBe(CONTAINERS);
    });
    // What a passing test logs is not shown.
    process.stderr.write(
      `${CONTAINERS} containers, ${AT_ONCE} at once: ${muster.toFixed(1)} s by Muster, ${plain.toFixed(1)} s by docker run: ` +
        `${(muster / plain).toFixed(2)} times as long\n`,
    );
  });
});
