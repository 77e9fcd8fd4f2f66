import { describe, expect, test } from 'vitest';
import { aFolder } from './typed-line.ts';

// No server is there: what asked one would fail.

const files = { 'empty.txt': '', 'blank.txt': '\n\n', 'head.csv': 'RATE,NOTE\n' };
const NOTHING = 'The list has no items: no Job is created.\n';
const LIST = '{\n  "apiVersion": "v1",\n  "kind": "List",\n  "metadata": {},\n  "items": []\n}\n';
const type = async (line: string, stdin = '') => aFolder(files).type(`run zip --image i --allow-empty ${line}`, stdin);

describe('with --allow-empty, a list without items makes no Job', () => {
  test.each([
    '-- gzip :::: empty.txt',
    '-- gzip :::: -',
    '-- gzip :::',
    '-- gzip {1} {2} ::: a b :::: empty.txt',
    '-- gzip ::: :::: empty.txt',
    '--columns FILE -- gzip {FILE} :::: empty.txt',
    '--skip-empty -- gzip :::: blank.txt',
    '--items @empty.txt -- gzip',
    '--items @head.csv --header --batch 5 -- gzip',
    '--items @- --format jsonl -- gzip',
    '--per-completion-env F=@empty.txt -- gzip',
    "--per-completion-env F=' ' --per-completion-env G=@empty.txt -- gzip",
    '--matrix node=20,22 --matrix os= -- gzip',
    "--array '' -- gzip",
    '--wait --replace --rm -- gzip :::: empty.txt',
    '--dry-run=client -- gzip :::: empty.txt',
  ])('%s', async (line) => {
    expect(await type(line)).toEqual({ code: 0, out: NOTHING, err: '' });
  });

  test.each([
    ['-o json', LIST],
    ['-o yaml', 'apiVersion: v1\nkind: List\nmetadata: {}\nitems: []\n'],
    ['--dry-run=client -o json', LIST],
    ['-o name', ''],
  ])('%s leaves standard output to programs', async (form, out) => {
    expect(await type(`${form} -- gzip :::: empty.txt`)).toEqual({ code: 0, out, err: NOTHING });
  });

  test('one with items is as ever', async () => {
    const { code, out, err } = await type('--dry-run=client -- gzip ::: a');
    expect({ code, out, err }).toEqual({ code: 0, out: 'job.batch/zip created (dry run)\n', err: '' });
  });
});
