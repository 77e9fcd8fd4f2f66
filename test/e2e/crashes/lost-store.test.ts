import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { startBuiltLocal } from '../../support/built-program.ts';
import { TEST_MS } from '../kube-calls.ts';

const PROGRAM = resolve('dist/muster.mjs');

/** The pages of a file in which LMDB keeps rows or the way to them, each turned into zeros. */
function withoutPages(file: Buffer): Buffer {
  const damaged = Buffer.from(file);
  for (let at = 2 * 4_096; at < file.length; at += 4_096) damaged.fill(0, at, at + 24);
  return damaged;
}

test.each<[string, (file: string) => void, RegExp]>([
  ['is empty', (file) => writeFileSync(file, ''), /jobs\.lmdb is empty, and it held Jobs; put a copy/],
  ['is missing', (file) => rmSync(file), /jobs\.lmdb is missing, and it held Jobs; put a copy/],
  [
    'is cut off',
    (file) => writeFileSync(file, readFileSync(file).subarray(0, 9_000)),
    /has 9000 of \d+ bytes; put a copy/,
  ],
  [
    'has damaged pages',
    (file) => writeFileSync(file, withoutPages(readFileSync(file))),
    /jobs\.lmdb is damaged: page \d+ is no (leaf|branch) page; put a copy of it in its place, or move .* away/,
  ],
])(
  'a runtime whose file of Jobs %s says so, and begins anew in another folder only',
  { timeout: TEST_MS },
  async (_, lose, said) => {
    const dir = mkdtempSync(join(tmpdir(), 'muster-lost-'));
    onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
    await (await startBuiltLocal(PROGRAM, dir)).stop();
    const file = join(dir, 'data', 'jobs.lmdb');
    const copy = readFileSync(file);
    lose(file);
    for (const more of [[], ['--detach']]) {
      const args = [PROGRAM, 'local', '--data', 'data', '--port', '0', ...more];
      const { status, stderr } = spawnSync(process.execPath, args, { cwd: dir, encoding: 'utf8' });
      expect(stderr).toMatch(said);
      expect({ status, lines: stderr.trim().split('\n').length }).toEqual({ status: 1, lines: 1 });
    }
    expect(existsSync(join(dir, 'data', 'lock'))).toBe(false);
    writeFileSync(file, copy);
    await (await startBuiltLocal(PROGRAM, dir)).stop();
  },
);
