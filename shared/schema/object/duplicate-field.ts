import { type Document, isMap, isScalar, isSeq } from 'yaml';
import { fieldPath } from './field-error.ts';

/**
 * The path of the first duplicate field, such as `spec.parallelism`; null: there is none. The library's own check takes
 * quadratic time.
 *
 * @param document the composed document
 */
export function duplicateFieldOfYaml(document: Document.Parsed | undefined): string | null {
  const rest: { readonly node: unknown; readonly path: readonly (string | number)[] }[] = [
    { node: document?.contents, path: [] },
  ];
  // The list grows while it is gone through.
  for (const { node, path } of rest) {
    if (isSeq(node)) for (const [i, item] of node.items.entries()) rest.push({ node: item, path: [...path, i] });
    if (!isMap(node)) continue;
    const seen = new Set<string>();
    for (const { key, value } of node.items) {
      const name = isScalar(key) ? String(key.value) : '';
      if (seen.has(name)) return fieldPath([...path, name]);
      seen.add(name);
      rest.push({ node: value, path: [...path, name] });
    }
  }
  return null;
}
