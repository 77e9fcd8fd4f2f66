/** A block of a page that somebody may paste into a shell. */
export type Block = {
  readonly page: string;
  /** Of its fence, from 1. */
  readonly line: number;
  /** `sh`: all of it is typed. `console`: lines after `$ ` are typed, the others are what is printed. */
  readonly form: 'sh' | 'console';
  /** What stands after the form: why it is not run, or how. */
  readonly mark: string | null;
  readonly commands: readonly Command[];
};

export type Command = {
  readonly text: string;
  /** What the page says it prints; empty: the page does not say. */
  readonly shows: readonly string[];
};

const FENCE = /^```(\S*)(?: (.+))?$/;
/** Not for a shell. */
const OTHER_FORMS: readonly string[] = ['ts', 'yaml', 'json', 'js', 'python', 'text', 'mermaid'];

/**
 * The blocks of a page that are for a shell.
 *
 * @throws Error for a block of which nobody can tell whether it is for a shell, and for commands that stand outside blocks
 */
export function blocksOf(page: string, text: string): readonly Block[] {
  const blocks: Block[] = [];
  const lines = text.split('\n');
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? '';
    const fence = FENCE.exec(line);
    if (fence === null) {
      if (/^ {4}(?:\$ )?(?:npx|npm|kubectl|muster|node|curl|aws|cd) /.test(line))
        throw new Error(`${page}:${at + 1}: a command that is in no block between fences: ${line.trim()}`);
      continue;
    }
    const end = lines.indexOf('```', at + 1);
    if (end < 0) throw new Error(`${page}:${at + 1}: a block without an end`);
    const [, form = '', mark = null] = fence;
    const body = lines.slice(at + 1, end);
    if (form === 'sh' || form === 'console')
      blocks.push({ page, line: at + 1, form, mark, commands: form === 'sh' ? wholeOf(body) : commandsOf(body) });
    else if (!OTHER_FORMS.includes(form)) throw new Error(`${page}:${at + 1}: a block of unknown form "${form}"`);
    at = end;
  }
  return blocks;
}

const wholeOf = (body: readonly string[]): readonly Command[] => [{ text: body.join('\n'), shows: [] }];

function commandsOf(body: readonly string[]): readonly Command[] {
  const commands: { text: string; shows: string[] }[] = [];
  for (const line of body) {
    if (line.startsWith('$ ')) commands.push({ text: line.slice(2), shows: [] });
    else commands.at(-1)?.shows.push(line);
  }
  return commands;
}

/** Times, sizes of columns, and what is drawn at random are no part of what a page promises. */
const tidied = (line: string): string =>
  line
    .replaceAll(/\b(?:\d+(?:\.\d+)?(?:ms|[smhd]))+\b/g, 'TIME')
    .replaceAll(/127\.0\.0\.1:\d+/g, 'ADDRESS')
    .replaceAll(/\bpid \d+/g, 'pid PID')
    .replaceAll(/\b(\w[\w-]*?-\d+)-[a-z0-9]{5}\b/g, '$1-RANDOM')
    .replaceAll(/\s+/g, ' ')
    .trim();

/**
 * Whether what was printed is what a page shows: line by line, tidied; `...` stands for any lines, and at the end of a line for
 * its rest.
 */
export function isAsShown(shows: readonly string[], printed: string): boolean {
  const pattern = shows
    .map(tidied)
    .map((line) => {
      if (line === '...') return '(?:.*\n)*?';
      const open = line.endsWith('...');
      return `${escaped(open ? line.slice(0, -3) : line)}${open ? '.*' : ''}\n`;
    })
    .join('');
  return new RegExp(`^${pattern}$`).test(`${printed.trimEnd().split('\n').map(tidied).join('\n')}\n`);
}

const escaped = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
