import { describe, expect, test } from 'vitest';
import { admitDocument, admitted, faultLines, jobDocument } from '../../support/job-document.ts';

const AT = 'spec.template.spec.volumes[0]';
const LATER = 'Forbidden: not supported by this version of Muster';
const pod = (source: object, more: object = {}) =>
  jobDocument({}, {}, { volumes: [{ name: 'v', ...source }], ...more });
const faults = (source: object, more: object = {}) => faultLines(admitDocument(pod(source, more)));
const warnings = (source: object) => admitted(pod(source)).warnings;
const shownOf = (source: object) => admitted(pod(source)).manifest.spec.template.spec.volumes?.[0];

const MODE = 'must be a number between 0 and 0777 (octal), both inclusive';
const KEY = /Invalid value: "[^"]+": (a valid config key must consist|must not be '\.\.')/;
const field = (fieldPath: string) => ({ fieldRef: { fieldPath } });

describe('files of keys', () => {
  const sources: readonly [string, (fields: object) => object, string][] = [
    ['configMap', (fields) => ({ configMap: { name: 'c', ...fields } }), 'name'],
    ['secret', (fields) => ({ secret: { secretName: 's', ...fields } }), 'secretName'],
  ];
  test.each(sources)('%s: what is wrong has its path', (source, of, name) => {
    const at = `${AT}.${source}`;
    expect(faults(of({ [name]: undefined }))).toEqual([`${at}.${name}: Required value`]);
    expect(faults(of({ [name]: '../x' }))).toEqual([expect.stringContaining(`${at}.${name}: Invalid value: "../x": `)]);
    expect(faults(of({ defaultMode: 0o1000 }))).toEqual([`${at}.defaultMode: Invalid value: 512: ${MODE}`]);
    expect(faults(of({ defaultMode: -1 }))).toEqual([`${at}.defaultMode: Invalid value: -1: ${MODE}`]);
    expect(faults(of({ items: [{ key: 'k', path: 'p', mode: 999 }, {}, { key: '..', path: 'q' }] }))).toEqual([
      `${at}.items[0].mode: Invalid value: 999: ${MODE}`,
      `${at}.items[1].key: Required value`,
      `${at}.items[1].path: Required value`,
      expect.stringMatching(KEY),
    ]);
  });

  test.each(sources)('%s: is stored with the defaults of Kubernetes', (source, of) => {
    const items = [{ key: 'k', path: 'a/b', mode: 0 }];
    const [written] = Object.values(of({ items, optional: false })) as [object];
    expect(shownOf(of({ items, optional: false }))).toEqual({
      name: 'v',
      [source]: { ...written, defaultMode: 0o644 },
    });
    expect(faults(of({ items: [], defaultMode: 0o777, optional: true }))).toEqual([]);
  });

  test.each<[string, string]>([
    ['/etc/x', 'Invalid value: "/etc/x": must be a relative path'],
    ['a/../b', 'Invalid value: "a/../b": must not contain \'..\''],
    ['..data', 'Invalid value: "..data": must not start with \'..\''],
    ['../x', 'Invalid value: "../x": must not contain \'..\''],
    ...['a\nb', 'a\0b', 'a\tb', 'a\u2028b', ' a', 'a ', 'a/b\u00a0', '.', './'].map((path): [string, string] => [
      path,
      `${LATER}; name a file, without control characters and without blanks at its ends`,
    ]),
  ])('no file has the path %j', (path, fault) => {
    expect(faults({ configMap: { name: 'c', items: [{ key: 'k', path }] } })).toEqual([
      `${AT}.configMap.items[0].path: ${fault}`,
    ]);
    expect(faults({ downwardAPI: { items: [{ path, ...field('metadata.name') }] } })).toEqual([
      `${AT}.downwardAPI.path: ${fault}`,
    ]);
  });

  test.each(['a', 'a b/c d', '-x', '.hidden', "it's", '$x', 'a\\b', '*', 'ä/漢字', 'a..b', 'x/..y'])(
    'but %j is one',
    (path) => {
      expect(faults({ secret: { secretName: 's', items: [{ key: 'k', path }] } })).toEqual([]);
    },
  );
});

describe('files of fields', () => {
  test.each([
    'metadata.name',
    'metadata.namespace',
    'metadata.uid',
    'metadata.labels',
    'metadata.annotations',
    "metadata.labels['app']",
    "metadata.annotations['batch.kubernetes.io/job-completion-index']",
  ])('may show %s', (fieldPath) => {
    expect(shownOf({ downwardAPI: { items: [{ path: 'p', ...field(fieldPath) }] } })).toEqual({
      name: 'v',
      downwardAPI: { items: [{ path: 'p', fieldRef: { apiVersion: 'v1', fieldPath } }], defaultMode: 0o644 },
    });
  });

  const NAMES = '"metadata.annotations", "metadata.labels", "metadata.name", "metadata.namespace", "metadata.uid"';
  test.each<[object, string]>([
    [field('status.podIP'), `.fieldRef.fieldPath: Unsupported value: "status.podIP": supported values: ${NAMES}`],
    [
      field('spec.serviceAccountName'),
      `.fieldRef.fieldPath: Unsupported value: "spec.serviceAccountName": supported values: ${NAMES}`,
    ],
    [{ fieldRef: {} }, '.fieldRef.fieldPath: Required value'],
    [{}, ': Required value: one of fieldRef and resourceFieldRef is required'],
    [
      { ...field('metadata.name'), resourceFieldRef: { containerName: 'main', resource: 'limits.cpu' } },
      ': Invalid value: "resource": fieldRef and resourceFieldRef can not be specified simultaneously',
    ],
    [{ resourceFieldRef: { resource: 'limits.cpu' } }, '.resourceFieldRef.containerName: Required value'],
    [
      { resourceFieldRef: { containerName: 'gone', resource: 'limits.cpu' } },
      '.resourceFieldRef.containerName: Invalid value: "gone": no container has this name',
    ],
    [
      { resourceFieldRef: { containerName: 'main', resource: 'limits.cpu' } },
      `.resourceFieldRef.resource: ${LATER}; set resources.limits.cpu of container "main"`,
    ],
    [{ ...field('metadata.name'), mode: 512 }, `.mode: Invalid value: 512: ${MODE}`],
  ])('%j is refused', (file, fault) => {
    const item = { path: 'p', ...file };
    expect(faults({ downwardAPI: { items: [item] } })).toEqual([`${AT}.downwardAPI${fault}`]);
    expect(faults({ projected: { sources: [{ downwardAPI: { items: [item] } }] } })).toEqual([
      `${AT}.projected.sources[0].downwardAPI${fault}`,
    ]);
  });

  test('all labels are no variable', () => {
    const env = [{ name: 'A', valueFrom: field('metadata.labels') }];
    const [fault] = faultLines(admitDocument(jobDocument({}, {}, { containers: [{ name: 'm', image: 'i', env }] })));
    expect(fault).toMatch(/fieldPath: Unsupported value: "metadata.labels"/);
  });
});

describe('files of several sources', () => {
  const projected = (...sources: object[]) => ({ projected: { sources } });
  const keys = (path: string) => ({ name: 'o', items: [{ key: 'k', path }] });

  test('are in one folder, with the modes of the volume', () => {
    const sources = [{ configMap: keys('a') }, { secret: { name: 's', optional: true } }, { downwardAPI: {} }];
    expect(shownOf(projected(...sources))).toEqual({
      name: 'v',
      projected: { sources: [...sources.slice(0, 2), { downwardAPI: { items: [] } }], defaultMode: 0o644 },
    });
  });

  test.each<[string, object, readonly string[]]>([
    [
      'two keys with one path',
      projected(
        { configMap: keys('a') },
        { secret: keys('a') },
        { downwardAPI: { items: [{ path: 'a', ...field('metadata.uid') }] } },
      ),
      [
        `${AT}.projected: Invalid value: "o": conflicting duplicate paths`,
        `${AT}.projected: Invalid value: "a": conflicting duplicate paths`,
      ],
    ],
    [
      'two in one',
      projected({ configMap: keys('a'), secret: keys('b') }),
      [`${AT}.projected.sources[0]: Forbidden: may not specify more than 1 volume type per source`],
    ],
    ['no name', projected({ secret: {} }), [`${AT}.projected.sources[0].secret.name: Required value`]],
    [
      'a bad path',
      projected({ configMap: keys('/a') }),
      [`${AT}.projected.sources[0].configMap.items[0].path: Invalid value: "/a": must be a relative path`],
    ],
    ['a bad mode', { projected: { defaultMode: 512 } }, [`${AT}.projected.defaultMode: Invalid value: 512: ${MODE}`]],
    [
      'a token without a path, for too short a time, and for whom is too long',
      projected({ serviceAccountToken: { expirationSeconds: 599, audience: 'a'.repeat(1001) } }),
      [
        `${AT}.projected.sources[0].serviceAccountToken.expirationSeconds: Invalid value: 599: may not specify a duration less than 10 minutes`,
        `${AT}.projected.sources[0].serviceAccountToken.path: Required value`,
        `${AT}.projected.sources[0].serviceAccountToken.audience: Invalid value: "${'a'.repeat(100)}": must have 1000 characters at most`,
      ],
    ],
    [
      'a token that is in the way of a key, or leaves its volume',
      projected(
        { configMap: keys('token') },
        { serviceAccountToken: { path: 'token' } },
        { serviceAccountToken: { path: '../t' } },
      ),
      [
        `${AT}.projected: Invalid value: "token": conflicting duplicate paths`,
        `${AT}.projected.sources[2].serviceAccountToken.path: Invalid value: "../t": must not contain '..'`,
      ],
    ],
    [
      'a token on Fargate',
      projected({ serviceAccountToken: { path: 'token' } }),
      [
        `${AT}.projected.sources[0].serviceAccountToken: ${LATER}; leave it out: no token is mounted, and a task has its AWS role`,
      ],
    ],
  ])('%s', (_, source, expected) => {
    expect(faults(source)).toEqual(expected);
  });
});

test('a volume has one source', () => {
  expect(faults({ emptyDir: {}, configMap: { name: 'c' }, secret: {} })).toEqual([
    `${AT}.secret: Forbidden: may not specify more than 1 volume type`,
    `${AT}.configMap: Forbidden: may not specify more than 1 volume type`,
  ]);
});

describe('files that are in the way of others cause the warnings of Kubernetes', () => {
  const items = (...paths: string[]) => paths.map((path) => ({ key: 'k', path }));
  test.each<[string, object, readonly string[]]>([
    ['none', { configMap: { name: 'c', items: items('a', 'b/a', 'ab', 'b/c') } }, []],
    [
      'one path twice, and a file that is a folder',
      { configMap: { name: 'c', items: items('a', 'a/', 'a/b/c', 'd/e/f', 'd') } },
      [
        'volume "v" (ConfigMap "c"): overlapping paths: "a" with "a"',
        'volume "v" (ConfigMap "c"): overlapping paths: "a/b/c" with "a"',
        'volume "v" (ConfigMap "c"): overlapping paths: "d" with "d/e/f"',
      ],
    ],
    [
      'of a Secret',
      { secret: { secretName: 's', items: items('a', 'a') } },
      ['volume "v" (Secret "s"): overlapping paths: "a" with "a"'],
    ],
    [
      'of several sources',
      {
        projected: {
          sources: [
            { configMap: { name: 'c', items: items('a') } },
            { secret: { name: 's', items: items('a/b') } },
            {},
          ],
        },
      },
      [
        'volume "v" (Projected) has no sources provided',
        'volume "v" (Projected): overlapping paths: "a/b" (Secret "s") with "a" (ConfigMap "c")',
      ],
    ],
  ])('%s', (_, source, expected) => {
    expect(warnings(source)).toEqual(expected);
  });

  test('in no more time than the file takes to read', () => {
    const many = items(...Array.from({ length: 4000 }, (_, i) => `d/${i}`), 'a/'.repeat(20_000), '/'.repeat(50_000));
    expect(faults({ configMap: { name: 'c', items: many } })).toEqual([
      expect.stringMatching(/items\[4001\]\.path: .*must be a relative path$/),
    ]);
  });
});

describe('what writes the files', () => {
  const FILES = { configMap: { name: 'c' } };
  const containers = (...names: string[]) => names.map((name) => ({ name, image: 'i' }));

  test('is a container of a name that no other may have', () => {
    const main = containers('muster-files');
    expect(faults(FILES, { containers: main })).toEqual([
      `spec.template.spec.containers[0].name: ${LATER}; use another name: a container of this name writes the files of volumes`,
    ]);
    expect(faults({ emptyDir: {} }, { containers: main })).toEqual([]);
  });

  test('is one of the ten containers of a task', () => {
    const ten = containers(...Array.from({ length: 10 }, (_, i) => `c${i}`));
    expect(faults({ emptyDir: {} }, { containers: ten })).toEqual([]);
    expect(faults(FILES, { containers: ten })).toEqual([
      'spec.template.spec.containers: Too many: 11: must have at most 10 items',
    ]);
    expect(faults(FILES, { containers: ten.slice(1) })).toEqual([]);
  });
});
