/** A command line that does what the page does; words with anything but harmless characters are quoted. */
function commandLine(...words: readonly string[]): string {
  return words
    .map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`))
    .join(' ');
}

/** A `muster` command about something in a namespace. */
export const musterLine = (namespace: string, ...words: readonly string[]): string =>
  commandLine('muster', ...words, ...(namespace === 'default' ? [] : ['-n', namespace]));

/** A `kubectl` command about something in a namespace. */
export const kubectlLine = (namespace: string, ...words: readonly string[]): string =>
  commandLine('kubectl', ...words, ...(namespace === 'default' ? [] : ['-n', namespace]));
