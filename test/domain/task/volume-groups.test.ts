import { describe, expect, test } from 'vitest';
import type { Container, PodSpec, Volume } from '../../../shared/domain/manifests/pod-spec.ts';
import { taskDefinitionOf } from '../../../shared/domain/task/pod-template.ts';
import type { TaskDefinition } from '../../../shared/domain/task/task.ts';
import { inOneGroup, withoutGroups } from '../../../shared/domain/task/volumes/one-group.ts';
import { splitVolumes } from '../../../shared/domain/task/volumes/split-volumes.ts';
import { needsFilesContainer, volumeGroupsOf } from '../../../shared/domain/task/volumes/volume-groups.ts';
import { aPodOf } from './a-pod.ts';

const NAMES = ['empty', 'open', 'key', 'claim', 'memory'] as const;
const VOLUMES: readonly Volume[] = [
  { name: 'empty', emptyDir: {} },
  { name: 'open', configMap: { name: 'c', defaultMode: 0o644 } },
  { name: 'key', secret: { secretName: 's', defaultMode: 0o400 } },
  { name: 'claim', persistentVolumeClaim: { claimName: 'c' } },
  { name: 'memory', emptyDir: { medium: 'Memory' } },
];
const mounting = (...names: readonly (typeof NAMES)[number][]): Partial<Container> => ({
  volumeMounts: names.map((name) => ({ name, mountPath: `/${name}` })),
});
const container = (name: string, more: Partial<Container> = {}): Container => ({ name, image: 'i', ...more });

type Pod = Pick<PodSpec, 'securityContext'>['securityContext'];

const definitionOf = (securityContext: Pod, ...containers: readonly Container[]): TaskDefinition =>
  taskDefinitionOf(aPodOf({ volumes: VOLUMES, containers, ...(securityContext && { securityContext }) }), {
    hash: () => 'x',
  });

/** The user of each container, and the group of each volume, where a program has one group. */
function onFargate(definition: TaskDefinition) {
  const { containers, volumeGroups = [] } = inOneGroup(definition);
  return {
    users: containers.map(({ user }) => user),
    groups: Object.fromEntries(volumeGroups.map(({ volume, group }) => [volume, group])),
  };
}

describe('on Fargate, where a program has one group', () => {
  const PAGE = { runAsUser: 1000, runAsGroup: 3000, fsGroup: 2000 };
  test.each<[string, Pod, Partial<Container>, string | null, Readonly<Record<string, number>>]>([
    ['an empty folder is for all, so nobody changes', PAGE, mounting('empty'), '1000:3000', { empty: 2000 }],
    ['the same without a group of its own', { runAsUser: 5, fsGroup: 7 }, mounting('empty'), '5', { empty: 7 }],
    ['files that all may read are read', { runAsUser: 5, fsGroup: 7 }, mounting('open'), '5', { open: 7 }],
    [
      'files that not all may read: the program is in their group',
      { runAsUser: 5, fsGroup: 7 },
      mounting('key'),
      '5:7',
      { key: 7 },
    ],
    ['or they are in its group', PAGE, mounting('key', 'empty'), '1000:3000', { key: 3000, empty: 2000 }],
    [
      'a file system has groups of its own, and the program may need them',
      { runAsUser: 5, fsGroup: 7 },
      mounting('claim'),
      '5:7',
      {},
    ],
    ['unless it has said its own', PAGE, mounting('claim'), '1000:3000', {}],
    ['a volume in memory is for all', { runAsUser: 5, fsGroup: 7 }, mounting('memory'), '5', {}],
    ['root reads all', { runAsUser: 0, fsGroup: 7 }, mounting('key', 'claim'), '0', { key: 7 }],
    ['the user of the image is not known', { fsGroup: 7 }, mounting('key'), null, { key: 7 }],
    [
      'a container may say its user',
      { fsGroup: 7 },
      { ...mounting('key'), securityContext: { runAsUser: 6 } },
      '6:7',
      { key: 7 },
    ],
    ['group 0 is a group', { runAsUser: 50_000, fsGroup: 0 }, mounting('key'), '50000:0', { key: 0 }],
    ['without fsGroup nothing changes', { runAsUser: 5 }, mounting('key', 'empty', 'claim'), '5', {}],
    ['what nobody mounts is left alone', { runAsUser: 5, fsGroup: 7 }, {}, '5', {}],
  ])('%s', (_, pod, main, user, groups) => {
    expect(onFargate(definitionOf(pod, container('main', main)))).toEqual({ users: [user], groups });
  });

  test('containers without a group get that of the one that has one, if both read the files', () => {
    const own = { securityContext: { runAsGroup: 9 } };
    const pod = { runAsUser: 5, fsGroup: 7 };
    const readers = [container('a', mounting('key')), container('b', { ...mounting('key'), ...own })];
    expect(onFargate(definitionOf(pod, ...readers))).toEqual({ users: ['5:9', '5:9'], groups: { key: 9 } });
    const other = [container('a', mounting('key')), container('b', { ...mounting('empty'), ...own })];
    expect(onFargate(definitionOf(pod, ...other))).toEqual({ users: ['5:7', '5:9'], groups: { empty: 7, key: 7 } });
  });

  test('nothing says that there are more', () => {
    const both = { runAsUser: 5, fsGroup: 7, supplementalGroups: [8] };
    const text = JSON.stringify(inOneGroup(definitionOf(both, container('main', mounting('key', 'empty')))));
    expect(text).not.toMatch(/groups"|userInOneGroup|inOneGroup/);
  });
});

describe('in Kubernetes, and in containers on this machine', () => {
  test('programs are in all groups, and volumes that are the Pod’s own are in fsGroup', () => {
    const pod = { runAsUser: 1000, runAsGroup: 3000, fsGroup: 2000, supplementalGroups: [4000, 2000] };
    const { containers, volumeGroups } = definitionOf(pod, container('main', mounting(...NAMES)));
    expect(containers.map(({ user, groups }) => [user, groups])).toEqual([['1000:3000', [2000, 4000]]]);
    expect(volumeGroups?.map(({ volume, group }) => [volume, group])).toEqual([
      ['empty', 2000],
      ['open', 2000],
      ['key', 2000],
    ]);
  });

  test('processes of one user have neither', () => {
    const pod = { runAsUser: 1000, fsGroup: 2000, supplementalGroups: [4000] };
    const without = definitionOf({ runAsUser: 1000 }, container('main', mounting('key', 'empty')));
    const { family: _, ...rest } = withoutGroups(definitionOf(pod, container('main', mounting('key', 'empty'))));
    expect({ family: without.family, ...rest }).toEqual(without);
  });
});

test.each<[string, Partial<Volume>, boolean]>([
  ['an empty folder', { emptyDir: {} }, true],
  ['an ephemeral volume', { ephemeral: { volumeClaimTemplate: { spec: {} } } }, true],
  ['fields', { downwardAPI: {} }, true],
  ['several sources', { projected: { sources: [] } }, true],
  ['a folder of the machine', { hostPath: { path: '/srv', type: '' } }, false],
  ['a claim', { persistentVolumeClaim: { claimName: 'c' } }, false],
  ['NFS', { nfs: { server: 's', path: '/' } }, false],
])('%s belongs to the group: %#', (_, source, isOwn) => {
  const { spec } = aPodOf(
    { volumes: [{ name: 'v', ...source }], securityContext: { fsGroup: 7 } },
    { volumeMounts: [{ name: 'v', mountPath: '/v' }] },
  ).spec.template;
  expect(volumeGroupsOf(spec)).toEqual(isOwn ? [{ volume: 'v', group: 7 }] : []);
  expect(needsFilesContainer(spec)).toBe(isOwn);
  const { securityContext: __, ...plain } = spec;
  expect(volumeGroupsOf(plain)).toEqual([]);
});

test.each<[string, Partial<Volume>, boolean]>([
  ['the default mode', { secret: { secretName: 's' } }, false],
  ['a mode of all', { configMap: { name: 'c', defaultMode: 0o400 } }, true],
  ['a mode of one', { configMap: { name: 'c', items: [{ key: 'k', path: 'p', mode: 0o640 }] } }, true],
  [
    'modes of all, which count no more',
    { configMap: { name: 'c', defaultMode: 0o400, items: [{ key: 'k', path: 'p', mode: 0o644 }] } },
    false,
  ],
  [
    'a field',
    {
      downwardAPI: {
        defaultMode: 0o440,
        items: [{ path: 'p', fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.uid' } }],
      },
    },
    true,
  ],
  ['a source among several', { projected: { defaultMode: 0o440, sources: [{ secret: { name: 's' } }] } }, true],
])('only some may read files: %s', (_, source, isPrivate) => {
  const job = aPodOf(
    { volumes: [{ name: 'v', ...source }], securityContext: { runAsUser: 5, fsGroup: 7 } },
    { volumeMounts: [{ name: 'v', mountPath: '/v' }] },
  );
  expect(inOneGroup(taskDefinitionOf(job, { hash: () => 'x' })).containers[0]?.user).toBe(isPrivate ? '5:7' : '5');
});

test('a part of a volume has the group of the volume', () => {
  const main = container('main', {
    volumeMounts: [
      { name: 'empty', mountPath: '/a', subPath: 'a' },
      { name: 'open', mountPath: '/b' },
    ],
  });
  const { volumes, volumeGroups } = splitVolumes(definitionOf({ fsGroup: 7 }, main));
  expect(volumes).toContain('empty_0');
  expect(volumeGroups).toEqual([
    { volume: 'open', group: 7 },
    { volume: 'empty_0', group: 7 },
  ]);
});
