import { textWidth } from '../../shared/domain/base/text-width.ts';

/**
 * Breaks a line of prose between words, as a terminal does not. A word that is longer than a line stays whole.
 *
 * @param columns of the terminal
 */
export function wrapWords(line: string, columns: number): string {
  const lines: string[] = [];
  let last = '';
  for (const word of line.split(' ')) {
    if (last === '') last = word;
    else if (textWidth(last) + 1 + textWidth(word) <= columns) last += ` ${word}`;
    else {
      lines.push(last);
      last = word;
    }
  }
  return [...lines, last].join('\n');
}
