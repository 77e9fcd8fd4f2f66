import { existsSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import * as module from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { keepCompiledCode } from '../../cli/compile-cache.ts';

const canKeep = typeof Reflect.get(module, 'enableCompileCache') === 'function';

test('compiled code is kept in a folder of this user alone, where Node can keep it', () => {
  const dir = mkdtempSync(join(tmpdir(), 'muster-cache-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  keepCompiledCode({ XDG_CACHE_HOME: dir });
  const folder = join(dir, 'muster');
  expect(existsSync(folder) ? statSync(folder).mode & 0o777 : null).toBe(canKeep ? 0o700 : null);
});

test('a folder that cannot be made is no error', () => {
  expect(() => keepCompiledCode({ XDG_CACHE_HOME: '/dev/null' })).not.toThrow();
});
