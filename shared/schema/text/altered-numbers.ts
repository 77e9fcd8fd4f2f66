import { type Scalar, isMap, isPair, isScalar, isSeq, parseDocument } from 'yaml';
import { type FloatNumber, readJsonText } from './json-text.ts';

/** What to say of such a number. */
export const alteredText = (text: string): string =>
  `the number ${text} would become ${Number(text)}: write it as a string, "${text}"`;

/**
 * The numbers of a text that are not read as they are written, with their paths.
 *
 * @param text a JSON or YAML document that was read before, so that it is not too large and not too deep
 */
export function alteredNumbers(text: string, format: 'json' | 'yaml'): readonly FloatNumber[] {
  if (format === 'json') return readJsonText(text).altered;
  const found: FloatNumber[] = [];
  collect(parseDocument(text, { logLevel: 'silent', uniqueKeys: false }).contents, [], found);
  return found;
}

function collect(node: unknown, path: readonly (string | number)[], found: FloatNumber[]): void {
  if (isMap(node)) {
    for (const item of node.items)
      if (isPair(item)) collect(item.value, [...path, isScalar(item.key) ? String(item.key.value) : ''], found);
  } else if (isSeq(node)) for (const [i, item] of node.items.entries()) collect(item, [...path, i], found);
  else if (isNumber(node) && String(node.value) !== node.source) found.push({ path, text: node.source });
}

const isNumber = (node: unknown): node is Scalar<number | bigint> & { readonly source: string } =>
  isScalar(node) && (typeof node.value === 'number' || typeof node.value === 'bigint') && node.source !== undefined;
