import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeAll, podsByIndex, submitTypical } from '../e2e/typical-jobs.ts';
import { conditionsOf } from '../e2e/kube-calls.ts';
import { TYPICAL, completionsOf, jobIn } from '../fixtures/typical-manifests.ts';
import { PATIENT, hasEngine, withDocker } from './a-docker-runtime.ts';
import { type ARegistry, aRegistry } from './a-registry.ts';
import { anImage } from './an-engine.ts';
import { TYPICAL_RUNS, writeFiles } from './typical-runs.ts';

const LOGIN = 'kim:s3cret';
/** See test/schema/pod/typical-manifests.test.ts for the reasons. */
const REFUSED = ['share-over-nfs', 'stop-hook'];

describe.runIf(hasEngine)('typical manifests, applied as they are', PATIENT, () => {
  let registry: ARegistry;
  const docker = withDocker(async (engine) => {
    registry = aRegistry(engine, 5001, { login: LOGIN });
    await anImage(engine, 'busybox', [], { work: 'echo "works on $1"' });
    for (const { images = {} } of Object.values(TYPICAL_RUNS)) {
      for (const [image, programs] of Object.entries(images)) {
        const entry = 'main' in programs ? ['ENTRYPOINT ["/bin/main"]'] : [];
        await anImage(engine, image, ['WORKDIR /bin', ...entry], programs);
      }
    }
  });
  afterAll(() => registry?.remove());

  /** Names of registries are resolved on the engine's machine, so an image of one has its address. */
  const atRegistry = (job: object): object =>
    JSON.parse(JSON.stringify(job).replaceAll('registry.example.com', registry.host)) as object;

  beforeAll(async () => {
    const { kube, hostFolder } = docker.runtime;
    writeFiles(hostFolder);
    const auths = { [registry.host]: { auth: Buffer.from(LOGIN).toString('base64') } };
    const regcred = {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'registry' },
      type: 'kubernetes.io/dockerconfigjson',
      stringData: { '.dockerconfigjson': JSON.stringify({ auths }) },
    };
    const needed = Object.values(TYPICAL_RUNS).flatMap(({ objects }) => objects?.(hostFolder) ?? []);
    await makeAll(kube, [regcred, ...needed]);
  }, PATIENT.timeout);

  test('each is here', () => {
    expect([...Object.keys(TYPICAL_RUNS), ...REFUSED].toSorted()).toEqual(TYPICAL);
  });

  test.each(Object.entries(TYPICAL_RUNS))('%s ends, and each Pod printed what it should', async (name, { prints }) => {
    const { kube } = docker.runtime;
    await submitTypical(kube, name, atRegistry);
    expect(conditionsOf(await kube.ended(name))).toContain('Complete');
    const pods = await podsByIndex(kube, name);
    expect(pods).toHaveLength(completionsOf(name));
    for (const [index, pod] of pods) expect([index, await kube.log(pod.metadata.name)]).toEqual([index, prints(index)]);
  });

  test('what they write into claims is there', async () => {
    const { kube, hostFolder } = docker.runtime;
    const frames = Array.from({ length: 20 }, (_, n) => `${n}.png`);
    expect(new Set(readdirSync(join(hostFolder, 'frames/film/a')))).toEqual(new Set([...frames, 'before']));
    for (const frame of frames) expect(readFileSync(join(hostFolder, 'frames/film/a', frame), 'utf8')).toBe('a hill\n');
    const pods = (await podsByIndex(kube, 'own-folder-by-name')).map(([, { metadata }]) => metadata.name);
    expect(pods).toHaveLength(3);
    expect(new Set(readdirSync(join(hostFolder, 'logs')))).toEqual(new Set([...pods, 'before']));
    for (const pod of pods) expect(readFileSync(join(hostFolder, 'logs', pod, 'started'), 'utf8')).toMatch(/\d\d:\d\d/);
  });

  test.each(REFUSED)('%s is refused', async (name) => {
    const { status } = await docker.runtime.kube.ask('POST', '/apis/batch/v1/namespaces/default/jobs', jobIn(name));
    expect(status).toBe(422);
  });
});
