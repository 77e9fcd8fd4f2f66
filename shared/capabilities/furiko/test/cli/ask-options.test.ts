import { describe, expect, test } from 'vitest';
import type { AskedOption } from '../../client/api-objects-of-furiko.ts';
import { askOptions } from '../../cli/ask-options.ts';
import type { Prompter } from '../../../../../cli/shell/prompter.ts';

/** Somebody who gives these answers, one after the other; what is asked is noted. `null`: what was offered. */
function someone(...answers: readonly unknown[]) {
  const asked: unknown[][] = [];
  const left = [...answers];
  const answer = (...question: unknown[]): unknown => {
    asked.push(question);
    return left.shift() ?? question.at(-1);
  };
  const prompter: Prompter = {
    confirm: async (message, first) => answer('confirm', message, first) as boolean,
    async input(message, first, check) {
      const given = answer('input', message, first) as string;
      const fault = check(given);
      if (fault !== null) asked.push(['refused', fault]);
      return fault === null ? given : this.input(message, first, check);
    },
    select: async (message, values, first) => answer('select', message, values, first) as string,
    selectSome: async (message, values, first) => answer('selectSome', message, values, first) as string[],
  };
  return { prompter, asked };
}

const option = (type: AskedOption['type'], more: Partial<AskedOption> = {}): AskedOption => ({
  type,
  name: 'x',
  ...more,
});

describe('an option without an answer is asked for', () => {
  test.each([
    ['Bool', option('Bool', { bool: { default: true } }), [null], { x: true }, ['confirm', 'x:', true]],
    ['String', option('String', { label: 'The X' }), ['v'], { x: 'v' }, ['input', 'The X (x):', '']],
    ['String left empty', option('String'), [''], {}, ['input', 'x:', '']],
    ['String with a default', option('String', { string: { default: 'd' } }), [null], { x: 'd' }, ['input', 'x:', 'd']],
    [
      'Select',
      option('Select', { required: true, select: { values: ['a', 'b'] } }),
      ['b'],
      { x: 'b' },
      ['select', 'x:', ['a', 'b'], null],
    ],
    [
      'Select that may be left out',
      option('Select', { select: { values: ['a'] } }),
      ['(none)'],
      {},
      ['select', 'x:', ['(none)', 'a'], null],
    ],
    [
      'Select of anything',
      option('Select', { select: { values: ['a'], default: 'a', allowCustom: true } }),
      ['(another value)', 'z'],
      { x: 'z' },
      ['select', 'x:', ['a', '(another value)'], 'a'],
    ],
    [
      'Multi',
      option('Multi', { multi: { values: ['a', 'b'], default: ['b'] } }),
      [['a', 'b']],
      { x: ['a', 'b'] },
      ['selectSome', 'x:', ['a', 'b'], ['b']],
    ],
  ])('%s', async (_, asking, answers, expected, question) => {
    const { prompter, asked } = someone(...answers);
    expect(await askOptions([asking], {}, prompter)).toEqual(expected);
    expect(asked[0]).toEqual(question);
  });

  test('an answer that cannot be is asked for again', async () => {
    const { prompter, asked } = someone('tomorrow', '2026-01-01T00:00:00Z');
    expect(await askOptions([option('Date')], {}, prompter)).toEqual({ x: '2026-01-01T00:00:00Z' });
    expect(asked).toContainEqual(['refused', 'It must be a time such as 2026-01-01T00:00:00Z.']);
  });

  test('one that is required needs a value', async () => {
    const { prompter, asked } = someone('', 'v');
    expect(await askOptions([option('String', { required: true })], {}, prompter)).toEqual({ x: 'v' });
    expect(asked).toContainEqual(['refused', 'It needs a value.']);
  });
});

test('what was given is not asked for', async () => {
  const { prompter, asked } = someone('v');
  const options = [option('Bool'), option('String', { name: 'y' })];
  expect(await askOptions(options, { x: false }, prompter)).toEqual({ x: false, y: 'v' });
  expect(asked).toHaveLength(1);
});

describe('what others wrote', () => {
  const EVIL = '\u001B]0;x\u0007';
  const SHOWN = '\\u001b]0;x\\u0007';

  test.each([
    ['String', option('String', { label: EVIL, string: { default: EVIL } }), ['input', `${SHOWN} (x):`, SHOWN]],
    [
      'Select',
      option('Select', { select: { values: ['a', EVIL], default: EVIL } }),
      ['select', 'x:', ['a', SHOWN], SHOWN],
    ],
  ])('is shown, and means what it is: %s', async (_, asking, question) => {
    const { prompter, asked } = someone(null);
    expect(await askOptions([asking], {}, prompter)).toEqual({ x: EVIL });
    expect(asked).toEqual([question]);
  });

  test('is shown, and means what it is: Multi', async () => {
    const { prompter, asked } = someone([SHOWN]);
    expect(await askOptions([option('Multi', { multi: { values: [EVIL, 'b'], default: [] } })], {}, prompter)).toEqual({
      x: [EVIL],
    });
    expect(asked).toEqual([['selectSome', 'x:', [SHOWN, 'b'], []]]);
  });
});
