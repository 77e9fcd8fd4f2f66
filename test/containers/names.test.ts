import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { eventually, linesOf } from '../e2e/kube-calls.ts';
import { containersOf, hasEngine, leftIn, oneJob, PATIENT, podsOf, shell, withDocker } from './a-docker-runtime.ts';
import { anImage } from './an-engine.ts';

const IMAGES = [1, 2, 3, 4, 5];
/** Each answers with its index as long as another may ask. */
const PEER = `mkdir /www; echo "$JOB_COMPLETION_INDEX" > /www/index; httpd -p 8080 -h /www
  name=$(printf "$MUSTER_HOSTS_PATTERN" $(( (JOB_COMPLETION_INDEX + 1) % 4 )))
  until next=$(wget -q -O - "http://$name:8080/index" 2>/dev/null); do sleep 0.5; done
  echo "$MUSTER_HOSTNAME found $next"; echo "$JOB_COMPLETION_INDEX" >> /workspace/found
  until [ $(wc -l < /workspace/found) -eq 4 ]; do sleep 0.2; done`;

describe.runIf(hasEngine)('many tasks', PATIENT, () => {
  const docker = withDocker(async (engine) => {
    for (const n of IMAGES) await anImage(engine, `muster-test/kind-${n}:1`, [`ENV KIND=${n}`]);
  });

  test('40 indexes of five images run each once, in the image that their Job names', async () => {
    const script = 'echo "$KIND/$JOB_COMPLETION_INDEX" >> /workspace/kinds';
    const spec = { completions: 8, parallelism: 4 };
    for (const n of IMAGES)
      await docker.runtime.kube.create(
        oneJob(`kind-${n}`, [shell(script, { image: `muster-test/kind-${n}:1` })], {}, spec),
      );
    for (const n of IMAGES)
      expect((await docker.runtime.kube.ended(`kind-${n}`)).status).toMatchObject({
        succeeded: 8,
        completedIndexes: '0-7',
      });
    const all = IMAGES.flatMap((n) => Array.from({ length: 8 }, (_, index) => `${n}/${index}`));
    expect(linesOf(docker.runtime.folders.workspaceDir, 'kinds').toSorted()).toEqual(all.toSorted());
  });

  test('tasks find one another by MUSTER_HOSTS_PATTERN', async () => {
    const spec = { completions: 4, parallelism: 4, backoffLimit: 6 };
    await docker.runtime.kube.create(oneJob('peers', [shell(PEER)], { subdomain: 'workers' }, spec));
    expect((await docker.runtime.kube.ended('peers')).status).toMatchObject({ succeeded: 4 });
    const said = await Promise.all(
      (await podsOf(docker.runtime.kube, 'peers')).map(async ({ metadata }) => docker.runtime.kube.log(metadata.name)),
    );
    expect(said.toSorted()).toEqual(
      [0, 1, 2, 3].map((index) => `peers-${index}.workers.default.muster.internal found ${(index + 1) % 4}\n`),
    );
  });

  test('nothing is left in the engine when the runtime has stopped', async () => {
    expect(await docker.runtime.stop()).toBe(0);
    expect(await leftIn(docker.engine)).toEqual([]);
  });
});

/** Waits for its gang, then for all to have seen it, and says when the name is there. */
const GANG = `until nslookup "$MUSTER_READY_HOSTNAME" >/dev/null 2>&1; do sleep 0.2; done
  echo "$JOB_COMPLETION_INDEX sees $MUSTER_READY_HOSTNAME" >> /workspace/gang
  until [ -e /workspace/go ]; do sleep 0.2; done
  nslookup "$MUSTER_READY_HOSTNAME" >/dev/null 2>&1 && echo "$JOB_COMPLETION_INDEX still sees it" >> /workspace/gang
  until [ $(grep -c still /workspace/gang) -eq 3 ]; do sleep 0.2; done`;

describe.runIf(hasEngine)('a gang', PATIENT, () => {
  const docker = withDocker();
  const gang = (name: string): object => ({
    ...oneJob(name, [shell(GANG)], { subdomain: 'workers' }, { completions: 3, parallelism: 3, backoffLimit: 0 }),
    metadata: { name, annotations: { 'muster.run/gang': 'all' } },
  });
  const seen = (): readonly string[] => linesOf(docker.runtime.folders.workspaceDir, 'gang');

  test('its name is there once all tasks run, also after the runtime was killed, and gone with them', async () => {
    await docker.runtime.kube.create(gang('trio'));
    await eventually(
      () => (seen().length === 3 ? true : null),
      () => `seen: ${JSON.stringify(seen())}`,
    );
    const name = 'trio-ready.workers.default.muster.internal';
    expect(seen().toSorted()).toEqual([0, 1, 2].map((index) => `${index} sees ${name}`));
    await docker.runtime.killAndStart();
    await eventually(
      async () => ((await containersOf(docker.engine, '-ready-')).length === 1 ? true : null),
      () => 'no container has the name',
    );
    writeFileSync(join(docker.runtime.folders.workspaceDir, 'go'), '');
    expect((await docker.runtime.kube.ended('trio')).status).toMatchObject({ succeeded: 3, failed: 0 });
    expect(seen().filter((line) => line.endsWith('still sees it'))).toHaveLength(3);
    await eventually(
      async () => ((await containersOf(docker.engine, '-ready-')).length === 0 ? true : null),
      () => 'a container still has the name',
    );
  });
});
