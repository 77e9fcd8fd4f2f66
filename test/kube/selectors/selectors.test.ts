import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseFieldSelector, parseLabelSelector } from '../../../shared/kube/selectors/label-selector.ts';
import { draws } from '../../verify/draws.ts';

const matches = (selector: string, labels: Record<string, string>): boolean => {
  const parsed = parseLabelSelector(selector);
  if (parsed.kind === 'bad') throw new Error(parsed.error.message);
  return parsed.value.matches(labels);
};
const complaint = (selector: string): string => {
  const parsed = parseLabelSelector(selector);
  return parsed.kind === 'ok' ? 'fine' : parsed.error.message;
};
const NAME_RULE =
  "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
const VALUE_RULE =
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";

describe('label selectors', () => {
  const has = { app: 'web', tier: '', size: '12', 'example.com/in': 'in' };
  test.each<[string, boolean]>([
    ['', true],
    ['   ', true],
    ['app', true],
    ['!app', false],
    ['! app', false],
    ['!other', true],
    ['app=web', true],
    ['app==web', true],
    ['app = web ', true],
    ['app=db', false],
    ['app!=web', false],
    ['app!=db', true],
    ['other!=db', true],
    ['tier=', true],
    ['tier=,app', true],
    ['app=', false],
    ['app in (db,web)', true],
    ['app in(web)', true],
    ['app in ( web )', true],
    ['app in (db)', false],
    ['other in (db)', false],
    ['app notin (db)', true],
    ['app notin (web)', false],
    ['other notin (web)', true],
    ['tier in ()', true],
    ['tier in (,a)', true],
    ['tier in (a,)', true],
    ['tier in (a,,b)', true],
    ['tier in (a,b)', false],
    ['size>11', true],
    ['size>12', false],
    ['size<13', true],
    ['size < 12', false],
    ['app>1', false],
    ['other<1', false],
    ['size>0', true],
    ['size>9223372036854775807', false],
    ['size=12,app=web', true],
    ['size=12,app=db', false],
    ['app=web,app=db', false],
    ['example.com/in in (in)', true],
    ['example.com/in=in', true],
    ['in', false],
    ['notin notin (notin)', true],
    ['app\t=\nweb\r', true],
    ['app=web\0,!app', true],
  ])('%j', (selector, expected) => {
    expect(matches(selector, has)).toBe(expected);
  });

  // The error texts of apimachinery's parser.
  test.each([
    [',', "found ',', expected: !, identifier, or 'end of string'"],
    ['=a', "found '=', expected: !, identifier, or 'end of string'"],
    ['(a)', "found '(', expected: !, identifier, or 'end of string'"],
    ['a,', "found '', expected: identifier after ','"],
    ['a,,b', "found ',', expected: identifier after ','"],
    ['a=b=c', "found '=', expected: ',' or 'end of string'"],
    ['a=b c', "found 'c', expected: ',' or 'end of string'"],
    ['!a=b', "found '=', expected: ',' or 'end of string'"],
    ['!!a', "unable to parse requirement: found '!', expected: identifier"],
    ['!', "unable to parse requirement: found '', expected: identifier"],
    ['a b', "unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt"],
    ['a IN (b)', "unable to parse requirement: found 'IN', expected: in, notin, =, ==, !=, gt, lt"],
    ['type=app,versionv1.0.1)', "unable to parse requirement: found ')', expected: in, notin, =, ==, !=, gt, lt"],
    ['a in b', "unable to parse requirement: found 'b' expected: '('"],
    ['a in (b', "unable to parse requirement: found '', expected: ',' or ')'"],
    ['a in (b c)', "unable to parse requirement: found 'c', expected: ',' or ')'"],
    ['a in (=)', "unable to parse requirement: found '=', expected: ',', ')' or identifier"],
    ['a in (b,=)', "unable to parse requirement: found '=', expected: ',', or identifier"],
    ['a in (,', "unable to parse requirement: found '', expected: ',', or identifier"],
    ['a==(', "unable to parse requirement: found '(', expected: identifier"],
    ['-a', `unable to parse requirement: <nil>: Invalid value: "-a": ${NAME_RULE}`],
    ['a/=b', `unable to parse requirement: <nil>: Invalid value: "a/": name part must be non-empty; ${NAME_RULE}`],
    ['a=-b', `unable to parse requirement: values[0][a]: Invalid value: "-b": ${VALUE_RULE}`],
    ['a in (c,-b)', `unable to parse requirement: values[0][a]: Invalid value: "-b": ${VALUE_RULE}`],
    [
      `a=${'x'.repeat(64)}`,
      `unable to parse requirement: values[0][a]: Invalid value: "${'x'.repeat(64)}": must be no more than 63 characters`,
    ],
    [
      'a>b',
      `unable to parse requirement: values[0]: Invalid value: "b": for 'Gt', 'Lt' operators, the value must be an integer`,
    ],
    [
      'a<',
      `unable to parse requirement: values[0]: Invalid value: "": for 'Gt', 'Lt' operators, the value must be an integer`,
    ],
    [
      'a>9223372036854775808',
      `unable to parse requirement: values[0]: Invalid value: "9223372036854775808": for 'Gt', 'Lt' operators, the value must be an integer`,
    ],
  ])('%j is refused', (selector, message) => {
    expect(complaint(selector)).toBe(message);
  });

  test.each<[string, string | undefined]>([
    ['a=b', 'b'],
    ['a in (b)', 'b'],
    ['a in (b,c)', undefined],
    ['a!=b', undefined],
    ['a', undefined],
    ['x=y', undefined],
    ['a=', ''],
  ])('the one value that %j leaves', (selector, expected) => {
    const parsed = parseLabelSelector(selector);
    expect(parsed.kind === 'ok' ? parsed.value.exact('a') : null).toBe(expected);
  });

  test('labels are not searched for among inherited properties', () => {
    expect([matches('constructor', {}), matches('!toString', {})]).toEqual([false, true]);
  });

  test('whatever is written means something or is refused', () => {
    const piece = fc.constantFrom('a', 'in', 'notin', '=', '!', '(', ')', ',', ' ', '>', '<', '1', '-', '/', 'é', '\0');
    fc.assert(
      fc.property(fc.string({ unit: piece, maxLength: 30 }), (selector) => {
        const parsed = parseLabelSelector(selector);
        const means = parsed.kind === 'ok' ? typeof parsed.value.matches({ a: '1' }) : parsed.error.code;
        expect(['boolean', 400]).toContain(means);
      }),
      { numRuns: draws(3000), seed: 4 },
    );
  });

  test.each([
    ['one long key', 'a'.repeat(100_000)],
    ['one long value', `a=${'b'.repeat(100_000)}`],
    ['dashes', `${'a-'.repeat(50_000)}!`],
    ['labels of DNS', `${'a.'.repeat(50_000)}/x`],
    ['brackets', `a in ${'('.repeat(100_000)}`],
    ['commas', `a in (${','.repeat(100_000)})`],
    ['blanks', ' '.repeat(100_000)],
    ['requirements', Array.from({ length: 20_000 }, (_, i) => `a${i}!=b`).join(',')],
    ['values', `a in (${Array.from({ length: 20_000 }, (_, i) => `v${i}`).join(',')})`],
    ['signs', '!='.repeat(50_000)],
  ])('100 KB of %s are read at once, and complaints stay short', (_, selector) => {
    const parsed = parseLabelSelector(selector);
    const said = parsed.kind === 'ok' ? String(parsed.value.matches({ a: 'b' })) : parsed.error.message;
    expect(said.length).toBeLessThan(1500);
  });
});

describe('field selectors', () => {
  const FIELDS = ['metadata.name', 'status.phase'] as const;
  const parse = (text: string) => parseFieldSelector(text, FIELDS);
  const pod = { 'metadata.name': 'a,b=c\\d', 'status.phase': 'Running' };

  test.each<[string, boolean]>([
    ['', true],
    [',,', true],
    ['status.phase=Running', true],
    ['status.phase==Running', true],
    ['status.phase!=Running', false],
    ['status.phase!=Failed,status.phase!=Succeeded', true],
    ['metadata.name=a\\,b\\=c\\\\d', true],
    ['metadata.name!=a\\,b\\=c\\\\d', false],
    ['metadata.name=', false],
    ['status.phase=running', false],
    ['status.phase= Running', false],
  ])('%j', (text, expected) => {
    const parsed = parse(text);
    expect(parsed.kind === 'ok' && parsed.value.matches(pod)).toBe(expected);
  });

  test.each([
    ['status.phase', "invalid selector: 'status.phase'; can't understand 'status.phase'"],
    ['metadata.name=a,x!', "invalid selector: 'metadata.name=a,x!'; can't understand 'x!'"],
    ['spec.x=a', 'field label not supported: spec.x'],
    [' metadata.name=a', 'field label not supported:  metadata.name'],
    ['metadata.name=a=b', 'invalid field selector: unescaped character in value: 61'],
    ['metadata.name=a\\x', 'invalid field selector: invalid escape sequence: \\x'],
    ['metadata.name=a\\', 'invalid field selector: invalid escape sequence: \\'],
  ])('%j is refused', (text, message) => {
    const parsed = parse(text);
    expect(parsed.kind === 'bad' ? parsed.error.message : 'fine').toBe(message);
  });

  test('what it says exactly', () => {
    const parsed = parse('metadata.name==a,status.phase!=b');
    if (parsed.kind === 'bad') throw new Error(parsed.error.message);
    expect([parsed.value.exact('metadata.name'), parsed.value.exact('status.phase')]).toEqual(['a', undefined]);
    expect([parsed.value.names('status.phase'), parsed.value.names('metadata.name')]).toEqual([true, true]);
  });

  test.each([['='.repeat(100_000)], ['\\'.repeat(100_000)], [','.repeat(100_000)], ['!'.repeat(100_000)]])(
    '100 KB are read at once, and complaints stay short',
    (text) => {
      for (const each of [text, `metadata.name=${text}`]) {
        const parsed = parse(each);
        expect((parsed.kind === 'ok' ? '' : parsed.error.message).length).toBeLessThan(1500);
      }
    },
  );
});
