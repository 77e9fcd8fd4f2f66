import { mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import {
  type SeenPod,
  BUSYBOX,
  PATIENT,
  hasEnded,
  hasEngine,
  oneJob,
  podThat,
  withDocker,
} from './a-docker-runtime.ts';
import { type ARegistry, aRegistry } from './a-registry.ts';

const LOGIN = 'kim:s3cret';
const OTHER_LOGIN = 'bot:canary-4815162342';

const SECRETS = '/api/v1/namespaces/default/secrets';
const base64 = (text: string): string => Buffer.from(text).toString('base64');

describe.runIf(hasEngine)('images of a registry', PATIENT, () => {
  let open: ARegistry;
  let closed: ARegistry;
  let slow: ARegistry;
  let other: ARegistry;
  const docker = withDocker(async (engine) => {
    open = aRegistry(engine, 5001, {});
    closed = aRegistry(engine, 5002, { login: LOGIN });
    slow = aRegistry(engine, 5003, { mibPerSec: 1 });
    other = aRegistry(engine, 5004, { login: OTHER_LOGIN });
  });
  afterAll(() => [open, closed, slow, other].forEach((registry) => registry?.remove()));

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

  /** As `kubectl create secret docker-registry` makes it, but for its entry's user and password, which `auth` has as well. */
  const store = async (method: 'POST' | 'PUT', name: string, logins: Readonly<Record<string, string>>) => {
    const auths = Object.entries(logins).map(([host, login]) => [host, { auth: base64(login) }] as const);
    const text = JSON.stringify({ auths: Object.fromEntries(auths) });
    const body = {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name },
      type: 'kubernetes.io/dockerconfigjson',
      data: { '.dockerconfigjson': base64(text) },
    };
    const answer = await docker.runtime.kube.ask(method, method === 'POST' ? SECRETS : `${SECRETS}/${name}`, body);
    expect(answer).toMatchObject({ status: method === 'POST' ? 201 : 200 });
  };
  const waiting = async (name: string): Promise<SeenPod> =>
    podThat(docker.runtime.kube, name, (each) => waitsFor(each) !== '' || hasEnded(each));

  test('a stored Secret has what each image of a Pod wants, and no file says what', async () => {
    await store('POST', 'regcred', { [closed.host]: LOGIN, [`https://${other.host}/v2/`]: OTHER_LOGIN });
    const pod = {
      imagePullSecrets: [{ name: 'nothing' }, { name: 'regcred' }],
      initContainers: [{ name: 'first', image: `${other.host}/team/first:1` }],
    };
    await create('by-stored', `${closed.host}/stored:1`, pod);
    expect(await printed('by-stored')).toBe('pulled\n');
    const { dataDir } = docker.runtime.folders;
    const [, password = ''] = OTHER_LOGIN.split(':');
    const told = readdirSync(dataDir, { recursive: true, encoding: 'utf8' })
      .filter((file) => statSync(join(dataDir, file)).isFile())
      .map((file) => readFileSync(join(dataDir, file), 'latin1'));
    expect(told.length).toBeGreaterThan(3);
    for (const text of [...told, docker.runtime.process().said()])
      for (const value of [password, base64(OTHER_LOGIN)]) expect(text.includes(value)).toBe(false);
  });

  test('a Secret that is put right counts for the next try', async () => {
    await store('POST', 'rotated', { [closed.host]: 'kim:wrong' });
    await create('by-rotated', `${closed.host}/rotated:1`, { imagePullSecrets: [{ name: 'rotated' }] });
    const pod = await waiting('by-rotated');
    expect(pod.status.containerStatuses[0]?.state.waiting?.reason).toBe('ImagePullBackOff');
    expect(waitsFor(pod)).toMatch(/unauthorized|log in first/i);
    await store('PUT', 'rotated', { [closed.host]: LOGIN });
    expect(await printed('by-rotated')).toBe('pulled\n');
  });

  test('a Secret that is not there is named, and counts once it is', async () => {
    await create('too-early', `${closed.host}/early:1`, { imagePullSecrets: [{ name: 'late' }] });
    const pod = await waiting('too-early');
    expect(pod.status.containerStatuses[0]?.state.waiting?.reason).toBe('ImagePullBackOff');
    expect(waitsFor(pod)).toContain('there is no Secret default/late');
    await store('POST', 'late', { [closed.host]: LOGIN });
    expect(await printed('too-early')).toBe('pulled\n');
  });

  test('a Secret that is no docker configuration is named, and nothing that it has', async () => {
    await store('POST', 'no-config', { [closed.host]: 'canary-without-a-colon' });
    await create('by-no-config', `${closed.host}/none:1`, { imagePullSecrets: [{ name: 'no-config' }] });
    const pod = await waiting('by-no-config');
    const { reason, message } = pod.status.containerStatuses[0]?.state.waiting ?? {};
    expect([reason, pod.status.phase]).toEqual(['ErrImagePull', 'Pending']);
    expect(message).toContain('secret "no-config" of imagePullSecrets is no docker configuration');
    for (const told of ['canary', base64('canary-without-a-colon')]) expect(JSON.stringify(pod)).not.toContain(told);
    await docker.runtime.kube.remove('by-no-config');
  });

  test('an image that is there needs no Secret', async () => {
    const shell = { name: 'main', image: BUSYBOX, command: ['sh', '-c', 'echo here'] };
    await docker.runtime.kube.create(oneJob('here', [shell], { imagePullSecrets: [{ name: 'nothing' }] }));
    expect(await printed('here')).toBe('here\n');
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
