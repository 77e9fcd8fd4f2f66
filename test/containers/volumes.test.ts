import { lstatSync, mkdirSync, readFileSync, readdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { JOBS } from '../e2e/kube-calls.ts';
import { type SeenPod, hasEnded, hasEngine, oneJob, PATIENT, podThat, shell, withDocker } from './a-docker-runtime.ts';

const volumeMounts = [{ name: 'fast', mountPath: '/fast' }];
const inMemory = (sizeLimit?: string): object => ({
  volumes: [{ name: 'fast', emptyDir: { medium: 'Memory', ...(sizeLimit === undefined ? {} : { sizeLimit }) } }],
});

describe.runIf(hasEngine)('a volume in memory', PATIENT, () => {
  const docker = withDocker();

  /** What a program printed in a container with the volume. */
  const said = async (name: string, script: string, pod: object, more: object = {}): Promise<string> => {
    await docker.runtime.kube.create(oneJob(name, [shell(script, { volumeMounts, ...more })], pod));
    const { metadata } = await podThat(docker.runtime.kube, name, hasEnded);
    return docker.runtime.kube.log(metadata.name);
  };

  test('takes as much as its size limit says, and no byte more', async () => {
    const script = `dd if=/dev/zero of=$MUSTER_VOLUME_FAST/whole bs=1M count=8 2>/dev/null && echo fits
      dd if=/dev/zero of=/fast/more bs=1M count=1 2>&1 | grep -o "No space left on device"; wc -c < /fast/more`;
    expect(await said('full', script, inMemory('8Mi'))).toBe('fits\nNo space left on device\n0\n');
  });

  test('is no larger than the memory of its container, or else of its task', async () => {
    const script = "grep ' /fast ' /proc/mounts | grep -o 'size=[0-9]*k'";
    const resources = { limits: { memory: '100Mi' } };
    expect(await said('limited', script, inMemory('1Gi'), { resources })).toBe('size=102400k\n');
    expect(await said('unlimited', script, inMemory())).toBe('size=524288k\n');
  });

  test('runs programs, and is for every user, unless the image has a folder there', async () => {
    const script = 'cp /bin/busybox /fast/echo && /fast/echo runs';
    const user = { securityContext: { runAsUser: 1234 } };
    expect(await said('program', script, { ...inMemory(), ...user })).toBe('runs\n');
    const at = { volumeMounts: [{ name: 'fast', mountPath: '/srv/deep' }] };
    const touch = 'touch $MUSTER_VOLUME_FAST/file 2>/dev/null || echo refused';
    expect(await said('owned', touch, { ...inMemory(), ...user }, at)).toBe('refused\n');
  });

  test('takes nothing where it is mounted read-only', async () => {
    const readOnly = { volumeMounts: [{ name: 'fast', mountPath: '/fast', readOnly: true }] };
    const script = 'touch /fast/file 2>&1 | grep -o "Read-only file system"';
    expect(await said('read-only', script, inMemory(), readOnly)).toBe('Read-only file system\n');
  });

  test('is empty after a restart of its container', async () => {
    const script = 'ls /fast; touch /fast/kept; [ -e /workspace/once ] || { touch /workspace/once; exit 1; }';
    const pod = { ...inMemory(), restartPolicy: 'OnFailure' };
    await docker.runtime.kube.create(oneJob('again', [shell(script, { volumeMounts })], pod, { backoffLimit: 3 }));
    const { metadata, status } = await podThat(docker.runtime.kube, 'again', hasEnded);
    expect(status.phase).toBe('Succeeded');
    expect(await docker.runtime.kube.log(metadata.name)).toBe('');
  });
});

describe.runIf(hasEngine)('what is on this machine', PATIENT, () => {
  const docker = withDocker();
  const mounts = [{ name: 'in', mountPath: '/in' }];
  const at = (path: string): string => join(docker.runtime.hostFolder, path);
  const hostPath = (path: string, type?: string): object => ({
    volumes: [{ name: 'in', hostPath: { path, ...(type === undefined ? {} : { type }) } }],
  });

  /** A Job of one container that mounts it. */
  const create = async (name: string, script: string, pod: object, more: object = {}): Promise<unknown> =>
    docker.runtime.kube.create(oneJob(name, [shell(script, { volumeMounts: mounts, ...more })], pod));
  const said = async (name: string): Promise<string> => {
    const { metadata, status } = await podThat(docker.runtime.kube, name, hasEnded);
    expect(status.phase).toBe('Succeeded');
    return docker.runtime.kube.log(metadata.name);
  };
  /** Why the only Pod of a Job does not start. */
  const waitsBecause = async (name: string): Promise<string> => {
    const why = ({ status }: SeenPod): string => status.containerStatuses[0]?.state.waiting?.message ?? '';
    const pod = await podThat(docker.runtime.kube, name, (seen) => why(seen) !== '' || hasEnded(seen));
    expect(pod.status.phase).toBe('Pending');
    await docker.runtime.kube.remove(name);
    return why(pod);
  };

  test('is read and written where the Pod mounts it', async () => {
    mkdirSync(at('data'));
    writeFileSync(at('data/question'), 'why\n');
    const script = 'cat $MUSTER_VOLUME_IN/question; echo because > /in/answer; echo $MUSTER_VOLUME_IN';
    await create('both', script, hostPath(at('data'), 'Directory'));
    expect(await said('both')).toBe('why\n/in\n');
    expect(readFileSync(at('data/answer'), 'utf8')).toBe('because\n');
  });

  test('is only read if the mount says so', async () => {
    writeFileSync(at('one-file'), 'text\n');
    const volumeMounts = [{ name: 'in', mountPath: '/in', readOnly: true }];
    const script = 'cat /in; (echo x > /in) 2>&1 | grep -o "Read-only file system"';
    await create('read-only', script, hostPath(at('one-file'), 'File'), { volumeMounts });
    expect(await said('read-only')).toBe('text\nRead-only file system\n');
  });

  test('is made where its type says so', async () => {
    await create('made', 'touch /in/file', hostPath(at('new/deep'), 'DirectoryOrCreate'));
    await said('made');
    expect(readdirSync(at('new/deep'))).toEqual(['file']);
    expect(statSync(at('new/deep')).mode & 0o777).toBe(0o755);
  });

  test('does not start a task if it is of another type, and the Pod says why', async () => {
    writeFileSync(at('no-folder'), '');
    await create('type', 'true', hostPath(at('no-folder'), 'Directory'));
    expect(await waitsBecause('type')).toContain(
      `MountVolume.SetUp failed for volume "in" : hostPath type check failed: ${at('no-folder')} is not a directory`,
    );
  });

  test('outside of the allowed folders is refused, and nothing of the Job is stored', async () => {
    const { status, text } = await docker.runtime.kube.ask(
      'POST',
      JOBS,
      oneJob('etc', [shell('true')], hostPath('/etc')),
    );
    expect(status).toBe(422);
    expect(text).toContain(`it is not within what muster local --allow-host-path names: ${docker.runtime.hostFolder}`);
    expect((await docker.runtime.kube.ask('GET', `${JOBS}/etc`)).status).toBe(404);
  });

  test('is not left by a link that another task has made', async () => {
    mkdirSync(at('shared'));
    await create('attacker', 'ln -s /etc /in/link', hostPath(at('shared')));
    await said('attacker');
    expect(lstatSync(at('shared/link')).isSymbolicLink()).toBe(true);
    for (const [name, path] of Object.entries({ victim: 'shared/link', below: 'shared/link/new' })) {
      await create(name, 'cat /in/passwd', hostPath(at(path)));
      expect(await waitsBecause(name)).toMatch(/ is \/etc.*, which is not within what muster local --allow-host-path/);
    }
    // Where the link leads within the folder, it is followed.
    mkdirSync(at('target'));
    writeFileSync(at('target/file'), 'found\n');
    symlinkSync('../target', at('shared/inside'));
    await create('inside', 'cat /in/file', hostPath(at('shared/inside')));
    expect(await said('inside')).toBe('found\n');
  });

  test('is looked at before each container: its task may have changed it', async () => {
    mkdirSync(at('swapped/data'), { recursive: true });
    const swap = shell('rmdir /all/data; ln -s /etc /all/data', {
      name: 'swap',
      volumeMounts: [{ name: 'all', mountPath: '/all' }],
    });
    const volumes = [
      { name: 'all', hostPath: { path: at('swapped') } },
      { name: 'in', hostPath: { path: at('swapped/data') } },
    ];
    await create('swap', 'cat /in/passwd', { volumes, initContainers: [swap] });
    expect(await waitsBecause('swap')).toContain(`${at('swapped/data')} is /etc, which is not within`);
  });
});

describe.runIf(hasEngine)('volumes of a group', PATIENT, () => {
  const docker = withDocker();
  const SECRETS = '/api/v1/namespaces/default/secrets';
  const securityContext = { runAsUser: 1000, runAsGroup: 3000, fsGroup: 2000, supplementalGroups: [4000] };
  const volumes = [
    { name: 'data', emptyDir: {} },
    { name: 'keys', secret: { secretName: 'keys', defaultMode: 0o400, items: [{ key: 'key', path: 'deep/key' }] } },
  ];
  const volumeMounts = [
    { name: 'data', mountPath: '/data' },
    { name: 'keys', mountPath: '/keys' },
  ];
  /** What the program of a Pod printed that has succeeded. */
  const said = async (name: string, script: string, pod: object, more: object = {}): Promise<string> => {
    await docker.runtime.kube.create(oneJob(name, [shell(script, { volumeMounts, ...more })], pod));
    const { metadata, status } = await podThat(docker.runtime.kube, name, hasEnded);
    const log = await docker.runtime.kube.log(metadata.name);
    expect(status.phase, log).toBe('Succeeded');
    return log;
  };
  const aSecret = async (): Promise<void> => {
    const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'keys' }, stringData: { key: 'horse' } };
    await docker.runtime.kube.ask('POST', SECRETS, secret);
  };

  test('are written and read by a user who is in it, as in Kubernetes', async () => {
    await aSecret();
    const script = `set -e; id -u; id -G; cat /keys/deep/key; echo; echo x > /data/file; mkdir /data/folder
      stat -c '%a %u:%g %n' /data /data/file /data/folder /keys /keys/deep /keys/deep/key
      touch /keys/x 2>&1 | grep -o 'Read-only file system'`;
    expect(await said('group', script, { securityContext, volumes })).toBe(
      [
        '1000',
        '3000 2000 4000',
        'horse',
        '2777 0:2000 /data',
        '644 1000:2000 /data/file',
        '2755 1000:2000 /data/folder',
        '2755 0:2000 /keys',
        '2755 0:2000 /keys/deep',
        '440 0:2000 /keys/deep/key',
        'Read-only file system',
        '',
      ].join('\n'),
    );
  });

  test('are not for a user who is not in it, and a volume without a group stays as it was', async () => {
    await aSecret();
    const { fsGroup: _, ...noGroup } = securityContext;
    const script = `cat /keys/deep/key 2>&1 | grep -o 'Permission denied'; id -G; stat -c %a:%g /keys/deep/key`;
    expect(await said('no-group', script, { securityContext: noGroup, volumes })).toBe(
      'Permission denied\n3000 4000\n400:0\n',
    );
  });

  test('hand their group down to their parts, and stay over restarts', async () => {
    const mounts = [{ name: 'data', mountPath: '/part', subPath: 'a/b' }];
    const script = `stat -c %a:%g /part; cat /part/kept 2>/dev/null && exit 0; echo kept > /part/kept; exit 1`;
    const pod = { securityContext, volumes, restartPolicy: 'OnFailure' };
    await docker.runtime.kube.create(
      oneJob('again', [shell(script, { volumeMounts: mounts })], pod, { backoffLimit: 3 }),
    );
    const { metadata, status } = await podThat(docker.runtime.kube, 'again', hasEnded);
    expect(status.phase).toBe('Succeeded');
    expect(await docker.runtime.kube.log(metadata.name)).toBe('2777:2000\nkept\n');
  });
});
