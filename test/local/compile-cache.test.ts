import { chmodSync, chownSync, existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { keepCompiledCode } from '../../cli/compile-cache.ts';

const isRoot = process.getuid?.() === 0;
const NOBODY = 65_534;

/** A folder for caches, and the folders that were taken from it. */
function aCache() {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), 'muster-cache-')));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  const taken: string[] = [];
  return {
    dir,
    own: join(dir, 'muster'),
    use: (): readonly string[] => {
      keepCompiledCode({ XDG_CACHE_HOME: dir }, (each) => taken.push(each));
      return taken;
    },
  };
}

test('code is cached in a folder of this user, which is made private, and found again', () => {
  const { own, use } = aCache();
  expect(use()).toEqual([own]);
  expect(use()).toEqual([own, own]);
});

test('that others can read', () => {
  const { own, use } = aCache();
  mkdirSync(own, { mode: 0o755 });
  expect(use()).toEqual([own]);
});

test.each<[string, (cache: { readonly dir: string; readonly own: string }) => void]>([
  [
    'others can write in it',
    ({ own }) => {
      mkdirSync(own);
      chmodSync(own, 0o777);
    },
  ],
  ['others can put another one in its place', ({ dir }) => chmodSync(dir, 0o777)],
  ['it is a link', ({ dir, own }) => symlinkSync(dir, own)],
])('not where %s', (_, prepare) => {
  const cache = aCache();
  prepare(cache);
  expect(cache.use()).toEqual([]);
});

test.runIf(isRoot)('not in the home of another user, nor in a folder of his', () => {
  const home = aCache();
  chownSync(home.dir, NOBODY, NOBODY);
  expect([home.use(), existsSync(home.own)]).toEqual([[], false]);
  const other = aCache();
  mkdirSync(other.own, { mode: 0o700 });
  chownSync(other.own, NOBODY, NOBODY);
  expect(other.use()).toEqual([]);
});

test('not where no folder can be', () => {
  keepCompiledCode({ XDG_CACHE_HOME: '/dev/null' }, () => expect.unreachable());
});
