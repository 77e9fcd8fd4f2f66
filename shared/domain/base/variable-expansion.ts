import { type LateText, lateText } from './late-text.ts';

/**
 * Replaces `$(NAME)` by the variable's value as Kubernetes does in command, args, and env. `$$` is a dollar sign; a name that
 * is not defined stays as written (so a shell's own `$(date)` survives).
 */
export const expandVariables = (text: string, variables: ReadonlyMap<string, string>): string =>
  partsOf(text)
    .map((part) => (typeof part === 'string' ? part : (variables.get(part.name) ?? asWritten(part))))
    .join('');

/** The same, if a variable's value may be known only at launch. */
export const expandLate = (text: string, variables: ReadonlyMap<string, LateText>): LateText =>
  lateText(
    partsOf(text).flatMap((part) =>
      typeof part === 'string' ? [part] : (variables.get(part.name) ?? [asWritten(part)]),
    ),
  );

/** How long the expanded text would be, from the lengths of the variables, without building it. */
export const expandedLength = (text: string, lengths: ReadonlyMap<string, number>): number =>
  partsOf(text).reduce(
    (length, part) =>
      length + (typeof part === 'string' ? part.length : (lengths.get(part.name) ?? asWritten(part).length)),
    0,
  );

/** The names that `text` refers to, defined or not. */
export const referredVariables = (text: string): readonly string[] =>
  partsOf(text).flatMap((part) => (typeof part === 'string' ? [] : [part.name]));

type Reference = { readonly name: string };

const asWritten = ({ name }: Reference): string => `$(${name})`;

/** Texts and references in order (Kubernetes' `third_party/forked/golang/expansion`). */
function partsOf(text: string): readonly (string | Reference)[] {
  const parts: (string | Reference)[] = [];
  let at = 0;
  while (at < text.length) {
    const char = text.charAt(at);
    const next = text.charAt(at + 1);
    if (char !== '$' || next === '') {
      parts.push(char);
      at++;
    } else if (next === '$') {
      parts.push('$');
      at += 2;
    } else if (next !== '(') {
      parts.push(char + next);
      at += 2;
    } else {
      const end = text.indexOf(')', at + 2);
      parts.push(end === -1 ? '$(' : { name: text.slice(at + 2, end) });
      at = end === -1 ? at + 2 : end + 1;
    }
  }
  return parts;
}
