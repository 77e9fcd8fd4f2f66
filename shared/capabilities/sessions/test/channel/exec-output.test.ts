import { describe, expect, test } from 'vitest';
import { asOneText, scriptedCommand } from '../../domain/exec-script.ts';
import { type OutputReader, type Told, pipedReader, terminalReader } from '../../domain/exec-output.ts';

/** What a reader hears when all comes in pieces of this size: output in one piece. */
function told(reader: OutputReader, text: string | Buffer, size: number): object {
  const bytes = Buffer.from(text);
  const all: Told[] = [];
  for (let at = 0; at < bytes.length; at += size) all.push(...reader.read(bytes.subarray(at, at + size)));
  const of = (kind: 'stdout' | 'stderr'): string =>
    Buffer.concat(all.flatMap((each) => (each.kind === kind ? [each.bytes] : []))).toString('latin1');
  return {
    out: of('stdout'),
    err: of('stderr'),
    rest: all.filter(({ kind }) => kind !== 'stdout' && kind !== 'stderr'),
  };
}
const SIZES = [1, 2, 3, 7, 1_000];
const b64 = (text: string): string => Buffer.from(text, 'latin1').toString('base64');

describe('what comes from a terminal', () => {
  test.each(SIZES)('is output up to the mark, in pieces of %i', (size) => {
    expect(told(terminalReader('m1'), 'a\x1em1 b\x1em\x1e\x1em1-\x1em142\x1flate', size)).toEqual({
      out: 'a\x1em1 b\x1em\x1e\x1em1-',
      err: '',
      rest: [{ kind: 'ended', exitCode: 42 }],
    });
  });

  test('is no mark without digits, or with too many', () => {
    expect(told(terminalReader('m'), '\x1em\x1f\x1em1234\x1f', 3)).toEqual({
      out: '\x1em\x1f\x1em1234\x1f',
      err: '',
      rest: [],
    });
  });

  test('is not held back where no mark can begin', () => {
    const reader = terminalReader('m');
    expect(reader.read(Buffer.from('$ '))).toHaveLength(1);
  });
});

describe('what comes of a command without a terminal', () => {
  test.each(SIZES)('is decoded, errors in its midst, in pieces of %i', (size) => {
    const out = b64('all bytes: \x00\xff\x80');
    const text = `noise\x06${out.slice(0, 5)}\x02${b64('err\n')}\x03\r\n${out.slice(5)}${b64('more')}\x042\x05`;
    expect(told(pipedReader(), text, size)).toEqual({
      out: 'all bytes: \x00\xff\x80more',
      err: 'err\n',
      rest: [{ kind: 'begins' }, { kind: 'ended', exitCode: 2 }],
    });
  });

  test('says which program is missing', () => {
    expect(told(pipedReader(), '\x07stty\x03', 2)).toMatchObject({ rest: [{ kind: 'missing', program: 'stty' }] });
  });
});

describe('the command that ECS gets', () => {
  test('is one text that is taken apart into the same words, and never has two braces side by side', () => {
    const words = ['echo', `it's`, '', 'a "b" $c \\ #d', '{{ssm:secret}} }}}', 'line\nline'];
    const text = asOneText(words);
    expect(text).not.toMatch(/\{\{|\}\}/);
    expect(split(text)).toEqual(words);
  });

  test('runs in a shell, which gets its words as they are', () => {
    expect(scriptedCommand(['ls', '-l'], { tty: true, stdin: true }, 'm1').slice(-4)).toEqual(['sh', 'm1', 'ls', '-l']);
    expect(scriptedCommand(['ls'], { tty: false, stdin: false }, 'm1').slice(-2)).toEqual(['n', 'ls']);
    expect(scriptedCommand(['ls'], { tty: false, stdin: true }, 'm1').slice(-2)).toEqual(['i', 'ls']);
  });
});

/** Words, as github.com/google/shlex finds them, as far as quotes and backslashes go. */
function split(text: string): readonly string[] {
  const words: string[] = [];
  let word = '';
  let quote = '';
  for (let at = 0; at < text.length; at++) {
    const char = text.charAt(at);
    if (quote === "'") {
      if (char === "'") quote = '';
      else word += char;
    } else if (char === "'") quote = char;
    else if (char === '\\') word += text.charAt(++at);
    else if (char === ' ') {
      words.push(word);
      word = '';
    } else word += char;
  }
  return [...words, word];
}
