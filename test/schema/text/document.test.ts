import { describe, expect, test } from 'vitest';
import { MANIFEST_BYTES_MAX, parseDocument } from '../../../shared/schema/text/document.ts';
import { YAML_BOMB } from './yaml-bomb.ts';

const repeated = (n: number, open: string, middle: string, close: string) => open.repeat(n) + middle + close.repeat(n);

describe('parseDocument never throws, and reads nothing that could harm', () => {
  test.each<[string, 'json' | 'yaml', string, string]>([
    ['empty JSON', 'json', '', 'Unexpected end of JSON input'],
    ['half of JSON', 'json', '{"a":', 'Unexpected end of JSON input'],
    ['not YAML', 'yaml', 'a: [1, 2', 'Flow sequence in block collection'],
    ['two documents', 'yaml', 'a: 1\n---\na: 2', 'more than one document'],
    ['a bomb of aliases', 'yaml', YAML_BOMB, 'Excessive alias count'],
    ['an anchor within itself', 'yaml', 'a: &a { b: *a }', 'circular'],
    [
      'aliases of a large text',
      'yaml',
      `a: &a ${'x'.repeat(20_000)}\nb: [${Array(40).fill('*a').join(', ')}]`,
      'too large',
    ],
    ['a deep list in JSON', 'json', repeated(20_000, '[', '', ']'), 'nested deeper than 100 levels'],
    ['a deep object in JSON', 'json', repeated(20_000, '{"a":', '1', '}'), 'nested deeper than 100 levels'],
    ['a deep list in YAML', 'yaml', repeated(20_000, '[', '', ']'), 'nested deeper than 100 levels'],
    ['a deep list of dashes', 'yaml', '- '.repeat(20_000), 'nested deeper than 100 levels'],
    ['a deep key', 'yaml', '? '.repeat(20_000), 'a key is a list or a map'],
    ['a list as a key', 'yaml', '? [a, b]\n: 1', 'a key is a list or a map'],
    ['keys in keys', 'yaml', `${'? '.repeat(90)}[${'"a",'.repeat(10_000)}]`, 'a key is a list or a map'],
    [
      'many aliases',
      'yaml',
      Array.from({ length: 502 }, (_v, i) => `a${i}: &a${i} [${i === 0 ? '' : `*a${i - 1}`}]`).join('\n'),
      'more than 500 aliases',
    ],
    ['many values in YAML', 'yaml', `[${'1,'.repeat(43_700)}]`, 'more than 43690 keys and values: send JSON'],
    ['a prototype in JSON', 'json', '{"a":{"__pro\\u0074o__":{"b":1}}}', 'key "__proto__"'],
    ['a prototype in YAML', 'yaml', '__proto__: { b: 1 }', 'key "__proto__"'],
  ])('%s', (_, format, text, reason) => {
    const parsed = parseDocument(text, format);
    expect(parsed).toMatchObject({ kind: 'unreadable' });
    expect(parsed.kind === 'unreadable' && parsed.reason).toContain(reason);
    expect(parsed.kind === 'unreadable' && parsed.reason).toMatch(new RegExp(`^${format} parse error: `));
  });

  test.each<[format: 'json' | 'yaml', text: string, value: unknown, twice: readonly string[]]>([
    ['json', '{"a":{"b":1,"b":2}}', { a: { b: 2 } }, ['1 a.b']],
    [
      'json',
      '{"a":[{"b":1},{"b" : "b\\",",\n "c":{}, "b":2}],\n"d":1,"d":2}',
      { a: [{ b: 1 }, { b: 2, c: {} }], d: 2 },
      ['2 a[1].b', '3 d'],
    ],
    ['json', '{"a":[1,[2,{"x":[],"\\u0078":0}]]}', { a: [1, [2, { x: 0 }]] }, ['1 a[1][1].x']],
    ['json', '{"a":{"b":1,"b":2},"a":{"b":1,"b":2,"b":3}}', { a: { b: 3 } }, ['1 a.b', '1 a']],
    ['yaml', '{"a":{"b":1,"b":2.0}}', { a: { b: 2 } }, ['1 a.b']],
    ['yaml', 'a: { b: 1, b: 2 }', { a: { b: 2 } }, ['1 a.b']],
    ['yaml', 'a:\n- b: 1\n- b: 1\n  "b": 2', { a: [{ b: 1 }, { b: 2 }] }, ['4 a[1].b']],
    // The line is that of the value, and what is within it comes first, as in Go's decoder.
    ['yaml', 'a: 1\na:\n  b: 1\n  b: 2\nc:\nc:\n', { a: { b: 2 }, c: null }, ['4 a.b', '3 a', '6 c']],
  ])('%s that has duplicates is reported: %s', (format, text, value, twice) => {
    const parsed = parseDocument(text, format);
    expect(parsed).toMatchObject({ kind: 'duplicates', value, twice: { more: 0 } });
    const found = parsed.kind === 'duplicates' ? parsed.twice.told : [];
    expect(found.map(({ is, line, path }) => `${is} ${line} ${path}`)).toEqual(
      twice.map((each) => `duplicate ${each}`),
    );
  });

  test('a hundred duplicates are named, and the others counted', () => {
    const pairs = Array.from({ length: 130 }, (_, i) => `k${i}: 1`);
    const text = [...pairs, ...pairs].join('\n');
    const json = `{${text.replaceAll(/^(k\d+)/gm, '"$1"').replaceAll('\n', ',')}}`;
    for (const parsed of [parseDocument(text, 'yaml'), parseDocument(json, 'json')]) {
      expect(parsed).toMatchObject({
        kind: 'duplicates',
        reason: 'duplicate field "k0" and 129 more',
        twice: { more: 30 },
      });
      expect(parsed.kind === 'duplicates' && parsed.twice.told).toHaveLength(100);
    }
  });

  test.each([
    '{"a":{"b":1},"b":{"a":2}}',
    '[{"a":1},{"a":1}]',
    '{"a":"a","b":["a","a"]}',
    '{"a":"x\\\\","b":"\\"a\\":"}',
    '"a"',
    ' 1 ',
  ])('JSON that says nothing twice: %s', (text) => {
    expect(parseDocument(text, 'json')).toEqual({ kind: 'parsed', value: JSON.parse(text) as unknown });
  });

  test('JSON whose whole numbers are written as floats reports where', () => {
    const text = '{"a":[1,{"b":2.0}],"c":-0.0,"d":1.5,"e":"3.0,\\"4.0","f":-7,"2.0":[[],3E2]}';
    expect(parseDocument(text, 'json')).toEqual({
      kind: 'parsed',
      value: JSON.parse(text) as unknown,
      floats: [
        { path: ['a', 1, 'b'], text: '2.0' },
        { path: ['c'], text: '-0.0' },
        { path: ['2.0', 1], text: '3E2' },
      ],
    });
  });

  test('a large document is read in a time that goes with its length', () => {
    const keys = Array.from({ length: 20_000 }, (_, i) => `k${i}`);
    const json = JSON.stringify(Object.fromEntries(keys.map((key) => [key, ''])));
    expect(parseDocument(json, 'json')).toMatchObject({ kind: 'parsed' });
    expect(parseDocument(`${json.slice(0, -1)},"k0":1}`, 'json')).toMatchObject({ kind: 'duplicates' });
    expect(parseDocument(keys.map((key) => `${key}: 1`).join('\n'), 'yaml')).toMatchObject({ kind: 'parsed' });
  });

  test('JSON is YAML, however many values it has', () => {
    const json = `{"a":[${'1.0,'.repeat(50_000)}1],"b":"x\\u0041"}`;
    expect(parseDocument(json, 'yaml')).toEqual({ kind: 'parsed', value: JSON.parse(json) as unknown });
    expect(parseDocument(`{"a":${repeated(200, '[', '', ']')}}`, 'yaml')).toMatchObject({
      kind: 'unreadable',
      reason: 'yaml parse error: nested deeper than 100 levels',
    });
    expect(parseDocument('{"a": x, b: [c]}', 'yaml')).toEqual({ kind: 'parsed', value: { a: 'x', b: ['c'] } });
  });

  test('numbers with a zero before them are octal, as for kubectl', () => {
    const text = 'a: 0644\nb: 0\nc: -0777\nd: 0o440\ne: "0644"\nf: 08\ng: 0.5\nh: 420\n';
    const value = { a: 0o644, b: 0, c: -0o777, d: 0o440, e: '0644', f: 8, g: 0.5, h: 420 };
    expect(parseDocument(text, 'yaml')).toMatchObject({ kind: 'parsed', value });
  });

  test('an ordinary document', () => {
    expect(parseDocument('a: &a { b: 1 }\nc: *a', 'yaml')).toEqual({
      kind: 'parsed',
      value: { a: { b: 1 }, c: { b: 1 } },
    });
    expect(parseDocument('{"a":[1,"x",null]}', 'json')).toEqual({ kind: 'parsed', value: { a: [1, 'x', null] } });
    expect(MANIFEST_BYTES_MAX).toBe(262_144);
  });
});
