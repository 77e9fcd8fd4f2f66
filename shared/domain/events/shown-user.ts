/** STATUS keeps twenty Events, and is written by every commit. */
const SHOWN_CHARS_MAX = 128;
/** Control characters, those that turn the direction of text or cannot be seen, halves of characters, and ends of lines. */
const UNSEEN = /[\p{C}\p{Zl}\p{Zp}]/gu;

/**
 * A user's name as Events show it: what could not be seen is escaped (`\u{1b}`), and what is too long is cut. An ARN fits.
 *
 * @param name any text: the signer of a token, or the writer of the file of users, has chosen it
 */
export function shownUser(name: string): string {
  // Escapes make it longer, so only as much is looked at as can be shown.
  const start = Array.from(name.slice(0, 4 * SHOWN_CHARS_MAX));
  const shown = start.map((char) => char.replaceAll(UNSEEN, (unseen) => `\\u{${codeOf(unseen)}}`));
  let [text, length] = ['', 0];
  for (const each of shown) {
    if ((length += each.length) > SHOWN_CHARS_MAX) return `${text}…`;
    text += each;
  }
  return text;
}

const codeOf = (char: string): string => (char.codePointAt(0) ?? 0).toString(16);
