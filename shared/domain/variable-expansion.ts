/**
 * Replaces `$(NAME)` by the variable's value as Kubernetes does in command, args and env: `$$` is a dollar sign, a name
 * that is not defined stays as it is written (so a shell's own `$(date)` survives).
 */
export function expandVariables(text: string, variables: ReadonlyMap<string, string>): string {
  return walk(text, (name) => variables.get(name) ?? `$(${name})`);
}

/** The names that `text` refers to, defined or not. */
export function referredVariables(text: string): readonly string[] {
  const names: string[] = [];
  walk(text, (name) => {
    names.push(name);
    return '';
  });
  return names;
}

function walk(text: string, replace: (name: string) => string): string {
  let out = '';
  let at = 0;
  while (at < text.length) {
    const char = text.charAt(at);
    const next = text.charAt(at + 1);
    if (char !== '$' || next === '') {
      out += char;
      at++;
    } else if (next === '$') {
      out += '$';
      at += 2;
    } else if (next !== '(') {
      out += char + next;
      at += 2;
    } else {
      const end = text.indexOf(')', at + 2);
      out += end === -1 ? '$(' : replace(text.slice(at + 2, end));
      at = end === -1 ? at + 2 : end + 1;
    }
  }
  return out;
}
