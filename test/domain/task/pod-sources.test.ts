import { describe, expect, test } from 'vitest';
import type { Container, PodSpec, Volume } from '../../../shared/domain/manifests/pod-spec.ts';
import { variablesOf } from '../../../shared/domain/task/container-env.ts';
import { missingSource, namedSources } from '../../../shared/domain/task/pod-sources.ts';
import { waitingWords } from '../../../shared/domain/task/start-failure.ts';
import { aConfigMap, aPodOf, aSecret, sourcesOf } from './a-pod.ts';

const podOf = (volumes: readonly Volume[], main: Partial<Container> = {}): PodSpec =>
  aPodOf({ volumes }, main).spec.template.spec;

const keyOf = (kind: 'configMapKeyRef' | 'secretKeyRef', key: string, optional?: boolean): Partial<Container> => ({
  env: [{ name: 'V', valueFrom: { [kind]: { name: 'c', key, ...(optional === undefined ? {} : { optional }) } } }],
});

test('a Pod names each of its sources once, and most name none', () => {
  expect(namedSources(podOf([]))).toEqual([]);
  const spec = podOf(
    [
      { name: 'a', configMap: { name: 'c' } },
      { name: 'b', projected: { sources: [{ secret: { name: 's' } }, { configMap: { name: 'd' } }] } },
      { name: 'p', persistentVolumeClaim: { claimName: 'data' } },
    ],
    { ...keyOf('configMapKeyRef', 'k'), envFrom: [{ secretRef: { name: 's' } }] },
  );
  expect(namedSources({ ...spec, imagePullSecrets: [{ name: 's' }, { name: 'r' }, { name: 'r' }] })).toEqual([
    { kind: 'secret', name: 's' },
    { kind: 'configMap', name: 'c' },
    { kind: 'configMap', name: 'd' },
    { kind: 'claim', name: 'data' },
    { kind: 'pullSecret', name: 's' },
    { kind: 'pullSecret', name: 'r' },
  ]);
});

const C = { configMaps: { c: aConfigMap({ k: 'v', raw: new Uint8Array([255]) }) } };

test.each<[string, PodSpec, Parameters<typeof sourcesOf>[0], string | null]>([
  [
    'a whole ConfigMap',
    podOf([], { envFrom: [{ configMapRef: { name: 'c' } }] }),
    {},
    'CreateContainerConfigError: configmap "c" not found',
  ],
  [
    'a whole Secret',
    podOf([], { envFrom: [{ secretRef: { name: 'c' } }] }),
    {},
    'CreateContainerConfigError: secret "c" not found',
  ],
  ['an optional one', podOf([], { envFrom: [{ secretRef: { name: 'c', optional: true } }] }), {}, null],
  ['a key that may be made by hand', podOf([], keyOf('configMapKeyRef', 'k')), {}, null],
  [
    'a key that is not in it',
    podOf([], keyOf('configMapKeyRef', 'no')),
    C,
    "CreateContainerConfigError: couldn't find key no in ConfigMap team/c",
  ],
  ['an optional key that is not in it', podOf([], keyOf('configMapKeyRef', 'no', true)), C, null],
  [
    'bytes in a variable',
    podOf([], keyOf('configMapKeyRef', 'raw')),
    C,
    'CreateContainerConfigError: key raw of configmap "c" is not text: mount it as a file',
  ],
  [
    'a volume',
    podOf([{ name: 'v', configMap: { name: 'x' } }]),
    C,
    'FailedMount: MountVolume.SetUp failed for volume "v" : configmap "x" not found',
  ],
  ['bytes in a volume', podOf([{ name: 'v', configMap: { name: 'c' } }]), C, null],
  [
    'a file',
    podOf([{ name: 'v', configMap: { name: 'c', items: [{ key: 'no', path: 'p' }] } }]),
    C,
    'FailedMount: MountVolume.SetUp failed for volume "v" : configmap references non-existent config key: no',
  ],
  [
    'a file of a Secret',
    podOf([{ name: 'v', secret: { secretName: 'c', items: [{ key: 'no', path: 'p' }] } }]),
    { secrets: { c: aSecret({}) } },
    'FailedMount: MountVolume.SetUp failed for volume "v" : references non-existent secret key: no',
  ],
  ['an optional volume', podOf([{ name: 'v', secret: { secretName: 'x', optional: true } }]), {}, null],
  [
    'a claim',
    podOf([{ name: 'v', persistentVolumeClaim: { claimName: 'd' } }]),
    {},
    'FailedScheduling: persistentvolumeclaim "d" not found',
  ],
  [
    'a claim that is not bound',
    podOf([{ name: 'v', persistentVolumeClaim: { claimName: 'd' } }]),
    { claims: new Map([['d', { kind: 'unbound', reason: 'pod has unbound immediate PersistentVolumeClaims' }]]) },
    'FailedScheduling: pod has unbound immediate PersistentVolumeClaims',
  ],
])('what is missing: %s', (_, spec, given, reason) => {
  expect(missingSource('team', spec, sourcesOf(given))).toBe(reason);
});

const EFS = {
  kind: 'efs',
  fileSystemId: 'fs-0123456789abcdef0',
  rootDirectory: '/',
  accessPointId: 'fsap-0123456789abcdef0',
  transitEncryption: true,
  iam: true,
  readOnly: false,
} as const;

const PART_OF_ACCESS_POINT =
  'FailedMount: MountVolume.SetUp failed for volume "v" : an access point has a root of its own, and ECS mounts no other: mount the whole volume';

test.each([
  ['all of it', EFS, {}, null],
  ['no part', EFS, { subPath: '' }, null],
  ['a part that variables name', EFS, { subPathExpr: '$(POD_NAME)' }, PART_OF_ACCESS_POINT],
  ['a part of a file system', { ...EFS, accessPointId: null }, { subPath: 'a' }, null],
  ['a part of an access point', EFS, { subPath: 'a' }, PART_OF_ACCESS_POINT],
])('%s can be mounted, or the Pod says why not', (_, claim, part, reason) => {
  const spec = podOf([{ name: 'v', persistentVolumeClaim: { claimName: 'd' } }], {
    volumeMounts: [{ name: 'v', mountPath: '/d', ...part }],
  });
  expect(missingSource('team', spec, sourcesOf({ claims: new Map([['d', claim]]) }))).toBe(reason);
});

test('what a word refers to is not read by hand, because only ECS would know it', () => {
  const env = keyOf('configMapKeyRef', 'k');
  const reason = 'CreateContainerConfigError: configmap "c" not found';
  expect(missingSource('team', podOf([], { ...env, args: ['--at=$(V)'] }), sourcesOf({}))).toBe(reason);
  expect(missingSource('team', podOf([], { ...env, args: ['--at=$V'] }), sourcesOf({}))).toBeNull();
});

test('the first word of a reason says what of the Pod waits', () => {
  expect(waitingWords('FailedMount: a: b')).toEqual({ what: 'volume', text: 'a: b' });
  expect(waitingWords('ErrImagePull: a')).toEqual({ what: 'pull', text: 'a' });
  expect(waitingWords('CreateContainerConfigError: a')).toEqual({ what: 'variable', text: 'a' });
  expect(waitingWords('RESOURCE:ENI')).toBeNull();
});

describe('variables of sources', () => {
  const textsOf = (main: Partial<Container>, given: Parameters<typeof sourcesOf>[0]) => {
    const manifest = aPodOf({}, main);
    const [container] = manifest.spec.template.spec.containers;
    if (container === undefined) throw new Error('a Pod has a container');
    return Object.fromEntries(
      [...variablesOf(container, manifest, sourcesOf(given))].map(([name, variable]) => [
        name,
        variable.kind === 'text' ? variable.text : variable.from,
      ]),
    );
  };

  test('a ConfigMap gives its text, which later values may name; a Secret only says where it is', () => {
    const main: Partial<Container> = {
      envFrom: [{ prefix: 'P_', configMapRef: { name: 'c' } }, { secretRef: { name: 's' } }],
      env: [{ name: 'URL', value: 'http://$(P_k)/$(MUSTER_NUMBER)' }],
    };
    const given = { ...C, secrets: { s: aSecret({ password: 'text', der: 'base64' }) } };
    expect(textsOf(main, given)).toMatchObject({
      P_k: ['v'],
      URL: ['http://v/', { field: 'sequence' }],
      password: {
        kind: 'secret',
        namespace: 'team',
        name: 's',
        key: 'password',
        object: { version: 's-1', form: 'text' },
      },
    });
    expect(Object.keys(textsOf(main, given))).not.toEqual(expect.arrayContaining(['P_raw', 'der']));
  });

  test('env counts before envFrom, and the later of two envFrom; names of Muster and none are left out', () => {
    const main: Partial<Container> = {
      envFrom: [{ configMapRef: { name: 'c' } }, { configMapRef: { name: 'd' } }],
      env: [{ name: 'own', value: 'mine' }],
    };
    const configMaps = {
      c: aConfigMap({ own: 'c', both: 'c', MUSTER_X: '1' }),
      d: aConfigMap({ both: 'd' }),
    };
    const texts = textsOf(main, { configMaps });
    expect(texts).toMatchObject({ own: ['mine'], both: ['d'] });
    expect(texts).not.toHaveProperty('MUSTER_X');
  });

  test('an optional key that is not there leaves what was there before', () => {
    const env: Container['env'] = [
      { name: 'V', value: 'default' },
      { name: 'V', valueFrom: { configMapKeyRef: { name: 'no', key: 'k', optional: true } } },
    ];
    expect(textsOf({ env }, {})).toMatchObject({ V: ['default'] });
  });
});
