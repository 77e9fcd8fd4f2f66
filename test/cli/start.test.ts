import { existsSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import * as module from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { expect, onTestFinished, test } from 'vitest';
import { keepCompiledCode } from '../../cli/compile-cache.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
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

test('`muster --help` loads no parser: neither YAML, nor zod, nor CSV', async () => {
  const { metafile } = await build({
    absWorkingDir: ROOT,
    entryPoints: ['cli/main.ts'],
    outdir: 'dist',
    bundle: true,
    splitting: true,
    platform: 'node',
    format: 'esm',
    external: ['lmdb', 'fauxqs', '@dynoxide/linux-x64'],
    write: false,
    metafile: true,
  });
  const started = new Set<string>();
  const start = (path: string): void => {
    if (started.has(path)) return;
    started.add(path);
    for (const { path: next, kind } of metafile.inputs[path]?.imports ?? []) if (kind !== 'dynamic-import') start(next);
  };
  // main.ts itself imports the program when it has turned the cache on.
  for (const path of ['cli/main.ts', 'cli/program/program.ts', 'cli/shell/shell.ts']) start(path);
  const packages = [...started].flatMap((path) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1] ?? []);
  expect([...new Set(packages)].toSorted()).toEqual(['commander']);
  expect(Object.keys(metafile.inputs).some((path) => path.includes('node_modules/csv-parse/'))).toBe(true);
});
