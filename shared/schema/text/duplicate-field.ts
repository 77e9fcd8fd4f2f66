import { type Document, type LineCounter, isMap, isNode, isScalar, isSeq } from 'yaml';
import { type Strays, StrayFields } from '../object/stray-fields.ts';

/**
 * Duplicate fields with their lines, in the order of Go's YAML decoder: what is within a value comes before it. The library's
 * own check takes quadratic time.
 *
 * @param document the composed document, at most 100 levels deep
 * @param lines those of its text
 */
export function duplicatesInYaml(document: Document.Parsed, lines: LineCounter): Strays {
  const strays = new StrayFields();
  const visit = (node: unknown, path: readonly (string | number)[]): void => {
    if (isSeq(node)) for (const [i, item] of node.items.entries()) visit(item, [...path, i]);
    if (!isMap(node)) return;
    const seen = new Set<string>();
    for (const { key, value } of node.items) {
      const name = isScalar(key) ? String(key.value) : '';
      visit(value, [...path, name]);
      if (seen.has(name)) strays.add('duplicate', [...path, name], lineOf(lines, value) ?? lineOf(lines, key) ?? 0);
      seen.add(name);
    }
  };
  visit(document.contents, []);
  return strays;
}

function lineOf(lines: LineCounter, node: unknown): number | null {
  const start = isNode(node) ? node.range?.[0] : undefined;
  return start === undefined ? null : lines.linePos(start).line;
}
