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

/** Texts and references in order (Kubernetes' `third_party/forked/golang/expansion`). Takes linear time. */
function partsOf(text: string): readonly (string | Reference)[] {
  const parts: (string | Reference)[] = [];
  const lastEnd = text.lastIndexOf(')');
  let at = 0;
  while (at < text.length) {
    const dollar = text.indexOf('$', at);
    const next = dollar === -1 ? '' : text.charAt(dollar + 1);
    if (next === '') {
      parts.push(text.slice(at));
      break;
    }
    if (dollar > at) parts.push(text.slice(at, dollar));
    at = dollar + 2;
    if (next === '$') parts.push('$');
    else if (next !== '(') parts.push(`$${next}`);
    else if (at > lastEnd) parts.push('$(');
    else {
      const end = text.indexOf(')', at);
      parts.push({ name: text.slice(at, end) });
      at = end + 1;
    }
  }
  return parts;
}
