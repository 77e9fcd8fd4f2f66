import { describe, expect, test } from 'vitest';
import { admitDocument, faultLines, jobDocument } from '../../support/job-document.ts';

const MAIN = 'spec.template.spec.containers[0]';
const LATER = 'Forbidden: not supported by this version of Muster';
const ONE_FILE = `${LATER}; mount the whole volume in a folder of its own: Fargate mounts no single file`;
const NESTED = `${LATER}; mount the whole volume everywhere, or folders that are not within one another: each is a volume of its own on Fargate`;
const LATE = `${LATER}; mount the whole volume, and let the program go to its folder: all Pods of a Job mount the same on Fargate`;

type Mount = { readonly subPath?: string; readonly subPathExpr?: string };
const mounts = (...paths: readonly (string | Mount)[]) =>
  paths.map((path, i) => ({
    name: 'v',
    mountPath: `/m${i}`,
    ...(typeof path === 'string' ? { subPath: path } : path),
  }));
const pod = (source: object, volumeMounts: readonly object[], main: object = {}, more: object = {}) =>
  jobDocument(
    {},
    {},
    {
      volumes: [{ name: 'v', ...source }],
      containers: [{ name: 'main', image: 'i', volumeMounts, ...main }],
      ...more,
    },
  );
const onAws = (...args: Parameters<typeof pod>) => faultLines(admitDocument(pod(...args)));
const onThisMachine = (...args: Parameters<typeof pod>) => faultLines(admitDocument(pod(...args), { hostFolders: [] }));
const mount = (nth: number, field = 'subPath') => `${MAIN}.volumeMounts[${nth}].${field}`;

const CONFIG = { configMap: { name: 'c' } };
const ITEMS = {
  configMap: {
    name: 'c',
    items: [
      { key: 'k', path: 'a/b.txt' },
      { key: 'l', path: './d.txt' },
    ],
  },
};
const CLAIM = { persistentVolumeClaim: { claimName: 'data' } };

describe('everywhere', () => {
  test.each<[string, readonly Mount[], readonly string[]]>([
    [
      'an absolute path',
      [{ subPath: '/a' }],
      [`${MAIN}.volumeMounts.subPath: Invalid value: "/a": must be a relative path`],
    ],
    [
      'a way out',
      [{ subPath: 'a/..' }],
      [`${MAIN}.volumeMounts.subPath: Invalid value: "a/..": must not contain '..'`],
    ],
    [
      'the same of an expression',
      [{ subPathExpr: '/a' }, { subPathExpr: '../$(A)' }],
      [
        `${MAIN}.volumeMounts.subPathExpr: Invalid value: "/a": must be a relative path`,
        `${MAIN}.volumeMounts.subPathExpr: Invalid value: "../$(A)": must not contain '..'`,
      ],
    ],
    [
      'both',
      [{ subPath: 'a', subPathExpr: 'b' }],
      [`${mount(0, 'subPathExpr')}: Invalid value: "b": subPathExpr and subPath are mutually exclusive`],
    ],
    ['NUL', [{ subPath: 'a\0' }], [String.raw`${mount(0)}: Invalid value: "a\u0000": must not contain NUL`]],
  ])('%s', (_, paths, expected) => {
    expect(onThisMachine(CLAIM, mounts(...paths))).toEqual(expected);
    expect(onAws(CLAIM, mounts(...paths))).toEqual(expected);
  });

  test('only ECS knows a Secret', () => {
    const env = [
      { name: 'S', valueFrom: { secretKeyRef: { name: 's', key: 'k' } } },
      { name: 'IP', valueFrom: { fieldRef: { fieldPath: 'status.podIP' } } },
    ];
    const envFrom = [{ prefix: 'DB_', secretRef: { name: 's' } }];
    expect(
      onThisMachine(CLAIM, mounts({ subPathExpr: '$(S)' }, { subPathExpr: '$(DB_X)' }, { subPathExpr: '$(IP)' }), {
        env,
        envFrom,
      }),
    ).toEqual(
      ['S', 'DB_X', 'IP'].map(
        (name, i) => `${mount(i, 'subPathExpr')}: ${LATER}; use other variables: only ECS knows the value of ${name}`,
      ),
    );
  });
});

test('on this machine any file or folder of a volume is mounted, also by what differs from Pod to Pod', () => {
  const env = [{ name: 'POD', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } }];
  for (const source of [CONFIG, ITEMS, CLAIM, { emptyDir: {} }])
    expect(onThisMachine(source, mounts('', 'a', 'a/b.txt', { subPathExpr: '$(POD)/x' }), { env })).toEqual([]);
});

describe('on Fargate', () => {
  test('a claim shows any folder', () => {
    expect(onAws(CLAIM, mounts('', 'a', 'a/b', '.'))).toEqual([]);
    expect(onAws({ nfs: { server: 'fs-01234567.efs.eu-west-1.amazonaws.com', path: '/' } }, mounts('', 'a'))).toEqual(
      [],
    );
  });

  test('folders of a volume on disk may not be in one another, whichever container mounts them', () => {
    expect(onAws({ emptyDir: {} }, mounts('a', 'b', 'ab', 'a/', './a'))).toEqual([]);
    expect(onAws({ emptyDir: {} }, mounts('a', '', 'b'))).toEqual([`${mount(0)}: ${NESTED}`, `${mount(2)}: ${NESTED}`]);
    expect(onAws({ emptyDir: {} }, mounts('a', 'b/c', 'b'))).toEqual([
      `${mount(1)}: ${NESTED}`,
      `${mount(2)}: ${NESTED}`,
    ]);
    const initContainers = [{ name: 'init', image: 'i', volumeMounts: mounts('') }];
    expect(onAws({ emptyDir: {} }, mounts('a'), {}, { initContainers })).toEqual([`${mount(0)}: ${NESTED}`]);
  });

  test('no file is mounted alone: without items, a key may have any name', () => {
    expect(onAws(CONFIG, mounts('app.conf'))).toEqual([`${mount(0)}: ${ONE_FILE}`]);
    expect(onAws({ secret: { secretName: 's' } }, mounts('./tls.key'))).toEqual([`${mount(0)}: ${ONE_FILE}`]);
    expect(onAws(CONFIG, mounts('a/b'))).toEqual([]);
    expect(onAws(ITEMS, mounts('a'))).toEqual([]);
    expect(onAws(ITEMS, mounts('a/b.txt'))).toEqual([`${mount(0)}: ${ONE_FILE}`]);
    expect(onAws(ITEMS, mounts('d.txt', 'a/b.txt/c'))).toEqual([0, 1].map((i) => `${mount(i)}: ${ONE_FILE}`));
    const field = { path: 'index', fieldRef: { fieldPath: 'metadata.name' } };
    expect(onAws({ downwardAPI: { items: [field] } }, mounts('index'))).toEqual([`${mount(0)}: ${ONE_FILE}`]);
    const sources = [{ downwardAPI: { items: [field] } }, { configMap: ITEMS.configMap }];
    expect(onAws({ projected: { sources } }, mounts('a', 'x'))).toEqual([]);
    expect(onAws({ projected: { sources: [...sources, { secret: { name: 's' } }] } }, mounts('a', 'x'))).toEqual(
      [0, 1].map((i) => `${mount(i)}: ${ONE_FILE}`),
    );
  });

  describe('an ephemeral volume', () => {
    const CLASS = 'spec.template.spec.volumes[0].ephemeral.volumeClaimTemplate.spec.storageClassName';
    const of = (fields: object) => ({
      ephemeral: {
        volumeClaimTemplate: {
          spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } }, ...fields },
        },
      },
    });

    test('of EBS is mounted whole', () => {
      expect(onAws(of({}), mounts('a'))).toEqual([]);
      expect(onAws(of({ storageClassName: 'gp3' }), mounts('a'))).toEqual([
        `${mount(0)}: ${LATER}; mount the whole volume: a task cannot mount a folder of an EBS volume`,
      ]);
      expect(onAws(of({ storageClassName: 'gp3' }), mounts(''))).toEqual([]);
    });

    test('is of EBS, if it has a class', () => {
      expect(onThisMachine(of({ storageClassName: 'fast' }), mounts(''))).toEqual([]);
      expect(onAws(of({ storageClassName: 'fast' }), mounts(''))).toEqual([
        `${CLASS}: ${LATER}; use gp3 or another type of EBS, or leave it out for disk of the task`,
      ]);
    });

    test('of EBS is the only one of its Pod', () => {
      const volumes = ['', 'gp3', 'io2'].map((storageClassName, i) => ({ name: `v${i}`, ...of({ storageClassName }) }));
      expect(onAws({}, [], {}, { volumes })).toEqual([
        `${CLASS.replace('[0]', '[2]')}: ${LATER}; leave it out for disk of the task, which has one EBS volume at most`,
      ]);
      expect(onThisMachine({}, [], {}, { volumes })).toEqual([]);
    });
  });

  test('all Pods of a Job mount the same', () => {
    const env = [
      { name: 'TEAM', value: 'red' },
      { name: 'PLACE', value: 'out/$(TEAM)/$(NS)' },
      { name: 'NS', valueFrom: { fieldRef: { fieldPath: 'metadata.namespace' } } },
      { name: 'POD', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
      { name: 'OURS', value: '$(POD)/x' },
      { name: 'CONFIG', valueFrom: { configMapKeyRef: { name: 'c', key: 'k' } } },
      { name: 'UP', value: '..' },
    ];
    const expressions = (...texts: string[]) => mounts(...texts.map((subPathExpr) => ({ subPathExpr })));
    expect(onAws(CLAIM, expressions('$(TEAM)', 'x/$(NS)', 'plain'), { env })).toEqual([]);
    expect(
      onAws(CLAIM, expressions('$(POD)', '$(OURS)', '$(CONFIG)', '$(GONE)', '$(PLACE)', '$(JOB_COMPLETION_INDEX)'), {
        env,
      }),
    ).toEqual([0, 1, 2, 3, 4, 5].map((i) => `${mount(i, 'subPathExpr')}: ${LATE}`));
    expect(onAws({ emptyDir: {} }, expressions('$(TEAM)', '$(TEAM)/$(NS)'), { env })).toEqual(
      [0, 1].map((i) => `${mount(i, 'subPathExpr')}: ${NESTED}`),
    );
    expect(onAws({ emptyDir: {} }, expressions('$(UP)/a'), { env })).toEqual([
      `${mount(0, 'subPathExpr')}: Invalid value: "../a": must not contain '..'`,
    ]);
  });
});
