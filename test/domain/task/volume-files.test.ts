import { expect, test } from 'vitest';
import type { Volume } from '../../../shared/domain/manifests/pod-spec.ts';
import { overridesOf, overridesRequest } from '../../../shared/domain/task/launch-overrides.ts';
import { taskDefinitionOf } from '../../../shared/domain/task/pod-template.ts';
import { FILES_CONTAINER, fileVariable } from '../../../shared/domain/task/task.ts';
import { volumeFiles } from '../../../shared/domain/task/volumes/volume-files.ts';
import { aConfigMap, aPodOf, anAttempt, aSecret, sourcesOf } from './a-pod.ts';

const text = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);

/** Each file in a line. */
const filesOf = (volumes: readonly Volume[], given: Parameters<typeof sourcesOf>[0] = {}) =>
  volumeFiles(aPodOf({ volumes }), sourcesOf(given)).map(({ volume, path, mode, content }) => {
    const what =
      content.kind === 'known'
        ? text(content.bytes)
        : content.kind === 'late'
          ? content.text
          : content.kind === 'token'
            ? 'token'
            : `secret ${content.from.name}/${content.from.key} ${content.from.object?.form ?? ''}`;
    return [`${volume}/${path}`, mode.toString(8), what];
  });

const INDEX: Volume = {
  name: 'pod',
  downwardAPI: {
    items: [
      { path: 'index', fieldRef: { fieldPath: "metadata.annotations['batch.kubernetes.io/job-completion-index']" } },
    ],
  },
};

test('the index in a file (KEP-2214)', () => {
  expect(filesOf([INDEX])).toEqual([['pod/index', '644', [{ field: 'completionIndex' }]]]);
});

test('keys become files, all of them or those that are named, with their modes', () => {
  const given = {
    configMaps: { c: aConfigMap({ b: '2', a: '1' }) },
    secrets: { s: aSecret({ k: 'text', d: 'base64' }) },
  };
  expect(filesOf([{ name: 'v', configMap: { name: 'c' } }], given)).toEqual([
    ['v/a', '644', '1'],
    ['v/b', '644', '2'],
  ]);
  const items = [{ key: 'b', path: './deep//er/file', mode: 0o755 }];
  expect(filesOf([{ name: 'v', configMap: { name: 'c', items, defaultMode: 0o400 } }], given)).toEqual([
    ['v/deep/er/file', '755', '2'],
  ]);
  expect(filesOf([{ name: 'v', secret: { secretName: 's', defaultMode: 0o400 } }], given)).toEqual([
    ['v/d', '400', 'secret s/d base64'],
    ['v/k', '400', 'secret s/k text'],
  ]);
});

test('a projected volume has the files of all its sources, a later one at the same path', () => {
  const given = { configMaps: { c: aConfigMap({ a: 'c', b: 'c' }), d: aConfigMap({ a: 'd' }) } };
  const sources = [{ configMap: { name: 'c' } }, { configMap: { name: 'd' } }];
  expect(filesOf([{ name: 'v', projected: { sources, defaultMode: 0o444 } }], given)).toEqual([
    ['v/b', '444', 'c'],
    ['v/a', '444', 'd'],
  ]);
});

test('all labels are lines, quoted as in a cluster', () => {
  const labels: Volume = {
    name: 'pod',
    downwardAPI: { items: [{ path: 'labels', fieldRef: { fieldPath: 'metadata.labels' } }] },
  };
  const [[, , lines] = []] = filesOf([labels]);
  expect(lines).toEqual([
    'app="a\\"b"\nbatch.kubernetes.io/controller-uid="',
    { field: 'label', key: 'batch.kubernetes.io/controller-uid' },
    '"\nbatch.kubernetes.io/job-completion-index="',
    { field: 'completionIndex' },
    '"\nbatch.kubernetes.io/job-name="',
    { field: 'label', key: 'batch.kubernetes.io/job-name' },
    '"\ncontroller-uid="',
    { field: 'label', key: 'controller-uid' },
    '"\njob-name="',
    { field: 'label', key: 'job-name' },
    '"',
  ]);
});

test('what says something of the attempt has the same place whatever a ConfigMap has', () => {
  const volumes: readonly Volume[] = [{ name: 'v', configMap: { name: 'c' } }, INDEX];
  const overrides = overridesOf(aPodOf({ volumes }), anAttempt);
  expect(overrides.find(({ name }) => name === FILES_CONTAINER)).toEqual({
    name: FILES_CONTAINER,
    env: [{ name: fileVariable(0), value: '7' }],
    command: null,
  });
  for (const keys of [{}, { a: '1', b: '2' }]) {
    const sources = sourcesOf({ configMaps: { c: aConfigMap(keys) } });
    const { files = [] } = taskDefinitionOf(aPodOf({ volumes }), { hash: (all) => all, sources });
    expect(files[0]).toEqual({ volume: 'pod', path: 'index', mode: 0o644, content: { kind: 'late' } });
    expect(files).toHaveLength(1 + Object.keys(keys).length);
  }
});

test('the container that writes files gets nothing but files', () => {
  const env = [{ name: 'MUSTER_JOB_NAME', value: 'sums' }];
  const own = [{ name: FILES_CONTAINER, env: [{ name: 'MUSTER_FILE_0', value: '7' }], command: null }];
  expect(overridesRequest(['main', FILES_CONTAINER], env, own, null).containerOverrides).toEqual([
    { name: 'main', environment: env },
    { name: FILES_CONTAINER, environment: [{ name: 'MUSTER_FILE_0', value: '7' }] },
  ]);
  expect(overridesRequest(['main', FILES_CONTAINER], env, [], null).containerOverrides).toEqual([
    { name: 'main', environment: env },
  ]);
});

test('a definition has another family when a source has changed, and never what a Secret says', () => {
  const volumes: readonly Volume[] = [{ name: 'v', secret: { secretName: 's' } }];
  const familyAt = (version: string): string =>
    taskDefinitionOf(aPodOf({ volumes }), {
      hash: (all) => all,
      sources: sourcesOf({ secrets: { s: aSecret({ k: 'text' }, version) } }),
    }).family;
  expect(familyAt('s-1')).not.toBe(familyAt('s-2'));
  expect(familyAt('s-1')).toBe(familyAt('s-1'));
});
