import * as z from 'zod';
import type { JobOption } from '../domain/job-config.ts';
import { type FieldError, forbidden, invalid, notSupported, required } from '../../../schema/object/field-error.ts';
import { given } from '../../../schema/object/given.ts';
import { flag, opt, text, texts } from '../../../schema/object/json-fields.ts';

/** The options of a JobConfig as clients write them. */
export const optionShape = z.strictObject({
  type: text,
  name: text,
  label: text,
  required: flag,
  bool: opt(z.strictObject({ default: flag, format: text, trueVal: text, falseVal: text })),
  string: opt(z.strictObject({ default: text, trimSpaces: flag })),
  select: opt(z.strictObject({ default: text, values: texts, allowCustom: flag })),
  multi: opt(z.strictObject({ default: texts, delimiter: text, values: texts, allowCustom: flag })),
  date: opt(z.strictObject({ format: text })),
});
type OptionShape = z.output<typeof optionShape>;

const TYPES = ['Bool', 'String', 'Select', 'Multi', 'Date'] as const;
type OptionType = (typeof TYPES)[number];
const BLOCKS = { Bool: 'bool', String: 'string', Select: 'select', Multi: 'multi', Date: 'date' } as const;
const FORMATS = ['TrueFalse', 'OneZero', 'YesNo', 'Custom'] as const;
const NAME = /^[a-zA-Z_0-9.-]+$/;

/** Furiko's rules for options, with its paths, in its order. @param path of the list */
export function optionErrors(path: string, options: readonly OptionShape[]): readonly FieldError[] {
  const seen = new Set<string>();
  return options.flatMap((option, nth) => {
    const own = `${path}[${nth}]`;
    const { name = '' } = option;
    if (seen.has(name)) return [forbidden(own, `duplicate option name: ${JSON.stringify(name)}`)];
    seen.add(name);
    return errorsOf(own, option);
  });
}

function errorsOf(path: string, option: OptionShape): readonly FieldError[] {
  const type = TYPES.find((known) => known === option.type);
  const { name = '' } = option;
  return [
    ...(type === undefined ? [typeError(path, option.type)] : []),
    ...(NAME.test(name) ? [] : [invalid(path, name, `must match regex: ${NAME.source}`)]),
    ...(type === undefined ? [] : [...blockErrors(path, option, type), ...OWN_RULES[type](path, option)]),
  ];
}

const typeError = (path: string, type = ''): FieldError =>
  type === '' ? required(path, `type: one of ${TYPES.join(', ')}`) : notSupported(path, type, TYPES);

const blockErrors = (path: string, option: OptionShape, type: OptionType): readonly FieldError[] =>
  Object.values(BLOCKS)
    .filter((block) => block !== BLOCKS[type] && option[block] !== undefined)
    .map((block) =>
      forbidden(`${path}.${block}`, `the option is of type ${type}: its settings are in ${BLOCKS[type]}`),
    );

const none = (): readonly FieldError[] => [];

const OWN_RULES: Readonly<Record<OptionType, (path: string, option: OptionShape) => readonly FieldError[]>> = {
  Bool: (path, { bool, required: isRequired }) => {
    const { format = '' } = bool ?? {};
    return [
      ...(format === '' || FORMATS.some((known) => known === format)
        ? []
        : [notSupported(`${path}.bool.format`, format, FORMATS)]),
      ...(isRequired === true ? [forbidden(`${path}.required`, 'bool option cannot be marked as required')] : []),
    ];
  },
  String: none,
  Select: (path, { select }) => {
    const { values = [], default: chosen = '' } = select ?? {};
    return [
      ...valueErrors(`${path}.select.values`, values),
      ...(chosen === '' || values.includes(chosen) ? [] : [notSupported(`${path}.select.default`, chosen, values)]),
      ...emptyErrors(`${path}.select.values`, values),
    ];
  },
  Multi: (path, { multi }) => {
    const { values = [], default: chosen = [] } = multi ?? {};
    return [
      ...valueErrors(`${path}.multi.values`, values),
      ...chosen.flatMap((each, nth) =>
        each === '' || values.includes(each) ? [] : [notSupported(`${path}.multi.default[${nth}]`, each, values)],
      ),
      ...emptyErrors(`${path}.multi.values`, values),
      ...emptyErrors(`${path}.multi.default`, chosen),
    ];
  },
  Date: none,
};

const valueErrors = (path: string, values: readonly string[]): readonly FieldError[] =>
  values.length === 0 ? [required(path, 'at least 1 value is required')] : [];

const emptyErrors = (path: string, values: readonly string[]): readonly FieldError[] =>
  values.flatMap((value, nth) => (value === '' ? [required(`${path}[${nth}]`)] : []));

/** An option as it is stored, with the default that a Bool has. Only for one without faults. */
export function optionOf(shape: OptionShape): JobOption {
  const type = TYPES.find((known) => known === shape.type) ?? 'String';
  const { name = '', label, required: isRequired, bool, string, select, multi, date } = shape;
  return {
    type,
    name,
    ...given({ label: label === '' ? undefined : label, required: isRequired }),
    ...(type === 'Bool' ? { bool: boolOf(bool) } : {}),
    ...(string === undefined ? {} : { string: given(string) }),
    ...(select === undefined ? {} : { select: { ...given(select), values: select.values ?? [] } }),
    ...(multi === undefined
      ? {}
      : { multi: { ...given(multi), values: multi.values ?? [], delimiter: multi.delimiter ?? '' } }),
    ...(date === undefined ? {} : { date: given(date) }),
  };
}

const boolOf = (bool: OptionShape['bool']): NonNullable<JobOption['bool']> => ({
  default: bool?.default ?? false,
  format: FORMATS.find((known) => known === bool?.format) ?? 'TrueFalse',
  ...given({ trueVal: bool?.trueVal, falseVal: bool?.falseVal }),
});
