import { describe, expect, test } from 'vitest';
import { admitDocument, admitted, faultLines, jobDocument } from '../../support/job-document.ts';

const MAIN = 'spec.template.spec.containers[0]';
const LATER = 'Forbidden: not supported by this version of Muster';
const pod = (main: object) => jobDocument({}, {}, { containers: [{ name: 'main', image: 'i', ...main }] });
const faults = (main: object) => faultLines(admitDocument(pod(main)));
const CONFIG = { configMapRef: { name: 'c' } };
const SECRET = { secretRef: { name: 's' } };

test('whole objects become variables', () => {
  const envFrom = [
    { ...CONFIG, prefix: '' },
    { prefix: 'DB_', secretRef: { name: 's', optional: true } },
    { configMapRef: { name: 'd', optional: false } },
  ];
  expect(admitted(pod({ envFrom })).manifest.spec.template.spec.containers[0]?.envFrom).toEqual([
    CONFIG,
    ...envFrom.slice(1),
  ]);
});

test.each<[string, object, readonly string[]]>([
  ['nothing', {}, [`${MAIN}.envFrom: Invalid value: "": must specify one of: \`configMapRef\` or \`secretRef\``]],
  [
    'both',
    { ...CONFIG, ...SECRET },
    [`${MAIN}.envFrom: Invalid value: "": may not have more than one field specified at a time`],
  ],
  ['no name', { secretRef: {} }, [`${MAIN}.envFrom[0].secretRef.name: Required value`]],
  [
    'a name that leads elsewhere',
    { configMapRef: { name: '../c' } },
    [expect.stringMatching(/envFrom\[0\]\.configMapRef\.name: Invalid value: "\.\.\/c"/) as string],
  ],
  [
    'a prefix that no name has',
    { ...CONFIG, prefix: 'A=' },
    [
      `${MAIN}.envFrom[0].prefix: Invalid value: "A=": a valid environment variable name must consist only of printable ASCII characters other than '='`,
    ],
  ],
  [
    'a prefix of ours',
    { ...CONFIG, prefix: 'MUSTER_' },
    [`${MAIN}.envFrom[0].prefix: ${LATER}; use another name: names that begin with MUSTER_ are reserved for Muster`],
  ],
])('%s', (_, source, expected) => {
  expect(faults({ envFrom: [source] })).toEqual(expected);
});

describe('in a word', () => {
  const refusal = (path: string, name: string) =>
    `${MAIN}.${path}: ${LATER}; let a shell read it (sh -c '… "$${name}"'): only ECS knows the value of ${name}`;
  const prefixed = (source: object) => ({ ...source, prefix: 'DB_' });

  test('a variable of a ConfigMap may be used', () => {
    const env = [
      { name: 'HOST', valueFrom: { configMapKeyRef: { name: 'c', key: 'host', optional: true } } },
      { name: 'URL', value: 'http://$(HOST)/$(DB_NAME)' },
    ];
    expect(faults({ env, envFrom: [prefixed(CONFIG)], command: ['get', '$(URL)', '$(HOST)', '$(DB_NAME)'] })).toEqual(
      [],
    );
  });

  test('a variable of a Secret may not, if its prefix says that it is one', () => {
    expect(
      faults({ envFrom: [prefixed(SECRET)], env: [{ name: 'A', value: '$(DB_KEY)' }], args: ['$(DB_KEY)'] }),
    ).toEqual([refusal('args[0]', 'DB_KEY'), refusal('env[0].value', 'DB_KEY')]);
  });

  test.each<[string, object]>([
    [
      'it has a value of its own',
      { envFrom: [prefixed(SECRET)], env: [{ name: 'DB_KEY', value: 'x' }], args: ['$(DB_KEY)'] },
    ],
    ['it may be of a ConfigMap', { envFrom: [prefixed(SECRET), CONFIG], args: ['$(DB_KEY)'] }],
    ['it may be what a shell runs', { envFrom: [SECRET], args: ['$(date)'] }],
    ['it is the prefix', { envFrom: [prefixed(SECRET)], args: ['$(DB_)'] }],
    ['Muster sets it', { envFrom: [{ ...SECRET, prefix: 'JOB_' }], args: ['$(JOB_COMPLETION_INDEX)'] }],
  ])('but is not refused where %s', (_, main) => {
    expect(faults(main)).toEqual([]);
  });
});
