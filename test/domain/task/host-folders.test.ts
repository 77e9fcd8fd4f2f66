import { expect, test } from 'vitest';
import { isSamePath, isWithin } from '../../../shared/domain/task/volumes/host-folders.ts';

test.each([
  ['/srv/data', true],
  ['/srv/data/', true],
  ['//srv/./data/in', true],
  ['/mnt', true],
  ['/srv/database', false],
  ['/srv', false],
  ['/', false],
  ['', false],
  ['srv/data', false],
  ['/srv/data/../../etc', false],
  ['/srv/data/..', false],
])('%j is in /srv/data/ or /mnt: %s', (path, within) => {
  expect(isWithin(path, ['/srv/data/', '/mnt'])).toBe(within);
  expect(isWithin(path, [])).toBe(false);
});

test('everything that is absolute is in /', () => {
  expect(['/', '/etc/passwd', 'etc', '/a/../b'].map((path) => isWithin(path, ['/']))).toEqual([
    true,
    true,
    false,
    false,
  ]);
});

test('two paths are the same by their words', () => {
  expect(isSamePath('/data/', '//data/.')).toBe(true);
  expect(isSamePath('/data', '/data/in')).toBe(false);
});
