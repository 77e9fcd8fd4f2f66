import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { eventually } from '../e2e/kube-calls.ts';
import { PATIENT, hasEngine, oneJob, podThat, shell, withDocker } from './a-docker-runtime.ts';

const MetricsSchema = z.object({
  metadata: z.object({ name: z.string() }),
  containers: z.array(z.object({ name: z.string(), usage: z.object({ cpu: z.string(), memory: z.string() }) })),
});

describe.runIf(hasEngine)('what a container uses', PATIENT, () => {
  const docker = withDocker();

  test('is what its engine says of it', async () => {
    const { kube } = docker.runtime;
    // 64 MiB in a variable of the shell, and all of the CPU that it gets.
    const script = 'held=$(head -c 67108864 /dev/zero | tr "\\0" x); while :; do :; done';
    await kube.create(oneJob('busy', [shell(script), shell('sleep 1000', { name: 'idle' })]));
    await podThat(kube, 'busy', ({ status }) => status.phase === 'Running');
    let seen = '';
    const [main, idle] = await eventually(
      async () => {
        seen = (
          await kube.ask('GET', '/apis/metrics.k8s.io/v1beta1/namespaces/default/pods?labelSelector=job-name%3Dbusy')
        ).text;
        const [pod] = z.object({ items: z.array(MetricsSchema) }).parse(JSON.parse(seen)).items;
        const both = ['main', 'idle'].map((name) => pod?.containers.find((each) => each.name === name)?.usage);
        return both.every((usage) => usage !== undefined) && Number.parseInt(both[0]?.memory ?? '', 10) > 65_000
          ? both
          : null;
      },
      () => seen,
    );
    expect(Number.parseInt(main?.cpu ?? '', 10)).toBeGreaterThan(50_000_000);
    expect(Number.parseInt(main?.memory ?? '', 10)).toBeLessThan(600_000);
    expect(Number.parseInt(idle?.cpu ?? '', 10)).toBeLessThan(50_000_000);
    expect(Number.parseInt(idle?.memory ?? '', 10)).toBeLessThan(20_000);
  });
});
