/** An import of a file of a capability's, from beside its folder or from afar: the names that it brings, and the folder. */
const IMPORT =
  /^import (?:type )?(?:\{([^}]*)\}|\* as (\w+)|(\w+)) from '(?:(?:\.\.\/)+shared\/capabilities|(?:\.\.\/)*\.\.)\/([^/']+)\/[^']+';\n/gm;

/**
 * A list of capabilities without one of them: without what it imports from the capability's folder, and without the entries of the
 * names that came by it. An entry is `name`, `...name`, or `key: name`, each also called or with a member after a point.
 */
export function withoutLines(list: string, capability: string): string {
  const names: string[] = [];
  const rest = list.replace(IMPORT, (line, members = '', whole = '', one = '', from = '') => {
    if (from !== capability) return line;
    names.push(...`${members},${whole},${one}`.split(',').map(nameHere));
    return '';
  });
  return names.filter((name) => name !== '').reduce((text, name) => text.replace(entryOf(name), ''), rest);
}

/** Of `type a as b`: b. */
const nameHere = (member: string): string => member.trim().split(/\s+/).at(-1) ?? '';

const entryOf = (name: string): RegExp =>
  new RegExp(String.raw`(?:\.\.\.|(?:[\w$]+|'[^'\n]*'):\s*)?\b${name}\b(?:\.\w+)*(?:\([^()]*\))?,?\s*`, 'g');
