import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { type SeenPod, PATIENT, hasEnded, hasEngine, oneJob, podThat, withDocker } from './a-docker-runtime.ts';
import { type ARegistry, aRegistry } from './a-registry.ts';

const LOGIN = 'kim:s3cret';

describe.runIf(hasEngine)('images of a registry', PATIENT, () => {
  let open: ARegistry;
  let closed: ARegistry;
  let slow: ARegistry;
  const docker = withDocker(async (engine) => {
    open = aRegistry(engine, 5001, {});
    closed = aRegistry(engine, 5002, { login: LOGIN });
    slow = aRegistry(engine, 5003, { mibPerSec: 1 });
  });
  afterAll(() => [open, closed, slow].forEach((registry) => registry?.remove()));

  const create = async (name: string, image: string, pod: object = {}) =>
    docker.runtime.kube.create(oneJob(name, [{ name: 'main', image }], pod));
  const printed = async (name: string): Promise<string> =>
    docker.runtime.kube.log((await podThat(docker.runtime.kube, name, hasEnded)).metadata.name);
  const waitsFor = ({ status }: SeenPod): string => status.containerStatuses[0]?.state.waiting?.message ?? '';

  test('is pulled, and runs', async () => {
    await create('pulled', `${open.host}/tools:1`);
    expect(await printed('pulled')).toBe('pulled\n');
  });

  test('says how far the pull is', async () => {
    await create('slow', `${slow.host}/tools:1`);
    const saysHowFar = ({ status }: SeenPod): boolean => /\d of \d/.test(status.message ?? '');
    const { status } = await podThat(docker.runtime.kube, 'slow', (pod) => saysHowFar(pod) || hasEnded(pod));
    expect(status.message).toMatch(/^pulling 127\.0\.0\.1:5003\/tools:1, \d of \d MB/);
    expect(await printed('slow')).toBe('pulled\n');
  });

  test('one pull serves all tasks that wait for it', async () => {
    const spec = { completions: 3, parallelism: 3 };
    await docker.runtime.kube.create(oneJob('together', [{ name: 'main', image: `${slow.host}/other:1` }], {}, spec));
    expect((await docker.runtime.kube.ended('together')).status).toMatchObject({ succeeded: 3 });
  });

  test('a registry that wants a login: refused with its words, then served by a pull secret', async () => {
    await create('nobody', `${closed.host}/tools:1`);
    const pod = await podThat(docker.runtime.kube, 'nobody', (each) => waitsFor(each) !== '' || hasEnded(each));
    expect(pod.status.containerStatuses[0]?.state.waiting?.reason).toBe('ImagePullBackOff');
    expect(waitsFor(pod)).toMatch(/no basic auth credentials|unauthorized|log in first/);
    await docker.runtime.kube.remove('nobody');

    const folder = join(docker.runtime.folders.dataDir, 'secrets/default/registry');
    mkdirSync(folder, { recursive: true });
    const [username = '', password = ''] = LOGIN.split(':');
    writeFileSync(join(folder, 'username'), username);
    writeFileSync(join(folder, 'password'), password);
    await create('by-secret', `${closed.host}/tools:1`, { imagePullSecrets: [{ name: 'registry' }] });
    expect(await printed('by-secret')).toBe('pulled\n');
  });

  test('what docker login keeps counts', async () => {
    const config = join(docker.runtime.folders.root, '.docker');
    mkdirSync(config, { recursive: true });
    const auths = { [closed.host]: { auth: Buffer.from(LOGIN).toString('base64') } };
    writeFileSync(join(config, 'config.json'), JSON.stringify({ auths }));
    await create('by-login', `${closed.host}/mine:1`);
    expect(await printed('by-login')).toBe('pulled\n');
  });
});
