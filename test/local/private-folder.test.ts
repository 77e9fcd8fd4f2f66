import { chmodSync, chownSync, mkdirSync, readdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { aTemporaryFolder } from '../support/a-temporary-folder.ts';
import {
  type FolderFacts,
  type StepFacts,
  checkFolder,
  openPrivateFolder,
  whyNotTrusted,
} from '../../local/private-folder.ts';

const ME = 1000;
const MINE: FolderFacts = { linkOwner: null, owner: ME, mode: 0o700, holds: ['lock', 'ecs'] };

const aFolder = (): string => aTemporaryFolder('muster-private-');

describe('a data folder is taken or refused by its owner, its rights and what it holds', () => {
  test.each<[string, Partial<FolderFacts>, 'fine' | 'tighten' | RegExp]>([
    ['mine alone', {}, 'fine'],
    ['read-only for me', { mode: 0o500 }, 'fine'],
    ['empty, for all to write', { mode: 0o777, holds: [] }, 'tighten'],
    ['of Muster, for all to read', { mode: 0o755 }, 'tighten'],
    ['of Muster, for the group to enter', { mode: 0o710 }, 'tighten'],
    ['of Muster, for the group to write', { mode: 0o770 }, /others can write there \(mode 0770\)/],
    ['of something else, for all to read', { mode: 0o755, holds: ['thesis.tex'] }, /others can read it \(mode 0755\)/],
    ['somebody else’s', { owner: 1001 }, /belongs to another user \(uid 1001\)/],
    ['root’s', { owner: 0 }, /belongs to another user \(uid 0\)/],
    ['behind a link of mine', { linkOwner: ME }, 'fine'],
    ['behind a link of root', { linkOwner: 0 }, 'fine'],
    ['behind a link of somebody else', { linkOwner: 1001 }, /is a link of another user \(uid 1001\)/],
  ])('%s', (_, facts, expected) => {
    const verdict = checkFolder({ ...MINE, ...facts }, ME);
    expect(verdict.kind === 'refuse' ? verdict.why : verdict.kind).toMatch(expected);
  });
});

describe('what leads to a data folder is trusted by its owner and its rights', () => {
  const step: StepFacts = { isLink: false, owner: ME, mode: 0o755, isGroupPrivate: false };
  test.each<[string, Partial<StepFacts>, RegExp | null]>([
    ['mine', {}, null],
    ['root’s', { owner: 0 }, null],
    ['somebody else’s', { owner: 1001, mode: 0o700 }, /^belongs to another user \(uid 1001\)$/],
    ['for all to write', { mode: 0o777 }, /^can be written by others \(mode 0777;/],
    ['for the group to write', { mode: 0o775 }, /^can be written by others \(mode 0775;/],
    ['for a group of mine alone', { mode: 0o775, isGroupPrivate: true }, null],
    ['for all to write, of a group of mine alone', { mode: 0o777, isGroupPrivate: true }, /by others/],
    ['as /tmp', { owner: 0, mode: 0o1777 }, null],
    ['as /tmp, somebody else’s', { owner: 1001, mode: 0o1777 }, /another user/],
    ['a link of mine', { isLink: true, mode: 0o777 }, null],
    ['a link of somebody else', { isLink: true, mode: 0o777, owner: 1001 }, /another user/],
  ])('%s', (_, facts, expected) => {
    const why = whyNotTrusted({ ...step, ...facts }, ME);
    expect(why ?? 'trusted').toMatch(expected ?? /^trusted$/);
  });
});

describe('openPrivateFolder', () => {
  test('refuses a folder below one that others can write, also behind links, and makes nothing there', () => {
    const dir = aFolder();
    const [open, link] = [join(dir, 'open'), join(dir, 'link')];
    mkdirSync(open);
    chmodSync(open, 0o777);
    symlinkSync('open', link);
    for (const inner of [join(open, 'inner'), join(link, 'a', 'inner')]) {
      const folder = openPrivateFolder(inner, () => undefined);
      expect(folder).toMatchObject({ kind: 'refused' });
      expect(folder.kind === 'refused' && folder.reason).toContain(
        `${open}, which it lies in, can be written by others`,
      );
    }
    expect(readdirSync(open)).toEqual([]);
    chmodSync(open, 0o1777);
    expect(openPrivateFolder(join(link, 'inner'), () => undefined)).toEqual({
      kind: 'folder',
      path: join(open, 'inner'),
    });
  });

  test.runIf(process.getuid?.() === 0)('refuses a folder below one of another user', () => {
    const dir = aFolder();
    chownSync(dir, 12_345, 12_345);
    const folder = openPrivateFolder(join(dir, 'inner'), () => undefined);
    expect(folder).toMatchObject({ kind: 'refused', reason: expect.stringContaining('(uid 12345)') as string });
  });

  test('makes what is missing for its owner only, and closes what is open, saying so', () => {
    const dir = join(aFolder(), 'a', 'b');
    const said: string[] = [];
    const say = (line: string): void => void said.push(line);
    expect(openPrivateFolder(dir, say)).toEqual({ kind: 'folder', path: dir });
    expect(statSync(dir).mode & 0o777).toBe(0o700);
    chmodSync(dir, 0o755);
    expect(said).toEqual([]);
    expect(openPrivateFolder(dir, say).kind).toBe('folder');
    expect(said).toEqual([`${dir} is now private to you (mode 0700).`]);
    expect(statSync(dir).mode & 0o777).toBe(0o700);
  });

  test('follows a link to the real folder, and judges that one', () => {
    const dir = aFolder();
    const [real, link] = [join(dir, 'real'), join(dir, 'link')];
    mkdirSync(real, { mode: 0o700 });
    symlinkSync(real, link);
    expect(openPrivateFolder(link, () => undefined)).toEqual({ kind: 'folder', path: real });
    writeFileSync(join(real, 'thesis.tex'), '');
    chmodSync(real, 0o755);
    expect(openPrivateFolder(link, () => undefined)).toEqual({
      kind: 'refused',
      reason: expect.stringMatching(/^\/.*\/link cannot be used: .* --data with a folder of your own$/) as string,
    });
    expect(statSync(real).mode & 0o777).toBe(0o755);
  });

  test.runIf(process.getuid?.() === 0)('refuses a folder of another user, even to root', () => {
    const dir = aFolder();
    chownSync(dir, 12_345, 12_345);
    expect(openPrivateFolder(dir, () => undefined)).toMatchObject({ kind: 'refused' });
  });
});
