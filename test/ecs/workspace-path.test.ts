import { expect, test } from 'vitest';
import { processFolder } from '../../local/ecs/driver/workspace-path.ts';

test.each([
  ['.', '/home/kim/work'],
  ['deep/er', '/home/kim/work/deep/er'],
  ['/workspace', '/home/kim/work'],
  ['/workspace/deep', '/home/kim/work/deep'],
  ['/workspaces', '/workspaces'],
  ['/srv/app', '/srv/app'],
])('a process that is to start in %s starts in %s', (directory, folder) => {
  expect(processFolder('/home/kim/work', directory)).toBe(folder);
});

test.each([
  ['/data', '/v/data'],
  ['/data/', '/v/data'],
  ['/data/deep/er', '/v/data/deep/er'],
  ['/data/inner/x', '/v/inner/x'],
  ['/database', '/database'],
  ['/workspace/cache/x', '/v/cache/x'],
  ['/workspace/x', '/home/kim/work/x'],
  ['data', '/home/kim/work/data'],
])('with volumes, one that is to start in %s starts in %s', (directory, folder) => {
  const mounts = [
    { path: '/data', folder: '/v/data' },
    { path: '/data/inner/', folder: '/v/inner' },
    { path: '/workspace/cache', folder: '/v/cache' },
  ];
  expect(processFolder('/home/kim/work', directory, mounts)).toBe(folder);
});
