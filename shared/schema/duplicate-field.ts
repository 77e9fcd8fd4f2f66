import { type Document, isMap, isScalar, isSeq } from 'yaml';
import { fieldPath } from './fault.ts';

type Level = { readonly seen: Set<string> | null; step: string | number };

/**
 * The path of the first field that stands twice in its object, as `spec.parallelism`; null: none does. JSON.parse keeps
 * the last of two and says nothing. Takes time in proportion to the text's length.
 *
 * @param text JSON, known to be valid
 */
export function duplicateFieldOfJson(text: string): string | null {
  const levels: Level[] = [];
  for (let at = 0; at < text.length; at++) {
    const level = levels.at(-1);
    switch (text.charAt(at)) {
      case '{':
        levels.push({ seen: new Set(), step: '' });
        break;
      case '[':
        levels.push({ seen: null, step: 0 });
        break;
      case '}':
      case ']':
        levels.pop();
        break;
      case ',':
        if (typeof level?.step === 'number') level.step++;
        break;
      case '"': {
        const end = endOfString(text, at);
        const isKey = level?.seen !== null && level !== undefined && isBeforeColon(text, end + 1);
        if (isKey) {
          const key = String(JSON.parse(text.slice(at, end + 1)));
          level.step = key;
          if (level.seen?.has(key) === true) return fieldPath(levels.map(({ step }) => step));
          level.seen?.add(key);
        }
        at = end;
        break;
      }
      default:
        break;
    }
  }
  return null;
}

/** Where the string that begins at `at` has its closing quote. */
function endOfString(text: string, at: number): number {
  let end = at + 1;
  while (end < text.length && text[end] !== '"') end += text[end] === '\\' ? 2 : 1;
  return end;
}

function isBeforeColon(text: string, from: number): boolean {
  let at = from;
  while (/\s/.test(text[at] ?? 'x')) at++;
  return text[at] === ':';
}

/** The same for a YAML document as it was composed, whose own test of keys takes time in proportion to their square. */
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
