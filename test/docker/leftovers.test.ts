import { expect, test } from 'vitest';
import { type ListedContainer, leftoversIn } from '../../local/docker/leftovers.ts';

const [OURS, OTHER] = ['0123456789ab', 'ba9876543210'];
const FOLDER = '/home/kim/.muster';
const of = (installation: string, name: string, more: Record<string, string> = {}): ListedContainer => ({
  name,
  labels: { 'muster.run/installation': installation, ...more },
});
const keeper = (machine = 'here', folder = FOLDER) =>
  of(OTHER, 'muster-keeper', { 'muster.run/folder': folder, 'muster.run/machine': machine });
const find = (listed: readonly ListedContainer[], installed = false) =>
  leftoversIn(listed, {
    installation: OURS,
    machine: 'here',
    isNeeded: (name) => name === 'needed',
    isInstalled: (folder, installation) => installed && folder === FOLDER && installation === OTHER,
  });

test('of this installation: what nobody needs', () => {
  expect(find([of(OURS, 'needed')])).toEqual([]);
  expect(find([of(OURS, 'a'), of(OURS, 'needed'), of(OURS, 'b')])).toEqual([
    { installation: OURS, goneFolder: null, containers: ['a', 'b'] },
  ]);
});

test('of another one: everything, if its folder is gone from this machine', () => {
  const listed = [of(OTHER, 'task'), keeper()];
  expect(find(listed)).toEqual([{ installation: OTHER, goneFolder: FOLDER, containers: ['task', 'muster-keeper'] }]);
  expect(find(listed, true)).toEqual([]);
});

test('what belongs to another machine, to nobody known, or to a name that is none of ours, is left alone', () => {
  expect(find([of(OTHER, 'task'), keeper('there')])).toEqual([]);
  expect(find([of(OTHER, 'task')])).toEqual([]);
  const hostile = { 'muster.run/folder': '/gone', 'muster.run/machine': 'here' };
  expect(find([of('x; rm -rf ~', 'task', hostile)])).toEqual([]);
});
