import { expect, test } from 'vitest';
import { linePattern } from '../../../shared/domain/failures/line-pattern.ts';

test.each([
  ['', ''],
  ["KeyError: 'price'", "KeyError: 'price'"],
  ['line 17 of 2,048.5', 'line <n> of <n>'],
  ['photo017.txt', 'photo<n>.txt'],
  ['segfault at 0x7FFe12ab34 ip 00007f1b2c3d4e5f', 'segfault at <hex> ip <hex>'],
  ['commit deadbeef1 is gone', 'commit <hex> is gone'],
  ['a defaced facade', 'a defaced facade'],
  ['request 123e4567-e89b-12d3-a456-426614174000 failed', 'request <uuid> failed'],
  ['2026-01-02T03:04:05.678Z ERROR no route', '<time> ERROR no route'],
  ['2026-01-02 03:04:05,678 ERROR no route', '<time> ERROR no route'],
  ['2026-01-02 03:04:05+02:00 ERROR', '<time> ERROR'],
  ['[03:04:05] ERROR', '[<time>] ERROR'],
  ['Mon Nov 23 11:37:23 UTC 2026: late', '<time>: late'],
  ['Nov  3 11:37:23 host sshd', '<time> host sshd'],
  ['cannot open /tmp/abc.123/part-7.bin: no space', 'cannot open /tmp/<temp>/part-<n>.bin: no space'],
  ['/var/tmp/x: gone', '/var/tmp/<temp>: gone'],
  ['/var/folders/zz/zyx_w/T/tmp.1/out', '/var/folders/<temp>/out'],
  ['/work/tmp.Ab3dE9fG2h/out', '/work/<temp>/out'],
  ['/work/template/out', '/work/template/out'],
  ['\u001B[31mred\u001B[0m   and \t blank ', 'red and blank'],
])('%j', (line, pattern) => {
  expect(linePattern(line)).toBe(pattern);
});

test.each([
  ['gzip: photos/banana.txt: No such file', 'banana.txt', 'gzip: photos/<item>: No such file'],
  ['banana of Togo', 'banana\tTogo', '<item> of <item>'],
  ['banana\tTogo', 'banana\tTogo', '<item>'],
  ['cannot read plum.txt', 'pear.txt\nplum.txt', 'cannot read <item>'], // several items
  ['photo 017 is broken', '017', 'photo <n> is broken'], // a number is one anyway
  ['a file a', 'a', 'a file a'], // too short to be meant
  ['é.txt: gone', 'é.txt', '<item>: gone'],
])('%j of the item %j', (line, item, pattern) => {
  expect(linePattern(line, item)).toBe(pattern);
});

test('two failures that differ by what varies have one pattern, others have not', () => {
  expect(linePattern('tmpfile /tmp/a1 line 3')).toBe(linePattern('tmpfile /tmp/b22 line 44'));
  expect(linePattern('disk full')).not.toBe(linePattern('disk slow'));
});

test('a line of any length is read in no time', () => {
  for (const long of ['a'.repeat(1_000_000), '1a'.repeat(500_000), `/tmp/${'x'.repeat(1e6)}`, '1-'.repeat(5e5)])
    expect(linePattern(long).length).toBeLessThanOrEqual(200);
});
