import type { User } from '../../shared/domain/callers/user.ts';
import { parse } from 'csv-parse/sync';

export type UserWithToken = User & { readonly token: string };

export type ParsedUsers =
  | { readonly kind: 'users'; readonly users: readonly UserWithToken[] }
  /** A sentence for each line that is wrong; without tokens. */
  | { readonly kind: 'refused'; readonly faults: readonly string[] };

/** Every user whom Kubernetes knows is in it. */
const AUTHENTICATED = 'system:authenticated';

/**
 * Parses Kubernetes' static token file: `token,user,uid,"group1,group2"` a line, groups may be omitted (Kubernetes documentation,
 * "Authenticating", static token file). Stricter than Kubernetes, which skips and warns.
 */
export function parseUsers(text: string): ParsedUsers {
  const records = recordsIn(text);
  if (typeof records === 'string') return { kind: 'refused', faults: [records] };
  const users: UserWithToken[] = [];
  const lines = new Map<string, number>();
  const faults = records.flatMap(({ record, line }) => {
    const wrong = (what: string): readonly string[] => [`line ${line}: ${what}`];
    const [token = '', username = '', uid = '', list] = record;
    if (record.length < 3) return wrong('it must have a token, a user, and a uid, with commas between');
    if (record.length > 4)
      return wrong('it has more than four columns: several groups stand in double quotes, with commas between');
    if (!/^[\x21-\x7e]+$/.test(token)) return wrong('the token must be printable ASCII without blanks, and not empty');
    if (username === '') return wrong('the user has no name');
    const groups = list === undefined || list === '' ? [] : list.split(',').map((group) => group.trim());
    if (groups.includes('')) return wrong('a group has no name');
    const before = lines.get(token);
    if (before !== undefined) return wrong(`the token is that of line ${before}`);
    lines.set(token, line);
    const all = groups.includes(AUTHENTICATED) ? groups : [...groups, AUTHENTICATED];
    users.push({ token, username, ...(uid === '' ? {} : { uid }), groups: all });
    return [];
  });
  if (faults.length > 0) return { kind: 'refused', faults };
  return users.length === 0 ? { kind: 'refused', faults: ['it names nobody'] } : { kind: 'users', users };
}

type Line = { readonly record: readonly string[]; readonly line: number };

function recordsIn(text: string): readonly Line[] | string {
  try {
    const lines: Line[] = [];
    parse(text, {
      bom: true,
      relax_column_count: true,
      skip_empty_lines: true,
      record_delimiter: ['\r\n', '\n'],
      on_record: (record: readonly string[], { lines: line }) => void lines.push({ record, line }),
    });
    return lines;
  } catch (error) {
    const line = error instanceof Error && 'lines' in error ? `line ${String(error.lines)}: ` : '';
    return `${line}a double quote is out of place`; // the parser's own text holds what is there
  }
}
