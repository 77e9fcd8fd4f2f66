import { describe, expect, test } from 'vitest';
import type { AskedOption } from '../../client/api-objects-of-furiko.ts';
import { answersIn } from '../../cli/option-answers.ts';

const OPTIONS: readonly AskedOption[] = [
  { type: 'Bool', name: 'dry' },
  { type: 'String', name: 'region' },
  { type: 'Multi', name: 'shards', multi: { default: [], values: ['a', 'b', 'c'] } },
  { type: 'Date', name: 'day' },
];

describe('what -O says', () => {
  test.each([
    [['dry=true'], { dry: true }],
    [['dry=No'], { dry: false }],
    [['region=eu=1'], { region: 'eu=1' }],
    [['region='], { region: '' }],
    [['region=true'], { region: 'true' }],
    [['shards=a,b'], { shards: ['a', 'b'] }],
    [['shards='], { shards: [] }],
    [['shards=["a,b"]'], { shards: ['a,b'] }],
    [['{"dry": false, "shards": ["c"]}', 'region=us'], { dry: false, shards: ['c'], region: 'us' }],
    [['{"dry": "yes"}'], { dry: true }],
    [['region=eu', 'region=us'], { region: 'us' }],
    [[], {}],
  ])('%j', (texts, answers) => {
    expect(answersIn(texts, OPTIONS)).toEqual(answers);
  });

  test.each([
    [['zone=1'], 'error: -O zone: the JobConfig has no such option; it has dry, region, shards, day'],
    [['region'], 'error: -O region: write name=value, or a JSON object'],
    [['=x'], 'error: -O =x: write name=value, or a JSON object'],
    [['dry=maybe'], 'error: -O dry=maybe: it is true or false'],
    [['shards=[1]'], 'error: -O shards: must be a list of texts'],
    [['{"region": 1}'], 'error: -O region: must be true or false, a text, or a list of texts'],
    [['{"region"'], /^error: -O \{"region": is no JSON object: /],
    [['shards=["a"'], /^error: -O \["a": is no JSON list: /],
  ])('%j is refused', (texts, message) => {
    expect(() => answersIn(texts, OPTIONS)).toThrow(message);
  });

  test('a JobConfig without options says so', () => {
    expect(() => answersIn(['x=1'], [])).toThrow('error: -O x: the JobConfig has no options');
  });
});
