import { chmodSync, mkdirSync, readdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { aTemporaryFolder } from '../../support/a-temporary-folder.ts';
import type { ContainerRun } from '../../../local/ecs/driver/driver.ts';
import { mountPlaces, volumesInParts } from '../../../local/ecs/driver/mount-places.ts';
import type { TaskRecord } from '../../../local/ecs/task-record.ts';

let root: string;
let volume: string;
beforeEach(() => {
  root = aTemporaryFolder('muster-mounts-');
  volume = join(root, 'volumes', 'data');
});

const aRun = (dockerLabels: Readonly<Record<string, string>>, volumes: readonly string[] = ['data']): ContainerRun => ({
  task: {
    overrides: { containerOverrides: [{ name: 'main', environment: [{ name: 'POD', value: 'a-0' }] }] },
  } as TaskRecord,
  container: {
    name: 'main',
    image: 'i',
    environment: [{ name: 'KIND', value: 'logs' }],
    mountPoints: volumes.map((sourceVolume, n) => ({ sourceVolume, containerPath: `/m${n}` })),
    dockerLabels,
  },
});
const places = (run: ContainerRun, hostPaths: ReadonlyMap<string, string> = new Map()) =>
  mountPlaces(run, { hostPaths, dir: join(root, 'volumes'), isFolder: (name) => name !== 'engine', mode: 0o750 });
const inPart = (part: string) => {
  const found = places(aRun({ 'muster.run/sub-path-0': part }));
  return found.kind === 'found' ? found.places[0] : found.reason.slice(found.reason.lastIndexOf('": ') + 3);
};

test('a volume is a folder, a path of this machine, or the engine’s', () => {
  expect(places(aRun({}, ['data', 'in', 'engine', 'data']), new Map([['in', '/srv/in']]))).toEqual({
    kind: 'found',
    places: [volume, '/srv/in', null, volume],
  });
  expect(statSync(volume).mode & 0o777).toBe(0o750);
});

test('a part of a volume is a folder or a file in it; what is not there becomes a folder like the volume', () => {
  mkdirSync(volume, { recursive: true });
  chmodSync(volume, 0o711);
  writeFileSync(join(volume, 'file'), '');
  expect(inPart('file')).toBe(join(volume, 'file'));
  expect(inPart('new/deep')).toBe(join(volume, 'new/deep'));
  expect(['new', 'new/deep'].map((path) => (statSync(join(volume, path)).mode & 0o777).toString(8))).toEqual([
    '711',
    '711',
  ]);
  expect(inPart('.')).toBe(volume);
});

test('variables of a part are filled in when its container starts', () => {
  expect(places(aRun({ 'muster.run/sub-path-expr-0': '$(KIND)/$(POD)' }))).toEqual({
    kind: 'found',
    places: [join(volume, 'logs/a-0')],
  });
  // Without that, a dollar is one.
  expect(inPart('$(POD)')).toBe(join(volume, '$(POD)'));
});

describe('nobody gets out of a volume', () => {
  const AWAY = /^subPath .* leads out of the volume$/;

  test.each(['..', 'a/../..', '/etc', '../data', 'a/..'])('by the words %s', (part) => {
    expect(inPart(part)).toMatch(AWAY);
    expect(readdirSync(volume)).toEqual([]);
  });

  test('by a link', () => {
    mkdirSync(join(root, 'outside'));
    mkdirSync(join(volume, 'inside'), { recursive: true });
    symlinkSync('../../outside', join(volume, 'link'));
    symlinkSync('../../outside/none', join(volume, 'dangling'));
    symlinkSync('inside', join(volume, 'good'));
    expect(inPart('link')).toMatch(AWAY);
    expect(inPart('link/new')).toMatch(AWAY);
    expect(inPart('dangling')).toBe('/dangling is a link to nothing');
    expect(inPart('good/new')).toBe(join(volume, 'inside/new'));
    expect(readdirSync(join(root, 'outside'))).toEqual([]);
  });

  test('by variables', () => {
    const run = aRun({ 'muster.run/sub-path-expr-0': '$(UP)/etc' });
    const up = { ...run, container: { ...run.container, environment: [{ name: 'UP', value: '../..' }] } };
    expect(places(up)).toEqual({
      kind: 'refused',
      reason:
        'CannotStartContainerError: failed to prepare subPath for volumeMount "data" of container "main": subPath "../../etc" leads out of the volume',
    });
  });
});

test('volumes that some container mounts a part of are known', () => {
  const { container } = aRun({ 'muster.run/sub-path-1': 'x' }, ['a', 'b']);
  const other = aRun({ 'muster.run/sub-path-expr-0': 'x' }, ['c', 'd']).container;
  expect(volumesInParts({ containerDefinitions: [container, other] })).toEqual(['b', 'c']);
});
