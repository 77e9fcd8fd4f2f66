import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type PlannedFile, parsePlan, planOf } from '../../shared/adapters/aws/ecs/file-plan.ts';
import { FILES_IMAGE, filesScript } from '../../shared/adapters/aws/ecs/files-script.ts';
import { registerInput, stillFits } from '../../shared/adapters/aws/ecs/task-definition-request.ts';
import type { TaskDefinition, TaskFile } from '../../shared/domain/task/task.ts';
import { objectReference, parseReference } from '../../shared/names/secrets.ts';
import { HAS_MODELS, modelOf } from '../models/service-model.ts';
import { shapeFaults } from '../models/shape-faults.ts';
import { definition, definitions } from './ecs-under-test.ts';

const known = (path: string, content: string | Uint8Array, mode = 0o644, volume = 'conf'): TaskFile => ({
  volume,
  path,
  mode,
  content: { kind: 'known', base64: Buffer.from(content).toString('base64') },
});

const secret = (path: string, form: 'text' | 'base64' | null): TaskFile => ({
  volume: 'keys',
  path,
  mode: 0o400,
  content: {
    kind: 'secret',
    from: {
      kind: 'secret',
      namespace: 'default',
      name: 'db',
      key: 'tls.key',
      ...(form === null ? {} : { object: { version: 'v-1', form } }),
    },
  },
});

const files: readonly TaskFile[] = [
  known('app.conf', 'level: info\n'),
  known('deep/run me.sh', '#!/bin/sh\n', 0o755),
  { volume: 'info', path: 'labels', mode: 0o644, content: { kind: 'late' } },
  secret('tls.key', 'base64'),
  secret('by-hand', null),
];
const [fetch, main] = definition.containers;
const withFiles: TaskDefinition = {
  ...definition,
  volumes: ['conf', 'info', 'keys', 'empty'],
  files,
  containers: [fetch!, { ...main!, mounts: [{ volume: 'conf', path: '/etc/app', readOnly: true }] }],
};

const plain = { essential: false, stopTimeout: 2, user: '0', readonlyRootFilesystem: true };

test('the files of volumes are written by a first container, for which all others wait', () => {
  const { volumes, containerDefinitions = [] } = registerInput(withFiles, definitions, null);
  expect(volumes).toEqual([{ name: 'conf' }, { name: 'info' }, { name: 'keys' }, { name: 'empty' }]);
  expect(containerDefinitions[0]).toEqual({
    ...plain,
    name: 'muster-files',
    image: FILES_IMAGE,
    entryPoint: ['sh', '-c', filesScript({ hasFolders: false, hasFiles: true })],
    command: ['muster-files', '/muster'],
    environment: [
      {
        name: 'MUSTER_FILES',
        value: [
          '0 text 0644 conf/app.conf',
          '1 text 0755 conf/deep/run me.sh',
          '2 text 0644 info/labels',
          '3 base64 0400 keys/tls.key',
          '4 text 0400 keys/by-hand',
        ].join('\n'),
      },
      { name: 'MUSTER_FILE_0', value: 'level: info\n' },
      { name: 'MUSTER_FILE_1', value: '#!/bin/sh\n' },
      { name: 'MUSTER_VOLUME_KEYS', value: '/muster/keys' },
      { name: 'MUSTER_VOLUME_INFO', value: '/muster/info' },
      { name: 'MUSTER_VOLUME_CONF', value: '/muster/conf' },
    ],
    secrets: [
      {
        name: 'MUSTER_FILE_3',
        valueFrom: 'arn:aws:secretsmanager:eu-central-1:123456789012:secret:muster/default/db/object:tls.key::v-1',
      },
      {
        name: 'MUSTER_FILE_4',
        valueFrom: 'arn:aws:secretsmanager:eu-central-1:123456789012:secret:muster/default/db/secret:tls.key::',
      },
    ],
    mountPoints: ['conf', 'info', 'keys'].map((name) => ({
      sourceVolume: name,
      containerPath: `/muster/${name}`,
      readOnly: false,
    })),
    logConfiguration: containerDefinitions[1]?.logConfiguration,
  });
  expect(containerDefinitions.slice(1).map(({ name, dependsOn }) => [name, dependsOn])).toEqual([
    ['fetch', [{ containerName: 'muster-files', condition: 'SUCCESS' }]],
    [
      'main',
      [
        { containerName: 'muster-files', condition: 'SUCCESS' },
        { containerName: 'fetch', condition: 'SUCCESS' },
      ],
    ],
  ]);
});

test('volumes without files have nobody who writes them', () => {
  for (const none of [{ ...withFiles, files: [] }, definition])
    expect(registerInput(none, definitions, null).containerDefinitions?.map(({ name }) => name)).toEqual([
      'fetch',
      'main',
    ]);
});

test('another image that writes files is another definition', () => {
  const own = { ...definitions, filesImage: 'registry.example/busybox:1' };
  const wanted = registerInput(withFiles, own, null);
  expect(wanted.containerDefinitions?.[0]?.image).toBe('registry.example/busybox:1');
  const registered = { ...registerInput(withFiles, definitions, null), status: 'ACTIVE' as const };
  expect(stillFits(registered, wanted)).toBe(false);
  expect(stillFits(registered, registerInput(withFiles, definitions, null))).toBe(true);
});

test('a file system of EFS is mounted as ECS takes it', () => {
  const fileSystem = {
    service: 'efs' as const,
    volume: 'a',
    fileSystemId: 'fs-1',
    rootDirectory: '/data',
    transitEncryption: false,
    iam: false,
  };
  const fileSystems = [
    { ...fileSystem, accessPointId: null },
    { ...fileSystem, volume: 'b', accessPointId: 'fsap-1', iam: true },
    { ...fileSystem, volume: 'c', accessPointId: null, transitEncryption: true },
    { ...fileSystem, volume: 'd', accessPointId: null, iam: true },
  ];
  const attached = { volume: 'e', type: 'gp3', sizeGib: 10 };
  const volumes = ['a', 'b', 'c', 'd', 'e'];
  expect(registerInput({ ...definition, volumes, fileSystems, attached }, definitions, null).volumes).toEqual([
    { name: 'a', efsVolumeConfiguration: { fileSystemId: 'fs-1', rootDirectory: '/data' } },
    {
      name: 'b',
      efsVolumeConfiguration: {
        fileSystemId: 'fs-1',
        transitEncryption: 'ENABLED',
        authorizationConfig: { accessPointId: 'fsap-1', iam: 'ENABLED' },
      },
    },
    {
      name: 'c',
      efsVolumeConfiguration: { fileSystemId: 'fs-1', rootDirectory: '/data', transitEncryption: 'ENABLED' },
    },
    {
      name: 'd',
      efsVolumeConfiguration: {
        fileSystemId: 'fs-1',
        rootDirectory: '/data',
        transitEncryption: 'ENABLED',
        authorizationConfig: { iam: 'ENABLED' },
      },
    },
    { name: 'e', configuredAtLaunch: true },
  ]);
});

test('parts of volumes are labels, which a driver of this machine heeds', () => {
  const mount = { volume: 'conf', path: '/a', readOnly: false };
  const mounts = [mount, { ...mount, path: '/b', subPath: 'x/y' }, { ...mount, path: '/c', subPathExpr: '$(POD)' }];
  const [container] = registerInput(
    { ...definition, volumes: ['conf'], containers: [{ ...main!, mounts, dependsOnSuccess: [] }] },
    { ...definitions, mountsParts: true },
    null,
  ).containerDefinitions!;
  expect(container?.dockerLabels).toEqual({ 'muster.run/sub-path-1': 'x/y', 'muster.run/sub-path-expr-2': '$(POD)' });
});

test.runIf(HAS_MODELS)('AWS’s model takes all of it', () => {
  const fileSystem = {
    volume: 'efs',
    service: 'efs' as const,
    fileSystemId: 'fs-1',
    rootDirectory: '/',
    transitEncryption: true,
    iam: true,
  };
  const input = registerInput(
    {
      ...withFiles,
      volumes: [...withFiles.volumes, 'efs', 'ebs'],
      fileSystems: [{ ...fileSystem, accessPointId: 'fsap-1' }],
      attached: { volume: 'ebs', type: 'gp3', sizeGib: 10 },
    },
    definitions,
    null,
  );
  expect(shapeFaults(modelOf('AmazonEC2ContainerServiceV20141113'), 'RegisterTaskDefinitionRequest', input)).toEqual(
    [],
  );
});

test('the reference to a version of a stored Secret says what it was made of', () => {
  const place = { partition: 'aws', region: 'eu-central-1', account: '123456789012' };
  const object = { namespace: 'default', name: 'db', key: 'tls.key', version: '0f0f-1_a' };
  const reference = objectReference(place, object);
  expect(parseReference(reference)).toEqual({ kind: 'secret', ...object });
  for (const odd of [
    reference.replace('default', '..'),
    reference.replace('/db/', '/../'),
    reference.replace('tls.key', '..'),
    reference.replace('0f0f', '../..'),
    reference.slice(0, reference.lastIndexOf(':') + 1),
  ])
    expect(parseReference(odd)).toBeNull();
});

describe('a plan', () => {
  const formOf = (content: string | Uint8Array): string | undefined =>
    parsePlan(planOf([known('f', content)]).plan)?.[0]?.form;

  test('has the shortest form that a variable holds', () => {
    expect(formOf('')).toBe('text');
    expect(formOf('größer als\tgedacht 🙂\n')).toBe('text');
    expect(formOf('x'.repeat(5_000))).toBe('gzip');
    // What is escaped twice over in JSON.
    expect(formOf('\n"'.repeat(12))).toBe('base64');
    for (const bytes of [[0], [0xff, 0xfe], [7], [13, 10], [0xef, 0xbb, 0xbf, 65], [0xc2, 0x85], [0xed, 0xa0, 0x80]])
      expect(formOf(Uint8Array.from(bytes))).toBe('base64');
  });

  const NAME = fc
    .string({ unit: 'grapheme', minLength: 1 })
    .filter((name) => !/[\n\0/]/.test(name) && !/^\.\.?$/.test(name));
  const PATH = fc.array(NAME, { minLength: 1, maxLength: 3 }).map((names) => names.join('/'));

  test('is read as it was written', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(PATH, fc.uint8Array({ maxLength: 90 }), fc.nat(0o777)), { minLength: 1 }),
        (rows) => {
          const wanted = rows.map(([path, bytes, mode]) => known(path, bytes, mode));
          const parsed = parsePlan(planOf(wanted).plan);
          expect(parsed?.map(({ form: _, ...file }: PlannedFile) => file)).toEqual(
            wanted.map(({ content: _, ...file }, nth) => ({ ...file, nth })),
          );
        },
      ),
    );
  });

  test.each([
    '',
    '0 text 0644 v',
    '0 text 0644 v/',
    '0 text 0644 v/a/../b',
    '0 text 0644 v//a',
    '0 text 644 v/a',
    '0 hex 0644 v/a',
    '0 text 0644 ../a',
    '-1 text 0644 v/a',
    '0 text 0644 v/a\n',
  ])('%j is none', (plan) => expect(parsePlan(plan)).toBeNull());

  test('takes no path that leaves its volume or its line', () => {
    for (const path of ['../a', 'a/../../b', '/a', 'a//b', 'a\nb', '.', ''])
      expect(() => planOf([known(path, 'x')])).toThrow('admission takes paths only');
  });
});

test('on Fargate, a part of a volume is a volume of its own, with the files that are in it', () => {
  const mount = { volume: 'conf', path: '/a', readOnly: false, subPath: 'x' };
  const efs = { volume: 'data', path: '/d', readOnly: false, subPath: 'in/put' };
  const fileSystem = { volume: 'data', service: 'efs' as const, fileSystemId: 'fs-1', rootDirectory: '/root/' };
  const { volumes = [], containerDefinitions = [] } = registerInput(
    {
      ...definition,
      volumes: ['conf', 'data'],
      files: [{ volume: 'conf', path: 'x/y/z', mode: 0o644, content: { kind: 'known', base64: 'eg==' } }],
      fileSystems: [{ ...fileSystem, accessPointId: null, transitEncryption: false, iam: false }],
      containers: [{ ...main!, mounts: [mount, efs, { ...mount, path: '/again' }], dependsOnSuccess: [] }],
    },
    definitions,
    null,
  );
  expect(volumes).toEqual([
    { name: 'conf_0' },
    { name: 'data_1', efsVolumeConfiguration: { fileSystemId: 'fs-1', rootDirectory: '/root/in/put' } },
  ]);
  const [writer, container] = containerDefinitions;
  expect(writer?.mountPoints?.map(({ sourceVolume }) => sourceVolume)).toEqual(['conf_0']);
  expect(writer?.environment).toContainEqual({
    name: 'MUSTER_FILES',
    value: expect.stringContaining('conf_0/y/z') as string,
  });
  expect(container?.mountPoints?.map(({ sourceVolume, containerPath }) => `${sourceVolume} ${containerPath}`)).toEqual([
    'conf_0 /a',
    'data_1 /d',
    'conf_0 /again',
  ]);
});
