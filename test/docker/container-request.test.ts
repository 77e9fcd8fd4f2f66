import { describe, expect, test } from 'vitest';
import { type Place, containerRequest, sandboxRequest } from '../../local/docker/container-request.ts';
import type { ContainerDefinition } from '../../local/ecs/definition.ts';
import type { ContainerRun } from '../../local/ecs/driver/driver.ts';
import type { TaskRecord } from '../../local/ecs/task-record.ts';

const ID = 'a'.repeat(32);

function aRun(container: Partial<ContainerDefinition> = {}, task: Partial<TaskRecord> = {}): ContainerRun {
  return {
    container: { name: 'main', image: 'python:3.12', ...container },
    task: {
      schema: 1,
      id: ID,
      cluster: 'muster',
      definition: { family: 'f', revision: 1 },
      launch: { token: null, fingerprint: '', taskIds: [ID], failures: [] },
      group: 'g',
      startedBy: null,
      capacityProvider: null,
      cpu: '512',
      memory: '1024',
      overrides: {},
      tags: [],
      subnetId: 's',
      privateIp: '10.201.0.7',
      createdAtMs: 0,
      version: 1,
      lastStatus: 'PENDING',
      containers: [],
      startedAtMs: null,
      stop: null,
      stoppedAtMs: null,
      ...task,
    },
  };
}

const PLACE: Place = {
  installation: 'i',
  accessDir: null,
  cpus: 8,
  environment: { LEVEL: 'debug' },
  secrets: [['KEY', 'secret']],
  workspaceDir: '/home/kim/work',
  volumePrefix: 'muster-i-pod-',
  mounts: [],
  groups: [],
  network: { kind: 'own', name: 'muster-i' },
};

describe('a container is made', () => {
  test('with the folder for clients of the API, unless its Pod mounts something there', () => {
    const at = '/var/run/secrets/kubernetes.io/serviceaccount';
    const mounted = (container: Partial<ContainerDefinition>) => {
      const made = containerRequest(aRun(container), { ...PLACE, accessDir: '/data/access', mounts: [null] });
      return (made as { HostConfig: { Mounts: { Target: string }[] } }).HostConfig.Mounts.filter(
        (m) => m.Target === at,
      );
    };
    expect(mounted({})).toEqual([{ Type: 'bind', Source: '/data/access', Target: at, ReadOnly: true }]);
    expect(mounted({ mountPoints: [{ sourceVolume: 'own', containerPath: at }] })).toMatchObject([{ Type: 'volume' }]);
  });

  test('with an input and a terminal where its definition says so', () => {
    const made = (container: Partial<ContainerDefinition>) => containerRequest(aRun(container), PLACE);
    const once = { 'muster.run/stdin-once': 'true' };
    expect(made({ interactive: true, dockerLabels: once })).toMatchObject({ OpenStdin: true, StdinOnce: true });
    expect(made({ interactive: true, pseudoTerminal: true })).toMatchObject({
      OpenStdin: true,
      StdinOnce: false,
      Tty: true,
    });
    for (const field of ['OpenStdin', 'StdinOnce', 'Tty'])
      expect(made({ dockerLabels: once })).not.toHaveProperty(field);
  });

  test('with its image, the size of its task, its address, and the workspace', () => {
    expect(containerRequest(aRun(), PLACE)).toEqual({
      Image: 'python:3.12',
      Env: ['LEVEL=debug', 'MUSTER_WORKSPACE=/workspace', 'MUSTER_ADDRESS=10.201.0.7', 'KEY=secret'],
      Labels: { 'muster.run/installation': 'i', 'muster.run/task': ID, 'muster.run/container': 'main' },
      NetworkingConfig: { EndpointsConfig: { 'muster-i': { IPAMConfig: { IPv4Address: '10.201.0.7' } } } },
      HostConfig: {
        NetworkMode: 'muster-i',
        NanoCpus: 500_000_000,
        Memory: 1024 ** 3,
        MemorySwap: 1024 ** 3,
        Mounts: [{ Type: 'bind', Source: '/home/kim/work', Target: '/workspace' }],
        LogConfig: { Type: 'json-file', Config: { 'max-size': '1024g' } },
      },
    });
  });

  test('with the fields of its definition, and what the launch changes', () => {
    const run = aRun(
      {
        entryPoint: ['/tini'],
        command: ['old'],
        user: '1000:1000',
        workingDirectory: '/srv',
        readonlyRootFilesystem: true,
        linuxParameters: { capabilities: { drop: ['ALL'], add: ['SYS_PTRACE'] } },
        mountPoints: [{ sourceVolume: 'data', containerPath: '/data', readOnly: true }],
        environment: [{ name: 'LEVEL', value: 'info' }],
      },
      {
        overrides: {
          containerOverrides: [{ name: 'main', command: ['new'], environment: [{ name: 'KEY', value: 'mine' }] }],
        },
      },
    );
    expect(containerRequest(run, PLACE)).toMatchObject({
      Entrypoint: ['/tini'],
      Cmd: ['new'],
      User: '1000:1000',
      WorkingDir: '/srv',
      Env: ['LEVEL=info', 'MUSTER_WORKSPACE=/workspace', 'MUSTER_ADDRESS=10.201.0.7', 'KEY=mine'],
      HostConfig: {
        ReadonlyRootfs: true,
        CapDrop: ['ALL'],
        CapAdd: ['SYS_PTRACE'],
        Mounts: [{}, { Type: 'volume', Source: 'muster-i-pod-data', Target: '/data', ReadOnly: true }],
      },
    });
  });

  test('with the groups of its programs, if they have any', () => {
    expect(containerRequest(aRun(), { ...PLACE, groups: [2000, 0] })).toMatchObject({
      HostConfig: { GroupAdd: ['2000', '0'] },
    });
    expect(JSON.stringify(containerRequest(aRun(), PLACE))).not.toContain('GroupAdd');
  });

  test('with the memory that the Pod allows it, unless the launch gives its task another size', () => {
    const labels = { 'muster.run/memory-limit-bytes': String(64 * 1024 ** 2) };
    const limited = { HostConfig: { Memory: 64 * 1024 ** 2, MemorySwap: 64 * 1024 ** 2 } };
    expect(containerRequest(aRun({ dockerLabels: labels }), PLACE)).toMatchObject(limited);
    const larger = aRun({ dockerLabels: labels }, { memory: '2048', overrides: { memory: '2048' } });
    expect(containerRequest(larger, PLACE)).toMatchObject({ HostConfig: { Memory: 2 * 1024 ** 3 } });
    const more = aRun({ dockerLabels: { 'muster.run/memory-limit-bytes': String(8 * 1024 ** 3) } });
    expect(containerRequest(more, PLACE)).toMatchObject({ HostConfig: { Memory: 1024 ** 3 } });
  });

  test('with the real path of what is on this machine', () => {
    const mountPoints = [
      { sourceVolume: 'in', containerPath: '/in', readOnly: true },
      { sourceVolume: 'data', containerPath: '/data' },
    ];
    const place = { ...PLACE, mounts: ['/mnt/disk/in', null] };
    expect(containerRequest(aRun({ mountPoints }), place)).toMatchObject({
      HostConfig: {
        Mounts: [
          {},
          { Type: 'bind', Source: '/mnt/disk/in', Target: '/in', ReadOnly: true },
          { Type: 'volume', Source: 'muster-i-pod-data', Target: '/data', ReadOnly: false },
        ],
      },
    });
  });

  test('with a tmpfs for each volume in memory', () => {
    const tmpfs = [
      { containerPath: '/fast', size: 64, mountOptions: ['exec', 'ro'] },
      { containerPath: '/plain', size: 1 },
    ];
    expect(containerRequest(aRun({ linuxParameters: { tmpfs } }), PLACE)).toMatchObject({
      HostConfig: { Tmpfs: { '/fast': 'size=64m,exec,ro', '/plain': 'size=1m' } },
    });
  });

  test('with no more CPUs than the engine has, which would refuse it', () => {
    const large = aRun({}, { cpu: '4096', memory: '8192' });
    expect(containerRequest(large, { ...PLACE, cpus: 2 })).toMatchObject({ HostConfig: { NanoCpus: 2e9 } });
  });

  test('found by others under the name of its index', () => {
    const HOST = 'train-3.workers.default.muster.internal';
    const run = aRun({ environment: [{ name: 'MUSTER_HOSTNAME', value: HOST }] });
    const found = {
      Hostname: 'train-3',
      NetworkingConfig: {
        EndpointsConfig: { 'muster-i': { IPAMConfig: { IPv4Address: '10.201.0.7' }, Aliases: [HOST] } },
      },
    };
    expect(containerRequest(run, PLACE)).toMatchObject(found);
    expect(sandboxRequest(run, 'idle', 'i', { kind: 'own', name: 'muster-i' })).toMatchObject({
      ...found,
      Image: 'idle',
      StopSignal: 'SIGKILL',
    });
  });

  test('in the network of its task, where that has several containers', () => {
    const made = containerRequest(aRun(), { ...PLACE, network: { kind: 'shared', sandbox: 'muster-x' } });
    expect(made).toMatchObject({ HostConfig: { NetworkMode: 'container:muster-x' } });
    expect(made).not.toHaveProperty('NetworkingConfig');
  });
});
