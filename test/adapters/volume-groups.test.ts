import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { type PlannedFolder, folderPlanOf, parseFolderPlan } from '../../shared/adapters/aws/ecs/file-plan.ts';
import { FILES_IMAGE, filesScript } from '../../shared/adapters/aws/ecs/files-script.ts';
import {
  type DefinitionSettings,
  registerInput,
  stillFits,
} from '../../shared/adapters/aws/ecs/task-definition-request.ts';
import { taskDefinitionOf } from '../../shared/domain/task/pod-template.ts';
import { HAS_MODELS, modelOf } from '../models/service-model.ts';
import { shapeFaults } from '../models/shape-faults.ts';
import { aConfigMap, aPodOf, sourcesOf } from '../domain/task/a-pod.ts';
import { definitions } from './ecs-under-test.ts';

const sources = sourcesOf({ configMaps: { app: aConfigMap({ 'app.conf': 'level: info\n' }) } });

/** The Pod of Kubernetes' page "Configure a Security Context for a Pod or Container", and one that mounts files as well. */
const PAGE = { runAsUser: 1000, runAsGroup: 3000, fsGroup: 2000 };
const podWith = (securityContext: object, mode: number | null) =>
  taskDefinitionOf(
    aPodOf(
      {
        securityContext,
        volumes: [
          { name: 'data', emptyDir: {} },
          ...(mode === null ? [] : [{ name: 'conf', configMap: { name: 'app', defaultMode: mode } }]),
        ],
      },
      {
        volumeMounts: [
          { name: 'data', mountPath: '/data' },
          ...(mode === null ? [] : [{ name: 'conf', mountPath: '/etc/app' }]),
        ],
      },
    ),
    { hash: () => '0', sources },
  );
const requestOf = (definition: ReturnType<typeof podWith>, more: Partial<DefinitionSettings> = {}) =>
  registerInput(definition, { ...definitions, ...more }, null);

const asRoot = { essential: false, stopTimeout: 2, user: '0', readonlyRootFilesystem: true };

test('a Pod with a group and an empty folder has a first container that sees to the folder', () => {
  const { containerDefinitions: [first, main] = [] } = requestOf(podWith(PAGE, null));
  expect(first).toEqual({
    ...asRoot,
    name: 'muster-files',
    image: FILES_IMAGE,
    entryPoint: ['sh', '-c', filesScript({ hasFolders: true, hasFiles: false })],
    command: ['muster-files', '/muster'],
    environment: [
      { name: 'MUSTER_FOLDERS', value: '2000 2777 data' },
      { name: 'MUSTER_VOLUME_DATA', value: '/muster/data' },
    ],
    mountPoints: [{ sourceVolume: 'data', containerPath: '/muster/data', readOnly: false }],
    logConfiguration: main?.logConfiguration,
  });
  expect(main).toMatchObject({
    user: '1000:3000',
    dependsOn: [{ containerName: 'muster-files', condition: 'SUCCESS' }],
  });
  expect(main?.dockerLabels).not.toHaveProperty('muster.run/groups');
});

test('files that not all may read belong to the one group that their readers have', () => {
  const environmentOf = (securityContext: object, more?: Partial<DefinitionSettings>) => {
    const { containerDefinitions: [first, main] = [] } = requestOf(podWith(securityContext, 0o400), more);
    const plans = (first?.environment ?? []).filter(({ name }) => ['MUSTER_FOLDERS', 'MUSTER_FILES'].includes(name!));
    return {
      user: main?.user,
      groups: main?.dockerLabels?.['muster.run/groups'],
      plans: plans.map(({ value }) => value),
    };
  };
  const files = '0 text 0440 conf/app.conf';
  expect(environmentOf(PAGE)).toEqual({ user: '1000:3000', plans: ['2000 2777 data\n3000 2755 conf', files] });
  const { runAsGroup: _, ...noGroup } = PAGE;
  expect(environmentOf(noGroup)).toEqual({ user: '1000:2000', plans: ['2000 2777 data\n2000 2755 conf', files] });
  // Containers on this machine have all groups, and processes none.
  expect(environmentOf({ ...PAGE, supplementalGroups: [4000] }, { groups: 'any' })).toEqual({
    user: '1000:3000',
    groups: '2000,4000',
    plans: ['2000 2777 data\n2000 2755 conf', files],
  });
  expect(environmentOf({ ...PAGE, supplementalGroups: [4000] }, { groups: 'ofUser' })).toEqual({
    user: '1000:3000',
    plans: ['0 text 0400 conf/app.conf'],
  });
});

test('a Pod without a group pays nothing, and is asked for as before', () => {
  const noGroup = { runAsUser: 1000, runAsGroup: 3000 };
  const plain = requestOf(podWith(noGroup, null));
  expect(plain.containerDefinitions?.map(({ name }) => name)).toEqual(['main']);
  const withFiles = requestOf(podWith(noGroup, 0o400));
  const [first] = withFiles.containerDefinitions ?? [];
  expect(first?.environment?.map(({ name }) => name)).toEqual(['MUSTER_FILES', 'MUSTER_FILE_0', 'MUSTER_VOLUME_CONF']);
  expect(first?.mountPoints?.map(({ sourceVolume }) => sourceVolume)).toEqual(['conf']);
  // What is registered is not registered anew: the script is that of definitions that are there.
  const script = createHash('sha256').update(first?.entryPoint?.[2] ?? '');
  expect(script.digest('hex')).toBe('814f077ca33868c956b2c94b0ae70423117e130b1a26f16444c4f34d277a5cf7');
  for (const groups of ['any', 'ofUser'] as const)
    expect(requestOf(podWith(noGroup, 0o400), { groups })).toEqual(withFiles);
});

test('a definition of another driver is another one', () => {
  const [ours, theirs] = (['any', 'ofUser'] as const).map((groups) =>
    requestOf(podWith({ supplementalGroups: [4] }, null), { groups }),
  );
  expect(stillFits({ ...ours, status: 'ACTIVE' }, ours!)).toBe(true);
  expect(stillFits({ ...theirs, status: 'ACTIVE' }, ours!)).toBe(false);
});

test('a plan of folders is read as it was written, and nothing else is one', () => {
  const folders: readonly PlannedFolder[] = [
    { group: 0, mode: 0o2777, volume: 'a' },
    { group: 2_147_483_647, mode: 0o2755, volume: 'b-c_0' },
  ];
  expect(parseFolderPlan(folderPlanOf(folders))).toEqual(folders);
  for (const plan of [
    '',
    '2000 2777',
    '2000 2777 ../x',
    '2000 2777 a/b',
    'root 2777 a',
    '2000 2777 a\n',
    '2000 9777 a',
  ])
    expect(parseFolderPlan(plan)).toBeNull();
});

test.runIf(HAS_MODELS)('the request has the shape that ECS documents', () => {
  for (const mode of [null, 0o400])
    expect(
      shapeFaults(
        modelOf('AmazonEC2ContainerServiceV20141113'),
        'RegisterTaskDefinitionRequest',
        requestOf(podWith(PAGE, mode)),
      ),
    ).toEqual([]);
});
