/**
 * A token of a label selector. `in` and `notin` are operators or values, depending on their position; for all others, the text
 * decides.
 */
export type Token =
  | { readonly kind: 'word' | 'symbol'; readonly text: string }
  | { readonly kind: 'end'; readonly text: '' };

const SYMBOLS: ReadonlySet<string> = new Set(['=', '==', '!=', '!', '(', ')', ',', '>', '<']);
const isSymbol = (char: string): boolean => '=!(),><'.includes(char);
const isBlank = (char: string): boolean => ' \t\r\n'.includes(char);
const END = '\0';

/**
 * Splits a label selector into tokens, reading each character once: words are anything but symbols and blanks, symbols are as
 * long as possible. The last token is the end.
 */
export function selectorTokens(source: string): readonly Token[] {
  const tokens: Token[] = [];
  // As in Go's lexer, a NUL ends the text.
  const text = source.split(END, 1)[0] ?? '';
  for (let at = 0; at < text.length; ) {
    const char = text.charAt(at);
    if (isBlank(char)) {
      at++;
      continue;
    }
    const begin = at++;
    if (isSymbol(char)) {
      if (SYMBOLS.has(text.slice(begin, at + 1)) && at < text.length) at++;
      tokens.push({ kind: 'symbol', text: text.slice(begin, at) });
      continue;
    }
    while (at < text.length && !isSymbol(text.charAt(at)) && !isBlank(text.charAt(at))) at++;
    tokens.push({ kind: 'word', text: text.slice(begin, at) });
  }
  tokens.push({ kind: 'end', text: '' });
  return tokens;
}

/** The most of a wrong part that a message quotes; more would hide the message. */
const SHOWN_CHARS_MAX = 200;

/** A wrong part as a message quotes it, without the quotes. */
export const shownPart = (text: string): string =>
  text.length <= SHOWN_CHARS_MAX ? text : `${text.slice(0, SHOWN_CHARS_MAX)}...`;
