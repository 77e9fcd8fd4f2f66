import { cpSync, mkdtempSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { installationOf } from '../../local/docker/installation.ts';

test('a folder keeps its name in an engine when it moves; a copy, and another folder at its place, have others', () => {
  const here = mkdtempSync(join(tmpdir(), 'muster-installation-'));
  onTestFinished(() => rmSync(here, { recursive: true }));
  const [data, moved, copy] = ['data', 'moved', 'copy'].map((name) => join(here, name)) as [string, string, string];
  mkdirSync(data);
  const name = installationOf(data);
  expect(name).toMatch(/^[0-9a-f]{12}$/);
  expect(installationOf(data)).toBe(name);
  renameSync(data, moved);
  expect(installationOf(moved)).toBe(name);
  cpSync(moved, copy, { recursive: true });
  mkdirSync(data);
  expect(new Set([installationOf(copy), installationOf(data), name]).size).toBe(3);
});
