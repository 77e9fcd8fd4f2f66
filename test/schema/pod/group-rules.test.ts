import { describe, expect, test } from 'vitest';
import { admitDocument, admitted, faultLines, jobDocument } from '../../support/job-document.ts';

const SPEC = 'spec.template.spec';
const LATER = 'Forbidden: not supported by this version of Muster';
const KEY = { name: 'key', secret: { secretName: 's', defaultMode: 0o400 } };
const OPEN = { name: 'key', secret: { secretName: 's' } };
const EMPTY = { name: 'key', emptyDir: {} };
const container = (name: string, securityContext?: object) => ({
  name,
  image: 'i',
  command: ['true'],
  volumeMounts: [{ name: 'key', mountPath: '/key' }],
  ...(securityContext === undefined ? {} : { securityContext }),
});
const pod = (securityContext: object, volume: object, ...containers: readonly object[]) =>
  jobDocument({}, {}, { securityContext, volumes: [volume], containers });

/** Faults on Fargate, in containers of this machine, and for its processes. */
const faults = (document: object) =>
  [{}, { hostFolders: [] }, { hostFolders: [], needsCommand: true }].map((place) =>
    faultLines(admitDocument(document, place)),
  );
const ONE_GROUP = `${SPEC}.securityContext.fsGroup: ${LATER}; give all containers that mount volume "key" one runAsGroup, or let all users read its files (mode 0444): on Fargate a program has one group`;
const more = (i: number) =>
  `${SPEC}.securityContext.supplementalGroups[${i}]: ${LATER}; set runAsGroup: on Fargate a program has one group`;

describe('a program has one group on Fargate, and all of its groups on this machine', () => {
  const PAGE = { runAsUser: 1000, runAsGroup: 3000, fsGroup: 2000 };
  test.each<[string, object, object, readonly object[], readonly string[]]>([
    ['the example of Kubernetes', PAGE, EMPTY, [container('a')], []],
    ['with files of the group', PAGE, KEY, [container('a')], []],
    [
      'an empty folder for users of two groups',
      PAGE,
      EMPTY,
      [container('a'), container('b', { runAsUser: 5, runAsGroup: 5 })],
      [],
    ],
    ['files for users of two groups', PAGE, KEY, [container('a'), container('b', { runAsGroup: 5 })], [ONE_GROUP]],
    ['one of them root', PAGE, KEY, [container('a'), container('b', { runAsUser: 0, runAsGroup: 5 })], []],
    ['files that all may read', PAGE, OPEN, [container('a'), container('b', { runAsGroup: 5 })], []],
    [
      'two groups, of which nobody reads as fsGroup',
      { runAsUser: 5 },
      KEY,
      [container('a', { runAsGroup: 1 }), container('b', { runAsGroup: 2 })],
      [],
    ],
    ['another group', { runAsUser: 5, supplementalGroups: [6, 7] }, EMPTY, [container('a')], [more(0), more(1)]],
    [
      'another group that is its own',
      { runAsUser: 5, runAsGroup: 6, supplementalGroups: [6] },
      EMPTY,
      [container('a')],
      [],
    ],
    ['another group of root', { runAsUser: 0, supplementalGroups: [6] }, EMPTY, [container('a')], []],
    ['another group of the image’s user', { supplementalGroups: [6] }, EMPTY, [container('a')], [more(0)]],
    [
      'another group that is fsGroup',
      { runAsUser: 5, fsGroup: 6, supplementalGroups: [6] },
      EMPTY,
      [container('a')],
      [],
    ],
    ['no other group', { supplementalGroups: [] }, EMPTY, [container('a')], []],
  ])('%s', (_, securityContext, volume, containers, onFargate) => {
    expect(faults(pod(securityContext, volume, ...containers))).toEqual([onFargate, [], []]);
  });
});

test('ids have limits everywhere', () => {
  const wrong = pod({ fsGroup: -1, supplementalGroups: [1, 2 ** 31] }, EMPTY, container('a'));
  const range = 'must be between 0 and 2147483647, inclusive';
  const lines = [
    `${SPEC}.securityContext.fsGroup: Invalid value: -1: ${range}`,
    `${SPEC}.securityContext.supplementalGroups[1]: Invalid value: 2147483648: ${range}`,
  ];
  expect(faults(wrong)).toEqual([lines, lines, lines]);
});

test('groups are stored and shown as they were written', () => {
  const securityContext = { runAsUser: 0, fsGroup: 0, supplementalGroups: [4, 0] };
  expect(admitted(pod(securityContext, EMPTY, container('a'))).manifest.spec.template.spec).toMatchObject({
    securityContext,
  });
});

describe('warnings', () => {
  const warnings = (securityContext: object, volume: object, ...containers: readonly object[]) =>
    admitted(pod(securityContext, volume, ...containers)).warnings;

  test('a user who writes to an empty folder needs an fsGroup', () => {
    const line = `${SPEC}.containers[0].volumeMounts: a volume on Fargate belongs to root; user 5 may write to it if the Pod has an fsGroup, or the image has the folder, owned by that user, as a VOLUME`;
    expect(warnings({ runAsUser: 5 }, EMPTY, container('a'))).toEqual([line]);
    expect(warnings({ runAsUser: 5, fsGroup: 7 }, EMPTY, container('a'))).toEqual([]);
  });

  test('the user of an image is in no group', () => {
    const line = `${SPEC}.containers[0].volumeMounts: on Fargate the user of the image reads files of volume "key" only if it is root, or in group 7: set runAsUser`;
    expect(warnings({ fsGroup: 7 }, KEY, container('a'), container('b', { runAsUser: 5 })).slice(1)).toEqual([line]);
    for (const [context, volume] of [
      [{ fsGroup: 7 }, OPEN],
      [{ fsGroup: 7, runAsUser: 5 }, KEY],
      [{}, KEY],
    ] as const)
      expect(warnings(context, volume, container('a'))).toEqual([]);
  });
});

test('what gives volumes to their group is one of the ten containers of a task', () => {
  const ten = Array.from({ length: 10 }, (_, i) => container(`c${i}`));
  const many = `${SPEC}.containers: Too many: 11: must have at most 10 items`;
  expect(faultLines(admitDocument(pod({ fsGroup: 7 }, EMPTY, ...ten)))).toEqual([many]);
  expect(faultLines(admitDocument(pod({}, EMPTY, ...ten)))).toEqual([]);
  const named = pod({ fsGroup: 7 }, EMPTY, container('muster-files'));
  expect(faultLines(admitDocument(named))).toEqual([expect.stringContaining('use another name')]);
});
