import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type FolderFacts, checkFolder, openPrivateFolder } from '../../local/private-folder.ts';

const ME = 1000;
const MINE: FolderFacts = { linkOwner: null, owner: ME, mode: 0o700, holds: ['lock', 'ecs'] };

function aFolder(): string {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), 'muster-private-')));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
}

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

describe('openPrivateFolder', () => {
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
