import { type Parsed, bad, ok } from '../http/query.ts';
import { shownPart } from './selector-tokens.ts';

/** Fields of an object that a field selector may name. */
export type FieldSelector<F extends string> = {
  readonly matches: (fields: Readonly<Record<F, string>>) => boolean;
  readonly exact: (field: F) => string | undefined;
  /** The selector names this field. */
  readonly names: (field: F) => boolean;
};

type Term<F extends string> = { readonly field: F; readonly equal: boolean; readonly value: string };

/**
 * Parses a field selector over the supported fields (apimachinery's fields.ParseSelector); others are refused, never ignored.
 * `,`, `=`, and the backslash are part of a value after a backslash.
 *
 * @param refusal the message for other fields; it differs by Kubernetes kind
 */
export function parseFieldSelector<const F extends string>(
  text: string | undefined,
  supported: readonly F[],
  refusal: (field: string) => string = (field) => `field label not supported: ${field}`,
): Parsed<FieldSelector<F>> {
  const parsed = termsOf(text ?? '', (name) => {
    const field = supported.find((each) => each === name);
    return field === undefined ? bad(refusal(shownPart(name))) : ok(field);
  });
  if (parsed.kind === 'bad') return parsed;
  const terms = parsed.value;
  return ok({
    matches: (fields) => terms.every(({ field, equal, value }) => (fields[field] === value) === equal),
    exact: (field) => exactIn(terms, field),
    names: (field) => terms.some((term) => term.field === field),
  });
}

/** The one value that a selector lets a field have; undefined: it does not say so, or cannot be read. */
export function exactlySelected(text: string | undefined, field: string): string | undefined {
  const parsed = termsOf(text ?? '', ok);
  return parsed.kind === 'bad' ? undefined : exactIn(parsed.value, field);
}

const exactIn = <F extends string>(terms: readonly Term<F>[], field: F): string | undefined =>
  terms.find((term) => term.field === field && term.equal)?.value;

function termsOf<F extends string>(text: string, fieldOf: (name: string) => Parsed<F>): Parsed<readonly Term<F>[]> {
  const terms: Term<F>[] = [];
  for (const part of partsOf(text).toSorted()) {
    if (part === '') continue;
    const { name, operator, rest } = cut(part);
    if (operator === null) return bad(`invalid selector: '${shownPart(text)}'; can't understand '${shownPart(part)}'`);
    const value = unescaped(rest);
    if (value.kind === 'bad') return value;
    const field = fieldOf(name);
    if (field.kind === 'bad') return field;
    terms.push({ field: field.value, equal: operator !== '!=', value: value.value });
  }
  return ok(terms);
}

/** Between commas, except after a backslash. */
function partsOf(text: string): readonly string[] {
  const parts: string[] = [];
  let begin = 0;
  for (let at = 0; at < text.length; at++) {
    if (text[at] === '\\') at++;
    else if (text[at] === ',') {
      parts.push(text.slice(begin, at));
      begin = at + 1;
    }
  }
  parts.push(text.slice(begin));
  return parts;
}

/** At the first operator. */
function cut(part: string): { readonly name: string; readonly operator: '=' | '!=' | null; readonly rest: string } {
  const at = part.indexOf('=');
  if (at < 0) return { name: part, operator: null, rest: '' };
  if (part[at - 1] === '!') return { name: part.slice(0, at - 1), operator: '!=', rest: part.slice(at + 1) };
  return { name: part.slice(0, at), operator: '=', rest: part.slice(part[at + 1] === '=' ? at + 2 : at + 1) };
}

function unescaped(text: string): Parsed<string> {
  if (!/[\\,=]/.test(text)) return ok(text);
  let value = '';
  for (let at = 0; at < text.length; at++) {
    const char = text.charAt(at);
    if (char === ',' || char === '=')
      return bad(`invalid field selector: unescaped character in value: ${char.charCodeAt(0)}`);
    if (char !== '\\') {
      value += char;
      continue;
    }
    const next = text.charAt(++at);
    if (next !== '\\' && next !== ',' && next !== '=')
      return bad(`invalid field selector: invalid escape sequence: \\${next}`);
    value += next;
  }
  return ok(value);
}
