import type { JobOption } from '../domain/job-config.ts';
import type { Labels } from '../../../domain/manifests/manifest.ts';
import { parseDocument } from '../../../schema/text/document.ts';
import { type FieldError, forbidden, invalid, notSupported, required } from '../../../schema/object/field-error.ts';
import { formatMoment } from './moment-format.ts';

const PATH = 'spec.optionValues';

export type EvaluatedOptions =
  | {
      readonly kind: 'ok';
      /** By variable: `option.name`. */
      readonly values: Labels;
      /** What was given, as JSON; null: nothing. */
      readonly given: string | null;
    }
  | { readonly kind: 'bad'; readonly errors: readonly FieldError[] };

/**
 * What the options of a JobConfig are for a Job.
 *
 * @param text JSON or YAML: a value for each option that does not get its default
 */
export function evaluateOptions(text: string | undefined, options: readonly JobOption[]): EvaluatedOptions {
  const read = readValues(text ?? '');
  if (typeof read === 'string') return { kind: 'bad', errors: [invalid(PATH, text, read)] };
  const values: Record<string, string> = {};
  const errors = [...read.keys()]
    .filter((name) => options.every((option) => option.name !== name))
    .map((name) => unknown(name, options));
  for (const option of options) {
    const result = evaluate(option, read.get(option.name) ?? null);
    if (typeof result === 'string') values[`option.${option.name}`] = result;
    else errors.push(result);
  }
  if (errors.length > 0) return { kind: 'bad', errors };
  const sorted = [...read].sort(([a], [b]) => (a < b ? -1 : 1));
  return {
    kind: 'ok',
    values,
    given: (text ?? '') === '' ? null : JSON.stringify(Object.fromEntries(sorted)),
  };
}

/** The given values by name, or what is wrong with the text. */
function readValues(text: string): ReadonlyMap<string, unknown> | string {
  if (text.trim() === '') return new Map();
  const parsed = parseDocument(text, 'yaml');
  if (parsed.kind !== 'parsed') return `cannot be read as JSON or YAML: ${parsed.reason}`;
  const { value } = parsed;
  if (value === null || value === undefined) return new Map();
  if (typeof value !== 'object' || Array.isArray(value))
    return 'must be a map of option names to values, as JSON or YAML: {"name": "value"}';
  return new Map(Object.entries(value));
}

function unknown(name: string, options: readonly JobOption[]): FieldError {
  const names = options.map((option) => JSON.stringify(option.name)).join(', ');
  return forbidden(
    `${PATH}[${name}]`,
    names === '' ? 'the JobConfig has no options' : `the JobConfig has no option of this name; it has ${names}`,
  );
}

/** @param value null: none is given */
function evaluate(option: JobOption, value: unknown): string | FieldError {
  const path = `${PATH}[${option.name}]`;
  switch (option.type) {
    case 'Bool':
      return evaluateBool(option, value ?? option.bool?.default ?? false, path);
    case 'String':
      return evaluateString(option, value ?? option.string?.default ?? '', path);
    case 'Select':
      return evaluateSelect(option, value ?? option.select?.default ?? '', path);
    case 'Multi':
      return evaluateMulti(option, value ?? [], path);
    case 'Date':
      return evaluateDate(option, value ?? '', path);
  }
}

const missing = (path: string): FieldError => required(path, 'option is required');
const notText = (path: string, value: unknown): FieldError =>
  invalid(
    path,
    value,
    typeof value === 'number' || typeof value === 'boolean'
      ? 'must be a string: write it in quotes'
      : 'must be a string',
  );

const BOOLS = { TrueFalse: ['true', 'false'], OneZero: ['1', '0'], YesNo: ['yes', 'no'] } as const;

function evaluateBool({ bool }: JobOption, value: unknown, path: string): string | FieldError {
  if (typeof value !== 'boolean') return invalid(path, value, 'must be true or false, without quotes');
  const { format = 'TrueFalse', trueVal = '', falseVal = '' } = bool ?? {};
  const [yes, no] = format === 'Custom' ? [trueVal, falseVal] : BOOLS[format];
  return value ? yes : no;
}

function evaluateString(
  { required: isRequired, string }: JobOption,
  value: unknown,
  path: string,
): string | FieldError {
  if (typeof value !== 'string') return notText(path, value);
  const text = string?.trimSpaces === true ? value.trim() : value;
  return isRequired === true && text === '' ? missing(path) : text;
}

function evaluateSelect(
  { required: isRequired, select }: JobOption,
  value: unknown,
  path: string,
): string | FieldError {
  if (typeof value !== 'string') return notText(path, value);
  const { values = [], allowCustom = false } = select ?? {};
  if (value === '') return isRequired === true ? missing(path) : '';
  return allowCustom || values.includes(value) ? value : notSupported(path, value, values);
}

function evaluateMulti({ required: isRequired, multi }: JobOption, value: unknown, path: string): string | FieldError {
  if (!Array.isArray(value)) return invalid(path, value, 'must be a list of strings: ["a", "b"]');
  const { values = [], allowCustom = false, delimiter = '' } = multi ?? {};
  const chosen: readonly unknown[] = value.length === 0 ? (multi?.default ?? []) : value;
  if (chosen.length === 0 && isRequired === true) return missing(path);
  for (const [nth, each] of chosen.entries()) {
    const own = `${path}[${nth}]`;
    if (typeof each !== 'string') return notText(own, each);
    if (each === '') return required(own, 'cannot be empty');
    if (!allowCustom && !values.includes(each)) return notSupported(own, each, values);
  }
  return chosen.join(delimiter);
}

function evaluateDate({ required: isRequired, date }: JobOption, value: unknown, path: string): string | FieldError {
  if (typeof value !== 'string') return notText(path, value);
  if (value === '') return isRequired === true ? missing(path) : '';
  return formatMoment(value, date?.format) ?? invalid(path, value, 'must be a time such as 2021-02-09T12:06:09+08:00');
}

/** Values with which every option is set, to check a template before anybody has chosen. */
export const placeholderOptions = (options: readonly JobOption[]): Labels =>
  Object.fromEntries(options.map((option) => [`option.${option.name}`, placeholderOf(option)]));

function placeholderOf(option: JobOption): string {
  const { type, select, multi, date } = option;
  const chosen = evaluate({ ...option, required: false }, null);
  if (typeof chosen === 'string' && chosen !== '') return chosen;
  if (type === 'Select') return select?.values[0] ?? '';
  if (type === 'Multi') return multi?.values[0] ?? '';
  if (type === 'Date') return formatMoment('2000-01-01T00:00:00Z', date?.format) ?? '';
  return type === 'String' ? 'x' : '';
}
