import { execFile } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';

const ROOT = resolve(import.meta.dirname, '../..');
const MAINS = readdirSync(join(ROOT, 'test'))
  .map((folder) => `test/${folder}/main.ts`)
  .filter((main) => existsSync(join(ROOT, main)));

const ran = (...args: readonly string[]): Promise<readonly [code: number, out: string, err: string]> =>
  new Promise((answer) => {
    execFile(process.execPath, ['--import', 'tsx', ...args], { cwd: ROOT }, (error, out, err) =>
      answer([error === null ? 0 : Number(error.code), out, err]),
    );
  });

test.each(MAINS)('%s: --help tells what it does, with examples, and does nothing', async (main) => {
  const [code, out] = await ran(main, '--help');
  expect(code).toBe(0);
  expect(out).toMatch(/^Usage: .*\n\n[A-Z]/);
  expect(out).toMatch(/^Examples:\n {2}\w/m);
});

test.each(MAINS)('%s: an option that it does not know is refused', async (main) => {
  const [code, out, err] = await ran(main, '--no-such-option');
  expect([code, out]).toEqual([2, '']);
  expect(err).toContain('--no-such-option');
});

test('a capability that is not there is refused', async () => {
  const [code, out, err] = await ran('test/without/main.ts', 'plan', 'nobody');
  expect([code, out]).toEqual([2, '']);
  expect(err).toMatch(/^error: no capability is named nobody; there are access, /);
});
