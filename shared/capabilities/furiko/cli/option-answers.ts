import type { AskedOption } from '../client/api-objects-of-furiko.ts';
import { messageOf } from '../../../domain/base/error-text.ts';
import { usageFailure } from '../../../../cli/shell/failure.ts';

/** A value for an option of a JobConfig, as its type has it. */
export type OptionAnswer = boolean | string | readonly string[];
export type OptionAnswers = Readonly<Record<string, OptionAnswer>>;

/**
 * What `-O` says: `name=value`, or a JSON object with several. The server checks the values.
 *
 * @throws Failure for an option that the JobConfig does not have, and for a text that its type cannot have
 */
export function answersIn(texts: readonly string[], options: readonly AskedOption[]): OptionAnswers {
  const answers = new Map<string, OptionAnswer>();
  for (const text of texts)
    for (const [name, value] of text.trimStart().startsWith('{') ? objectIn(text) : [pairIn(text)]) {
      const option = options.find((each) => each.name === name);
      if (option === undefined) throw usageFailure(`-O ${name}: ${noOption(options)}`);
      answers.set(name, typeof value === 'string' ? answerOf(option, value) : value);
    }
  return Object.fromEntries(answers);
}

const noOption = (options: readonly AskedOption[]): string =>
  options.length === 0
    ? 'the JobConfig has no options'
    : `the JobConfig has no such option; it has ${options.map(({ name }) => name).join(', ')}`;

function pairIn(text: string): readonly [string, string] {
  const at = text.indexOf('=');
  if (at < 1) throw usageFailure(`-O ${text}: write name=value, or a JSON object`);
  return [text.slice(0, at), text.slice(at + 1)];
}

function objectIn(text: string): readonly (readonly [string, OptionAnswer])[] {
  const value = jsonIn(text, 'JSON object');
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw usageFailure(`-O ${text}: write name=value, or a JSON object`);
  return Object.entries(value).map(([name, each]: [string, unknown]) => {
    if (typeof each === 'boolean' || typeof each === 'string') return [name, each];
    if (isTexts(each)) return [name, each];
    throw usageFailure(`-O ${name}: must be true or false, a text, or a list of texts`);
  });
}

function jsonIn(text: string, what: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw usageFailure(`-O ${text}: is no ${what}: ${messageOf(error)}`);
  }
}

const isTexts = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((each) => typeof each === 'string');

const YES = ['true', 'yes', '1'];
const NO = ['false', 'no', '0'];

function answerOf({ name, type }: AskedOption, text: string): OptionAnswer {
  if (type === 'Bool') {
    if (YES.includes(text.toLowerCase())) return true;
    if (NO.includes(text.toLowerCase())) return false;
    throw usageFailure(`-O ${name}=${text}: it is true or false`);
  }
  if (type !== 'Multi') return text;
  if (!text.startsWith('[')) return text === '' ? [] : text.split(',');
  const list = jsonIn(text, 'JSON list');
  if (!isTexts(list)) throw usageFailure(`-O ${name}: must be a list of texts`);
  return list;
}
