import { lstatSync, mkdirSync, readFileSync, readdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { aTemporaryFolder } from '../../support/a-temporary-folder.ts';
import { contentsOf, writeContents } from '../../../local/ecs/driver/file-writer.ts';

let root: string;
let volumes: string;
beforeEach(() => {
  root = aTemporaryFolder('muster-writer-');
  volumes = join(root, 'volumes');
});

const MOUNTED = new Set(['conf', 'keys']);
const variables = (plan: readonly string[], ...values: readonly string[]): ReadonlyMap<string, string> =>
  new Map([['MUSTER_FILES', plan.join('\n')], ...values.map((value, n) => [`MUSTER_FILE_${n}`, value] as const)]);

/** Writes them, or says why not. */
function write(plan: readonly string[], ...values: readonly string[]): string {
  const wanted = contentsOf(variables(plan, ...values), MOUNTED);
  const done = wanted.kind === 'contents' ? writeContents(wanted, volumes) : wanted;
  return done.kind === 'written' ? 'written' : `${done.kind}: ${done.why}`;
}
const read = (path: string): string => readFileSync(join(volumes, path), 'utf8');
const mode = (path: string): string => (statSync(join(volumes, path)).mode & 0o7777).toString(8);

test('files are written with their modes into folders that all may read, whatever the umask is', () => {
  const before = process.umask(0o077);
  onTestFinished(() => void process.umask(before));
  const plan = ['0 text 0640 conf/a/b c', '1 base64 0755 conf/run', '2 gzip 0400 keys/key'];
  expect(write(plan, 'text\n', 'AAEC', gzipSync('packed').toString('base64'))).toBe('written');
  expect(read('conf/a/b c')).toBe('text\n');
  expect([...readFileSync(join(volumes, 'conf/run'))]).toEqual([0, 1, 2]);
  expect(read('keys/key')).toBe('packed');
  expect(['conf', 'conf/a', 'conf/a/b c', 'conf/run', 'keys/key'].map(mode)).toEqual([
    '755',
    '755',
    '640',
    '755',
    '400',
  ]);
  expect(readdirSync(root)).toEqual(['volumes']);
});

test('a file takes the place of an old one, whole; what else is there stays', () => {
  write(['0 text 0400 conf/old', '1 text 0644 conf/other'], 'much longer than the new one', 'other');
  const old = join(volumes, 'conf/old');
  const { ino } = statSync(old);
  // What a death in the middle has left.
  writeFileSync(`${volumes}.draft`, 'half', { mode: 0o400 });
  expect(write(['0 text 0644 conf/old'], 'new')).toBe('written');
  expect([read('conf/old'), read('conf/other'), mode('conf/old')]).toEqual(['new', 'other', '644']);
  expect(statSync(old).ino).not.toBe(ino);
});

describe('what cannot be written is named, and its content is not', () => {
  const SECRET = 'correct horse*';
  test.each<[string, readonly string[], readonly string[]]>([
    ['faulty: MUSTER_FILES is no list of files', ['0 text 0644 conf'], [SECRET]],
    ['faulty: MUSTER_FILES is no list of files', ['0 text 0644 conf/../../x'], [SECRET]],
    ['faulty: cannot write other/x: its volume is not mounted', ['0 text 0644 other/x'], [SECRET]],
    ['faulty: cannot write conf/x: its content is not set', ['1 text 0644 conf/x'], [SECRET]],
    ['faulty: cannot write conf/x: its content cannot be decoded', ['0 base64 0644 conf/x'], [SECRET]],
    ['faulty: cannot write conf/x: its content cannot be decoded', ['0 gzip 0644 conf/x'], ['AAEC']],
    [
      'denied: cannot write conf/a: EISDIR: illegal operation on a directory',
      ['0 text 0644 conf/a/b', '0 text 0644 conf/a'],
      [SECRET],
    ],
    [
      'denied: cannot write conf/a/b: ENOTDIR: not a directory',
      ['0 text 0644 conf/a', '0 text 0644 conf/a/b'],
      [SECRET],
    ],
  ])('%s', (why, plan, values) => {
    const said = write(plan, ...values);
    expect(said).toBe(why);
    expect(said).not.toContain('horse');
    expect(readdirSync(root).filter((name) => name !== 'volumes')).toEqual([]);
  });
});

test('no link that a task has left is followed', () => {
  const outside = join(root, 'outside');
  mkdirSync(outside);
  writeFileSync(join(outside, 'file'), 'theirs');
  mkdirSync(join(volumes, 'conf'), { recursive: true });
  symlinkSync(outside, join(volumes, 'conf/folder'));
  symlinkSync(join(outside, 'file'), join(volumes, 'conf/file'));
  symlinkSync(outside, join(volumes, 'keys'));
  expect(write(['0 text 0600 conf/folder/file', '0 text 0600 conf/file', '0 text 0600 keys/file'], 'ours')).toBe(
    'written',
  );
  expect(readFileSync(join(outside, 'file'), 'utf8')).toBe('theirs');
  expect(readdirSync(outside)).toEqual(['file']);
  for (const path of ['conf/folder', 'keys']) expect(lstatSync(join(volumes, path)).isDirectory()).toBe(true);
  expect(['conf/folder/file', 'conf/file', 'keys/file'].map(read)).toEqual(['ours', 'ours', 'ours']);
});
