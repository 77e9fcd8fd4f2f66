/** An import of a capability's face: the names that it brings. */
const IMPORT = /^import (?:type )?\{([^}]*)\} from '\.\/([^/']+)\/(?:[a-z]+\/)?index\.ts';\n/gm;

/** A list of capabilities without one of them: without its import, and without the names that came by it. */
export function withoutLines(list: string, capability: string): string {
  const names: string[] = [];
  const rest = list.replace(IMPORT, (line, imported: string, from: string) => {
    if (from !== capability) return line;
    names.push(...imported.split(',').map((name) => name.trim()));
    return '';
  });
  return names
    .filter((name) => name !== '')
    .reduce((text, name) => text.replace(new RegExp(`\\b${name}\\b,?\\s*`, 'g'), ''), rest);
}
