import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { keyFile } from '../../adapters/key-file.ts';

function aFolder(): string {
  const path = mkdtempSync(join(tmpdir(), 'muster-key-'));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

test('there is none before it is made, and then only its owner can read it', async () => {
  const folder = aFolder();
  const key = keyFile(folder);
  expect(await key.read()).toBeNull();
  await key.make('one');
  expect(await key.read()).toBe('one\n');
  expect(statSync(join(folder, 'secrets.key')).mode & 0o777).toBe(0o600);
  expect(readdirSync(folder)).toEqual(['secrets.key']);
});

test('one that is there stays', async () => {
  const folder = aFolder();
  await keyFile(folder).make('one');
  await keyFile(folder).make('other');
  expect(await keyFile(folder).read()).toBe('one\n');
  expect(readdirSync(folder)).toEqual(['secrets.key']);
});

test('what a crash has left of making one is no key, and is in nobody’s way', async () => {
  const folder = aFolder();
  writeFileSync(join(folder, `secrets.key.${process.pid}`), 'ha');
  const key = keyFile(folder);
  expect(await key.read()).toBeNull();
  await key.make('one');
  expect(await key.read()).toBe('one\n');
});

test('it says where it is', () => {
  expect(keyFile('/data').place).toBe('file /data/secrets.key');
});
