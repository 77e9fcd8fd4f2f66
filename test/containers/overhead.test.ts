import { performance } from 'node:perf_hooks';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { indexed, shellJob } from '../e2e/kube-calls.ts';
import { BUSYBOX, hasEngine, PATIENT, shell, withDocker } from './a-docker-runtime.ts';

const CONTAINERS = 20;
const AT_ONCE = 4;

const CreatedSchema = z.looseObject({ Id: z.string() });
const EndedSchema = z.looseObject({ StatusCode: z.int() });

describe.runIf(hasEngine)('what Muster adds to a container', PATIENT, () => {
  const docker = withDocker();

  /** What anybody would do with a container: create, start, wait, logs, remove. */
  const byHand = async (): Promise<void> => {
    const body = { Image: BUSYBOX, Cmd: ['sh', '-c', 'true'] };
    const { Id } = CreatedSchema.parse(
      await docker.engine.api.ask({ method: 'POST', path: '/containers/create', body }),
    );
    await docker.engine.api.ask({ method: 'POST', path: `/containers/${Id}/start` });
    const ended = await docker.engine.api.ask({ method: 'POST', path: `/containers/${Id}/wait` });
    expect(EndedSchema.parse(ended).StatusCode).toBe(0);
    await docker.engine.api.ask({ method: 'GET', path: `/containers/${Id}/logs`, query: { stdout: true } });
    await docker.engine.api.ask({ method: 'DELETE', path: `/containers/${Id}` });
  };

  const secondsOf = async (work: () => Promise<unknown>): Promise<number> => {
    const from = performance.now();
    await work();
    return (performance.now() - from) / 1000;
  };

  test('20 containers by Muster beside 20 by plain calls', async () => {
    await byHand(); // the first of an image is slower
    const lane = async (): Promise<void> => {
      for (let n = 0; n < CONTAINERS / AT_ONCE; n += 1) await byHand();
    };
    const plain = await secondsOf(async () => Promise.all(Array.from({ length: AT_ONCE }, lane)));
    const muster = await secondsOf(async () => {
      const spec = indexed(CONTAINERS, AT_ONCE);
      await docker.runtime.kube.create(shellJob('twenty', '', spec, { containers: [shell('true')] }));
      expect((await docker.runtime.kube.ended('twenty')).status.succeeded).toBe(CONTAINERS);
    });
    // What a passing test logs is not shown.
    process.stderr.write(
      `${CONTAINERS} containers, ${AT_ONCE} at once: ${muster.toFixed(1)} s by Muster, ${plain.toFixed(1)} s by plain calls: ` +
        `${(muster / plain).toFixed(2)} times as long\n`,
    );
  });
});
