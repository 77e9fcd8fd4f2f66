import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { linesOf } from '../e2e/kube-calls.ts';
import {
  type ADockerRuntime,
  BUSYBOX,
  aDockerRuntime,
  PATIENT,
  hasEngine,
  leftIn,
  oneJob,
  podsOf,
  shell,
} from './a-docker-runtime.ts';
import { type AnEngine, anEngine, anImage } from './an-engine.ts';

const IMAGES = [1, 2, 3, 4, 5];
/** Each answers with its index as long as another may ask. */
const PEER = `mkdir /www; echo "$JOB_COMPLETION_INDEX" > /www/index; httpd -p 8080 -h /www
  name=$(printf "$MUSTER_HOSTS_PATTERN" $(( (JOB_COMPLETION_INDEX + 1) % 4 )))
  until next=$(wget -q -O - "http://$name:8080/index"); do sleep 0.5; done
  echo "$MUSTER_HOSTNAME found $next"; echo "$JOB_COMPLETION_INDEX" >> /workspace/found
  until [ $(wc -l < /workspace/found) -eq 4 ]; do sleep 0.2; done`;

describe.runIf(hasEngine)('many tasks', PATIENT, () => {
  let engine: AnEngine;
  let runtime: ADockerRuntime;

  beforeAll(async () => {
    engine = await anEngine();
    await anImage(engine, BUSYBOX);
    for (const n of IMAGES) await anImage(engine, `muster-test/kind-${n}:1`, [`ENV KIND=${n}`]);
    runtime = await aDockerRuntime(engine);
  });

  afterAll(async () => {
    await runtime?.remove();
    await engine?.remove();
  });

  test('40 indexes of five images run each once, in the image that their Job names', async () => {
    const script = 'echo "$KIND/$JOB_COMPLETION_INDEX" >> /workspace/kinds';
    const spec = { completions: 8, parallelism: 4 };
    for (const n of IMAGES)
      await runtime.kube.create(oneJob(`kind-${n}`, [shell(script, { image: `muster-test/kind-${n}:1` })], {}, spec));
    for (const n of IMAGES)
      expect((await runtime.kube.ended(`kind-${n}`)).status).toMatchObject({ succeeded: 8, completedIndexes: '0-7' });
    const all = IMAGES.flatMap((n) => Array.from({ length: 8 }, (_, index) => `${n}/${index}`));
    expect(linesOf(runtime.folders.workspaceDir, 'kinds').toSorted()).toEqual(all.toSorted());
  });

  test('tasks find one another by MUSTER_HOSTS_PATTERN', async () => {
    const spec = { completions: 4, parallelism: 4, backoffLimit: 6 };
    await runtime.kube.create(oneJob('peers', [shell(PEER)], { subdomain: 'workers' }, spec));
    expect((await runtime.kube.ended('peers')).status).toMatchObject({ succeeded: 4 });
    const said = await Promise.all(
      (await podsOf(runtime.kube, 'peers')).map(async ({ metadata }) => runtime.kube.log(metadata.name)),
    );
    expect(said.toSorted()).toEqual(
      [0, 1, 2, 3].map((index) => `peers-${index}.workers.default.muster.internal found ${(index + 1) % 4}\n`),
    );
  });

  test('nothing is left in the engine when the runtime has stopped', async () => {
    expect(await runtime.stop()).toBe(0);
    expect(await leftIn(engine)).toEqual([]);
  });
});
