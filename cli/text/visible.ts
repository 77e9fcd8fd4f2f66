/** A control character but tab and line feed, and what makes a style of theme.ts of it if it is an escape. */
const CONTROL = /(?![\t\n])\p{Cc}(\[(?:[12]|22|3[1-69])m)?/gu;

/**
 * A text as a terminal may have it: our own styles stay, and any other control character is shown as `\u001b`. Items, commands,
 * messages, and much else in what a server sends were written by others, who could set the terminal's title with them, or forge
 * lines. Within JSON, and within double quotes of YAML, what is shown means the same.
 */
export const visible = (text: string): string =>
  text.replaceAll(CONTROL, (found: string, style = '') =>
    found.startsWith('\u001B') && style !== '' ? found : `${codeOf(found)}${style}`,
  );

const codeOf = (text: string): string => `\\u${text.charCodeAt(0).toString(16).padStart(4, '0')}`;
