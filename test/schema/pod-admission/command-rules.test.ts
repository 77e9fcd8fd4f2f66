import { expect, test } from 'vitest';
import { shellVariableWarnings } from '../../../shared/schema/pod-admission/command-rules.ts';
import { admitted, jobDocument } from '../../support/job-document.ts';

const warningsOf = (command: string[] | undefined, args?: string[], env?: { name: string }[]): readonly string[] =>
  admitted(jobDocument({}, {}, { containers: [{ name: 'main', image: 'busybox', command, args, env }] })).warnings;

const AT = 'spec.template.spec.containers[0]';
const said = (at: string, written: string, name: string): string =>
  `${AT}.${at}: no shell runs here, so the program gets "${written}" unchanged; write $(${name})`;

test.each<[string, string[] | undefined, string[] | undefined, readonly string[]]>([
  [
    'alone',
    ['render', '$JOB_COMPLETION_INDEX'],
    [],
    [said('command[1]', '$JOB_COMPLETION_INDEX', 'JOB_COMPLETION_INDEX')],
  ],
  [
    'in braces, within a word of args',
    ['render'],
    ['--out=${JOB_COMPLETION_INDEX}.png'],
    [said('args[0]', '${JOB_COMPLETION_INDEX}', 'JOB_COMPLETION_INDEX')],
  ],
  ['of the container', ['render', '$SCENE'], [], [said('command[1]', '$SCENE', 'SCENE')]],
  ['as Kubernetes writes it', ['render', '$(JOB_COMPLETION_INDEX)'], [], []],
  ['another one', ['render', '$HOME', '$JOB_COMPLETION_INDEXES'], [], []],
  ['for a shell', ['/bin/bash', '-c', 'exec render "$JOB_COMPLETION_INDEX"', '$JOB_COMPLETION_INDEX'], [], []],
  ['for a shell behind another program', ['env', 'sh', '-c'], ['$SCENE'], []],
  ['in a program text', ['perl', '-e', 'my $SCENE = 1;'], [], []],
  ['for whatever the image starts', undefined, ['$JOB_COMPLETION_INDEX'], []],
])('a variable written as a shell reads it, %s', (_, command, args, expected) => {
  expect(warningsOf(command, args, [{ name: 'SCENE' }])).toEqual(expected);
});

test('columns of a work list are variables, too', () => {
  const containers = [{ name: 'main', image: 'busybox', command: ['render', '$SCENE', '$OTHER'] }];
  const annotations = { 'muster.run/items': 'SCENE\na\nb\n' };
  const { warnings } = admitted(jobDocument({ completionMode: 'Indexed' }, { annotations }, { containers }));
  expect(warnings).toEqual([said('command[1]', '$SCENE', 'SCENE')]);
});

test('init containers have it, too', () => {
  const words = { command: ['wait-for', '$JOB_COMPLETION_INDEX'] };
  expect(shellVariableWarnings('spec.initContainers[0]', words as never)).toHaveLength(1);
});

test('a mount that a process does not find is warned about, unless the program asks where its volume is', () => {
  const volumeMounts = [{ name: 'in-put', mountPath: '/input' }];
  const pod = (command: string[]) => ({
    containers: [{ name: 'main', image: 'busybox', command, volumeMounts }],
    volumes: [{ name: 'in-put', emptyDir: {} }],
  });
  const warnings = (command: string[]) => admitted(jobDocument({}, {}, pod(command)), { needsCommand: true }).warnings;
  expect(warnings(['cat', '/input/data'])).toEqual([
    `${AT}.volumeMounts[0].mountPath: tasks are processes of this machine, for which no /input is made: $MUSTER_VOLUME_IN_PUT says where the volume is; muster local --driver docker mounts it`,
  ]);
  expect(warnings(['sh', '-c', 'cat "$MUSTER_VOLUME_IN_PUT/data"'])).toEqual([]);
});

test('what is mounted where it is on this machine is found by processes', () => {
  const warnings = (mountPath: string) => {
    const containers = [{ name: 'main', image: 'busybox', command: ['ls'], volumeMounts: [{ name: 'in', mountPath }] }];
    const volumes = [{ name: 'in', hostPath: { path: '/srv/in/' } }];
    const document = jobDocument({}, {}, { containers, volumes });
    return admitted(document, { needsCommand: true, hostFolders: ['/srv'] }).warnings;
  };
  expect(warnings('/srv/in')).toEqual([]);
  expect(warnings('/in')).toHaveLength(1);
});
