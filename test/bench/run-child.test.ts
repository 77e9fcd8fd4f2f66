import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { placeIn } from './run-child.ts';

const root = mkdtempSync(join(tmpdir(), 'muster-checkout-'));
const FILES = [
  'shared/here/same.ts',
  'shared/moved.ts',
  'shared/domain/brand.ts',
  'shared/a/twice.ts',
  'shared/b/twice.ts',
];
for (const file of FILES) {
  mkdirSync(dirname(join(root, file)), { recursive: true });
  writeFileSync(join(root, file), '');
}

afterAll(() => rmSync(root, { recursive: true }));

test.each([
  ['its path', 'shared/here/same.ts', 'shared/here/same.ts'],
  ['where the one file of its name lies', 'shared/domain/planner/moved.ts', 'shared/moved.ts'],
  ['its former name', 'shared/domain/base/time.ts', 'shared/domain/brand.ts'],
])('in a checkout of another time, a file is found at %s', (_how, path, there) => {
  expect(placeIn(root, path)).toBe(join(root, there));
});

test.each(['shared/c/twice.ts', 'shared/here/new.ts'])('%s is not guessed', (path) => {
  expect(placeIn(root, path)).toBeNull();
});
