import { describe, expect, it } from 'vitest';
import type { JobOption } from '../../domain/job-config.ts';
import { optionSpecHash } from '../../domain/option-spec-hash.ts';
import { evaluateOptions } from '../../schema/option-values.ts';
import { fieldErrorText } from '../../../../schema/object/field-error.ts';

const TIME = '2021-02-09T12:06:09+08:00';

type Block = Omit<Partial<JobOption>, 'type' | 'name'>;
const bool = (more: Partial<NonNullable<JobOption['bool']>> = {}): JobOption => ({
  type: 'Bool',
  name: 'opt',
  bool: { default: false, format: 'TrueFalse', ...more },
});
const string = (more: Block = {}): JobOption => ({ type: 'String', name: 'opt', ...more });
const select = (more: object = {}, block: Block = {}): JobOption => ({
  type: 'Select',
  name: 'opt',
  select: { values: ['a', 'b'], ...more },
  ...block,
});
const multi = (more: object = {}, block: Block = {}): JobOption => ({
  type: 'Multi',
  name: 'opt',
  multi: { values: ['a', 'b'], delimiter: ',', ...more },
  ...block,
});
const date = (format?: string, block: Block = {}): JobOption => ({
  type: 'Date',
  name: 'opt',
  ...(format === undefined ? {} : { date: { format } }),
  ...block,
});
const REQUIRED: Block = { required: true };

/** The value of the one option, or what is wrong. undefined: none is given. */
function evaluated(option: JobOption, value: unknown): string | readonly string[] {
  const answer = evaluateOptions(value === undefined ? undefined : JSON.stringify({ opt: value }), [option]);
  if (answer.kind === 'ok') return answer.values['option.opt'] ?? 'nothing';
  return answer.errors.map((error) => `${error.path}: ${fieldErrorText(error)}`);
}

describe('an option', () => {
  it.each<[string, JobOption, unknown, string]>([
    ['bool', bool(), undefined, 'false'],
    ['bool with a default', bool({ default: true }), undefined, 'true'],
    ['bool null', bool({ default: true }), null, 'true'],
    ['bool OneZero', bool({ default: true, format: 'OneZero' }), undefined, '1'],
    ['bool YesNo false', bool({ default: true, format: 'YesNo' }), false, 'no'],
    ['bool YesNo true', bool({ format: 'YesNo' }), true, 'yes'],
    ['bool custom true', bool({ format: 'Custom', trueVal: '--verbose' }), true, '--verbose'],
    ['bool custom false', bool({ format: 'Custom', trueVal: '--verbose' }), false, ''],
    ['string', string(), undefined, ''],
    ['string empty', string(), '', ''],
    ['string given', string(), 'hello', 'hello'],
    ['string not trimmed', string({ ...REQUIRED, string: { default: 'hello' } }), ' world ', ' world '],
    ['string trimmed', string({ ...REQUIRED, string: { default: 'hello', trimSpaces: true } }), ' world ', 'world'],
    ['string required with a default', string({ ...REQUIRED, string: { default: 'hello ' } }), undefined, 'hello '],
    ['string default', string({ string: { default: 'default' } }), undefined, 'default'],
    ['string default trimmed', string({ string: { default: 'hello ', trimSpaces: true } }), undefined, 'hello'],
    ['string empty in place of a default', string({ string: { default: 'hello' } }), '', ''],
    ['select', select(), undefined, ''],
    ['select given', select(), 'a', 'a'],
    ['select empty in place of a default', select({ default: 'a' }), '', ''],
    ['select custom', select({ allowCustom: true }), 'c', 'c'],
    ['select default', select({ default: 'b', allowCustom: true }, REQUIRED), undefined, 'b'],
    ['select given in place of a default', select({ default: 'b' }, REQUIRED), 'a', 'a'],
    ['multi', multi(), undefined, ''],
    ['multi null', multi(), null, ''],
    ['multi one', multi(), ['a'], 'a'],
    ['multi two', multi(), ['a', 'b'], 'a,b'],
    ['multi with no delimiter', multi({ delimiter: '' }), ['a', 'b'], 'ab'],
    ['multi custom', multi({ allowCustom: true }), ['c'], 'c'],
    ['multi default', multi({ default: ['b'] }, REQUIRED), undefined, 'b'],
    ['multi default for an empty list', multi({ default: ['a'] }, REQUIRED), [], 'a'],
    ['multi given in place of a default', multi({ default: ['b'] }, REQUIRED), ['a'], 'a'],
    ['date', date(), undefined, ''],
    ['date as it is', date(), TIME, TIME],
    ['date in UTC', date(), '2021-02-09T12:06:09Z', '2021-02-09T12:06:09Z'],
    ['date in a format', date('D MMM YYYY'), TIME, '9 Feb 2021'],
    [
      'date in a long format',
      date('[day] DDDD, dddd Do, [W]WW, Qo, HH:mm:ss.SSS Z X'),
      TIME,
      'day 040, Tuesday 9th, W06, 1st, 12:06:09.000 +08:00 1612843569',
    ],
  ])('%s is evaluated', (_, option, value, expected) => {
    expect(evaluated(option, value)).toBe(expected);
  });

  it.each<[string, JobOption, unknown, string]>([
    ['bool as a text', bool(), 'true', 'Invalid value: "true": must be true or false, without quotes'],
    ['bool as an empty text', bool(), '', 'Invalid value: "": must be true or false, without quotes'],
    ['string required', string(REQUIRED), undefined, 'Required value: option is required'],
    ['string empty, required', string(REQUIRED), '', 'Required value: option is required'],
    [
      'string blank, required',
      string({ ...REQUIRED, string: { trimSpaces: true } }),
      ' ',
      'Required value: option is required',
    ],
    [
      'string empty, required, with a default',
      string({ ...REQUIRED, string: { default: 'x' } }),
      '',
      'Required value: option is required',
    ],
    ['string no text', string(), true, 'Invalid value: true: must be a string: write it in quotes'],
    ['string a number', string(), 3.15, 'Invalid value: 3.15: must be a string: write it in quotes'],
    ['select not of its values', select(), 'c', 'Unsupported value: "c": supported values: "a", "b"'],
    [
      'select empty, required',
      select({ default: 'b', allowCustom: true }, REQUIRED),
      '',
      'Required value: option is required',
    ],
    ['select no text', select(), true, 'Invalid value: true: must be a string: write it in quotes'],
    ['multi a text', multi(), 'a', 'Invalid value: "a": must be a list of strings: ["a", "b"]'],
    ['multi an empty text', multi(), '', 'Invalid value: "": must be a list of strings: ["a", "b"]'],
    ['multi required', multi({}, REQUIRED), [], 'Required value: option is required'],
    ['date required', date(undefined, REQUIRED), undefined, 'Required value: option is required'],
    [
      'date that is none',
      date(),
      'invalid',
      'Invalid value: "invalid": must be a time such as 2021-02-09T12:06:09+08:00',
    ],
    [
      'date of no day',
      date(),
      '2021-02-29T00:00:00Z',
      'Invalid value: "2021-02-29T00:00:00Z": must be a time such as 2021-02-09T12:06:09+08:00',
    ],
    [
      'date without an offset',
      date(),
      '2021-02-09T12:06:09',
      'Invalid value: "2021-02-09T12:06:09": must be a time such as 2021-02-09T12:06:09+08:00',
    ],
    ['date a number', date(), 1612843569, 'Invalid value: 1612843569: must be a string: write it in quotes'],
  ])('%s is refused', (_, option, value, expected) => {
    expect(evaluated(option, value)).toEqual([`spec.optionValues[opt]: ${expected}`]);
  });

  it.each<[string, unknown, string]>([
    ['not of its values', ['a', 'c'], '[1]: Unsupported value: "c": supported values: "a", "b"'],
    ['no text', ['a', 2], '[1]: Invalid value: 2: must be a string: write it in quotes'],
    ['empty', ['a', ''], '[1]: Required value: cannot be empty'],
  ])('multi with an element that is %s is refused', (_, value, expected) => {
    expect(evaluated(multi(), value)).toEqual([`spec.optionValues[opt]${expected}`]);
  });
});

describe('the options of a Job', () => {
  const OPTIONS: readonly JobOption[] = [
    { type: 'String', name: 'who', string: { default: 'nobody' } },
    { type: 'Select', name: 'how', select: { values: ['a', 'b', 'c'], default: 'a' } },
  ];

  it('have their defaults', () => {
    const values = { 'option.who': 'nobody', 'option.how': 'a' };
    for (const text of [undefined, ''])
      expect(evaluateOptions(text, OPTIONS)).toEqual({ kind: 'ok', values, given: null });
  });

  it('are read as JSON or YAML, and kept as JSON', () => {
    const values = { 'option.who': 'Eve', 'option.how': 'b' };
    const given = '{"how":"b","who":"Eve"}';
    for (const text of ['{"who": "Eve", "how": "b"}', 'who: Eve\nhow: b\n'])
      expect(evaluateOptions(text, OPTIONS)).toEqual({ kind: 'ok', values, given });
  });

  it('exist: upstream ignores one that does not', () => {
    expect(evaluateOptions('whom: Eve', OPTIONS)).toMatchObject({
      errors: [
        {
          path: 'spec.optionValues[whom]',
          kind: 'Forbidden',
          message: 'the JobConfig has no option of this name; it has "who", "how"',
        },
      ],
    });
    expect(evaluateOptions('whom: Eve', [])).toMatchObject({ errors: [{ message: 'the JobConfig has no options' }] });
  });

  it('are refused with all of their faults', () => {
    expect(evaluateOptions('{"who": 1, "how": "z", "x": 1}', OPTIONS)).toMatchObject({ errors: [{}, {}, {}] });
  });

  it.each(['asd', '- a', '{', 'a: 1\na: 2', 'a: &x [*x]'])('are no map in %j', (text) => {
    expect(evaluateOptions(text, OPTIONS)).toMatchObject({
      kind: 'bad',
      errors: [{ path: 'spec.optionValues', kind: 'Invalid' }],
    });
  });
});

describe('the hash of options', () => {
  const one = string();

  it('is the same for what is the same', () => {
    expect(optionSpecHash([])).toBe(optionSpecHash([]));
    expect(optionSpecHash([string({ string: {} })])).toBe(optionSpecHash([one]));
    expect(optionSpecHash([string({ label: 'Mine' })])).toBe(optionSpecHash([one]));
    const other = { ...one, name: 'other' };
    expect(optionSpecHash([one, other])).toBe(optionSpecHash([other, one]));
  });

  it('differs for what differs', () => {
    const hashes = [
      [],
      [one],
      [{ ...one, name: 'other' }],
      [string({ string: { trimSpaces: true } })],
      [string({ string: { default: 'x' } })],
      [string(REQUIRED)],
      [bool()],
      [bool({ default: true })],
      [bool({ format: 'Custom', trueVal: 'x' })],
      [bool({ format: 'Custom', falseVal: 'x' })],
      [select()],
      [select({ values: ['b', 'a'] })],
      [select({ allowCustom: true })],
      [multi()],
      [multi({ delimiter: ';' })],
      [multi({ default: ['a'] })],
      [date()],
      [date('D')],
    ].map(optionSpecHash);
    expect(new Set(hashes).size).toBe(hashes.length);
    expect(hashes.every((hash) => /^[0-9a-f]{1,16}$/.test(hash))).toBe(true);
  });
});
