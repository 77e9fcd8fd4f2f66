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
