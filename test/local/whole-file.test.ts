import {
  existsSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openForAppending, readOwn, setAside, writeWhole } from '../../local/whole-file.ts';

function aFolder(): string {
  const dir = mkdtempSync(join(tmpdir(), 'muster-whole-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
}

test('a file is for its owner only, replaced as a whole, and no draft is left', () => {
  const dir = aFolder();
  const file = join(dir, 'a');
  writeFileSync(`${file}.new`, 'what a crash has left'.repeat(10));
  for (const text of ['one', 'two', 'x'.repeat(100_000)]) {
    writeWhole(file, text, 'durable');
    expect(readOwn(file)).toBe(text);
  }
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(readdirSync(dir)).toEqual(['a']);
});

test('no link is followed: not for the draft, not for reading, not for appending', () => {
  const dir = aFolder();
  const [file, victim] = [join(dir, 'a'), join(dir, 'victim')];
  writeFileSync(victim, 'untouched');
  symlinkSync(victim, `${file}.new`);
  writeWhole(file, 'mine', 'fast');
  expect([readOwn(file), readFileSync(victim, 'utf8')]).toEqual(['mine', 'untouched']);

  const link = join(dir, 'link');
  symlinkSync(victim, link);
  expect(() => readOwn(link)).toThrow('ELOOP');
  expect(() => openForAppending(link)).toThrow('ELOOP');
  writeWhole(link, 'mine', 'fast'); // the name is taken over, what it led to is left alone
  expect([readOwn(link), readFileSync(victim, 'utf8')]).toEqual(['mine', 'untouched']);
});

test('what makes no sense is put aside under a name that says so', () => {
  const file = join(aFolder(), '1.json');
  writeFileSync(file, '');
  expect(setAside(file)).toBe(`${file}.torn`);
  expect([existsSync(file), existsSync(`${file}.torn`)]).toEqual([false, true]);
});
