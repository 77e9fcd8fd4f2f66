import { type Document, isMap, isScalar, isSeq } from 'yaml';
import { fieldPath } from './field-error.ts';

/**
 * The path of the first field that stands twice in its object, as `spec.parallelism`; null: none does. The library's own
 * test of keys takes time in proportion to their square.
 *
 * @param document as it was composed
 */
export function duplicateFieldOfYaml(document: Document.Parsed | undefined): string | null {
  const rest: { readonly node: unknown; readonly path: readonly (string | number)[] }[] = [
    { node: document?.contents, path: [] },
  ];
  for (let next = rest.shift(); next !== undefined; next = rest.shift()) {
    const { node, path } = next;
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
