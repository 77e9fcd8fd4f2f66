import type { JobOption } from './job-config.ts';
import { type Hash64, hashOfFlag, hashOfList, hashOfStruct, hashOfText } from './struct-hash.ts';

/**
 * Furiko's hash of the options of a JobConfig, in hexadecimal digits: a Job keeps that of the options that its values were given
 * for. Labels, the order of options, and a missing block count for nothing.
 */
export function optionSpecHash(options: readonly JobOption[]): string {
  const sorted = options.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const hash = hashOfStruct('OptionSpec', {
    Options: sorted.length === 0 ? undefined : hashOfList(sorted.map(hashOfOption)),
  });
  return hash.toString(16);
}

const text = (value: string | undefined): Hash64 | undefined =>
  value === undefined || value === '' ? undefined : hashOfText(value);
const flag = (value: boolean | undefined): Hash64 | undefined => (value === true ? hashOfFlag(value) : undefined);
const texts = (values: readonly string[] | undefined): Hash64 | undefined =>
  values === undefined ? undefined : hashOfList(values.map(hashOfText));

const hashOfOption = ({ type, name, required, bool, string, select, multi, date }: JobOption): Hash64 =>
  hashOfStruct('Option', {
    Type: text(type),
    Name: text(name),
    Required: flag(required),
    Bool: hashOfStruct('BoolOptionConfig', {
      Default: flag(bool?.default),
      Format: text(bool?.format),
      TrueVal: text(bool?.trueVal),
      FalseVal: text(bool?.falseVal),
    }),
    String: hashOfStruct('StringOptionConfig', {
      Default: text(string?.default),
      TrimSpaces: flag(string?.trimSpaces),
    }),
    Select: hashOfStruct('SelectOptionConfig', {
      Default: text(select?.default),
      Values: texts(select?.values),
      AllowCustom: flag(select?.allowCustom),
    }),
    Multi: hashOfStruct('MultiOptionConfig', {
      Default: texts(multi?.default),
      Delimiter: text(multi?.delimiter),
      Values: texts(multi?.values),
      AllowCustom: flag(multi?.allowCustom),
    }),
    Date: hashOfStruct('DateOptionConfig', { Format: text(date?.format) }),
  });
