import { statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { contentsOf, writeContents } from '../../../local/ecs/driver/file-writer.ts';
import { groupsIn } from '../../../local/ecs/driver/files-driver.ts';
import { groupHere } from '../../../local/ecs/driver/group-here.ts';
import { aTemporaryFolder } from '../../support/a-temporary-folder.ts';

const kim = { uid: 1000, gid: 100, groups: [100, 27] };

test.each([
  ['root gives to any group', 2000, { uid: 0, gid: 0, groups: [] }, 2000],
  ['a user to their own', 100, kim, 100],
  ['and to another of theirs', 27, kim, 27],
  ['but to none that is not', 2000, kim, 100],
])('%s', (_, wanted, giver, group) => {
  expect(groupHere(wanted, giver)).toBe(group);
});

const first = (value: string) => ({
  name: 'muster-files',
  image: 'i',
  environment: [{ name: 'MUSTER_FOLDERS', value }],
});
const main = (groups: string) => ({ name: 'main', image: 'i', dockerLabels: { 'muster.run/groups': groups } });

test('programs are in the groups of their Pod, and in those that its folders have here', () => {
  const definition = { containerDefinitions: [first('2000 2777 a\n2000 2755 b'), main('2000,4000')] };
  expect(groupsIn(main('2000,4000'), definition)).toEqual([...new Set([2000, 4000, groupHere(2000)])]);
  expect(groupsIn(main('4000'), { containerDefinitions: [main('4000')] })).toEqual([4000]);
  expect(groupsIn({ name: 'main', image: 'i' }, definition)).toEqual([]);
});

test('a folder has its group and its mode, also one that was there, whatever the umask is', () => {
  const dir = join(aTemporaryFolder('muster-group-'), 'volumes');
  const group = groupHere(2000);
  const write = (mode: string, mounted: readonly string[] = ['data']) => {
    const wanted = contentsOf(new Map([['MUSTER_FOLDERS', `${group} ${mode} data`]]), new Set(mounted));
    return wanted.kind === 'contents' ? writeContents(wanted, dir) : wanted;
  };
  for (const mode of ['2755', '2777', '2777']) {
    expect(write(mode)).toEqual({ kind: 'written' });
    const { gid, mode: is } = statSync(join(dir, 'data'));
    expect([gid, (is & 0o7777).toString(8)]).toEqual([group, mode]);
  }
  expect(write('2777', [])).toEqual({ kind: 'faulty', why: 'cannot write data: its volume is not mounted' });
  expect(write('rwx')).toEqual({ kind: 'faulty', why: 'MUSTER_FOLDERS is no list of folders' });
});
