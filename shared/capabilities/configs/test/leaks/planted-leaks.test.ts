import { execFile } from 'node:child_process';
import { mkdirSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, expect, test } from 'vitest';
import { bundlePlanted } from '../../../../../test/planted/bundle-planted.ts';
import type { Edit } from '../../../../../test/planted/planted-fault.ts';
import { PLACES } from './leak-places.ts';
import { PLANTED_LEAKS } from './planted-leaks.ts';

// e2e/leaks.test.ts looks in each of the places and finds nothing. Here something is there.

const ROOT = resolve(import.meta.dirname, '../../../../..');
/** Within the repository, so that packages resolve; git and every tool ignore it. */
const FOLDER = join(ROOT, '.muster', `leaks-${process.pid}`);
const OUTPUT_BYTES_MAX = 64 * 1024 * 1024;

mkdirSync(FOLDER, { recursive: true });
afterAll(() => rmSync(FOLDER, { recursive: true, force: true }));

async function found(edits: readonly Edit[], name: string, ...args: readonly string[]): Promise<readonly string[]> {
  const bundle = join(FOLDER, `${name}.mjs`);
  const why = await bundlePlanted(edits, join(import.meta.dirname, 'hunt-main.ts'), bundle);
  if (why !== null) throw new Error(why);
  const options = { maxBuffer: OUTPUT_BYTES_MAX, cwd: ROOT };
  const { stdout } = await promisify(execFile)(process.execPath, [bundle, ...args], options);
  return JSON.parse(stdout) as readonly string[];
}

test('nothing is found where nothing is planted', async () => {
  expect(await found([], 'none')).toEqual([]);
});

test.each(PLANTED_LEAKS.map((leak, nth) => ({ ...leak, nth })))('$place: $name', async ({ place, edits, nth }) => {
  const findings = await found(edits, String(nth), ...(place === 'crash dumps' ? ['crashes'] : []));
  expect(findings.map((each) => each.slice(0, each.indexOf(':')))).toContain(place);
});

test('each place has a leak that is found there', () => {
  expect([...new Set(PLANTED_LEAKS.map(({ place }) => place))].toSorted()).toEqual([...PLACES].toSorted());
});
