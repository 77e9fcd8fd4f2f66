import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openVolumeFolders } from '../../local/index.ts';

const OWNER = { namespace: 'default', name: 'data', uid: '0f9c1f0e-3d3b-4f0a-9a59-0a4f6f1f7c11' };

function openFolders() {
  const data = mkdtempSync(join(tmpdir(), 'muster-volumes-'));
  onTestFinished(() => rmSync(data, { recursive: true, force: true }));
  const { volumeFolders } = openVolumeFolders(data);
  if (volumeFolders === undefined) throw new Error('no folders');
  return { data, folders: volumeFolders };
}

test('a folder is made for a claim, for its owner alone, and removed with all that is in it', async () => {
  const { data, folders } = openFolders();
  const path = join(data, 'volumes', 'default', `data-${OWNER.uid}`);
  expect(folders.root).toBe(join(data, 'volumes'));
  await folders.make(OWNER);
  writeFileSync(join(path, 'a'), 'kept');
  await folders.make(OWNER);
  expect([statSync(path).mode & 0o777, readdirSync(path)]).toEqual([0o777, ['a']]);
  mkdirSync(join(path, 'deep'));
  await folders.remove(OWNER);
  await folders.remove(OWNER);
  expect(readdirSync(join(data, 'volumes', 'default'))).toEqual([]);
});

test.each([{ namespace: '..' }, { name: '../../x' }, { uid: 'a/b' }, { name: '' }])(
  'no name leads out of the folder: %j',
  async (part) => {
    const { folders } = openFolders();
    await expect(folders.make({ ...OWNER, ...part })).rejects.toThrow('names that are no paths');
    await expect(folders.remove({ ...OWNER, ...part })).rejects.toThrow('names that are no paths');
  },
);
