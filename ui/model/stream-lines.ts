/** Cuts what a stream brings into lines: the whole ones, and what is left of the last. */
export function cutLines(rest: string, text: string): { readonly lines: readonly string[]; readonly rest: string } {
  const parts = (rest + text).split('\n');
  const last = parts.pop() ?? '';
  return { lines: parts, rest: last };
}

const CONTROLS = new RegExp(
  [
    String.raw`\u001b\[[0-?]*[ -/]*[@-~]`, // colours, cursor
    String.raw`\u001b\][^\u0007\u001b]*(?:\u0007|\u001b\\)`, // titles, links
    String.raw`[\u0000-\u0008\u000b-\u001f\u007f\u200e\u200f\u202a-\u202e\u2066-\u2069]`,
  ].join('|'),
  'g',
);

/** A text of others without what would steer a terminal or turn its direction round. */
export const visible = (text: string): string => text.replaceAll(CONTROLS, '');

/** A line of a log with its time in front, as the API gives it. */
export function timedLine(line: string): { readonly at: string | null; readonly text: string } {
  const [, at, text] = /^(\d{4}-\d\d-\d\dT[\d:.]+Z) ?(.*)$/s.exec(line) ?? [];
  return at === undefined || text === undefined ? { at: null, text: line } : { at, text };
}
