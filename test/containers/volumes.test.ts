import { describe, expect, test } from 'vitest';
import { hasEnded, hasEngine, oneJob, PATIENT, podThat, shell, withDocker } from './a-docker-runtime.ts';

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
