import type { EnvFlag } from '../shell/env-flags.ts';
import { usageFailure } from '../shell/failure.ts';

const SHELLS: readonly string[] = ['sh', 'bash', 'dash', 'ash', 'zsh', 'ksh', 'mksh', 'fish'];

/** Whether a shell of the command gets a script (`sh -c '…'`): the script reads variables itself. */
export const isScript = (command: readonly string[]): boolean =>
  command.some(
    (word, i) => SHELLS.includes(word.slice(word.lastIndexOf('/') + 1)) && takesScript(command.slice(i + 1)),
  );

/** Whether `-c` is among a shell's own options, which end before its first other word; `-o` has a value. */
function takesScript([option = '', ...rest]: readonly string[]): boolean {
  if (/^-[A-Za-z]*c$/.test(option)) return true;
  return /^[-+]./.test(option) && takesScript(/^[-+][A-Za-z]*[oO]$/.test(option) ? rest.slice(1) : rest);
}

/** A command of one word with blanks in it is a script, for no program has such a name. */
export const withShell = (command: readonly string[]): readonly string[] =>
  command.length === 1 && /\s/.test(command[0] ?? '') ? ['sh', '-c', ...command] : command;

const VARIABLE = /\$\$|\$\{([A-Za-z_]\w*)\}|\$([A-Za-z_]\w*)/g;

/** A word with blanks may be a program (`awk '{print $F}'`): no value becomes a part of it unasked. */
const mayBeProgram = (word: string): boolean => /\s/.test(word);

/**
 * Writes `$NAME` and `${NAME}` as `$(NAME)`, which Kubernetes replaces, in words without blanks of a command that no shell reads.
 * `$$` stays, which Kubernetes takes as one `$`: so `$$NAME` is not replaced.
 */
export const withReferences = (command: readonly string[], names: ReadonlySet<string>): readonly string[] =>
  command.map((word) => (mayBeProgram(word) ? word : withReferencesIn(word, names)));

/** The same for one word, whatever is in it. */
export const withReferencesIn = (word: string, names: ReadonlySet<string>): string =>
  word.replaceAll(VARIABLE, (whole, braced?: string, bare?: string) => {
    const name = braced ?? bare;
    return name !== undefined && names.has(name) ? `$(${name})` : whole;
  });

/** GNU parallel's variable with the number of its job, from 1. */
export const SEQUENCE = 'PARALLEL_SEQ';

/** The variable that a command needs which asks for the number of its job: it is the task's, no part of its item. */
export const sequenceEnv = (command: readonly string[]): readonly EnvFlag[] =>
  command.some((word) => word.includes('{#}') || word.includes(SEQUENCE))
    ? [{ name: SEQUENCE, value: '$(MUSTER_NUMBER)' }]
    : [];

/** `{}`, `{2}`, `{#}`, `{NAME}`; and what GNU parallel has in addition. `${1}` is a shell's. */
const PLACEHOLDER =
  /(?<!\$)\{(?:(\d+)|(#)|([A-Za-z_]\w*)|((?:-?\d+)?(?:\/\/|\/?\.{1,3}|\/|%)|0[#%]|-\d+|(?:\d+)?=.*?=))?\}/g;

/**
 * Replaces GNU parallel's `{}`, `{1}`, and `{#}` by references to columns. If the command has none, the item follows it, as in
 * GNU parallel. In a script nothing is replaced: a value would become a part of the program.
 *
 * @throws Failure, also for what GNU parallel has in addition
 */
export function withPlaceholders(command: readonly string[], columns: readonly string[]): readonly string[] {
  if (isScript(command)) {
    refuseInScript(command, columns);
    return command;
  }
  const references = columns.map((name) => `$(${name})`);
  let isUsed = false;
  const words = command.flatMap((word) => {
    if (word === '{}') {
      isUsed = true;
      return references;
    }
    const replaced = word.replaceAll(PLACEHOLDER, (whole, ...groups: (string | undefined)[]) =>
      referenceFor(whole, groups, columns),
    );
    if (replaced !== word && mayBeProgram(word))
      throw usageFailure(
        `${JSON.stringify(word)} has blanks, so it may be a program, and nothing is replaced in it: write ${references.join(' ')} for the value`,
      );
    isUsed ||= replaced !== word;
    return [replaced];
  });
  const isReferred = withReferences(command, new Set(columns)).some((word) =>
    references.some((reference) => word.includes(reference)),
  );
  return isUsed || isReferred ? words : [...words, ...references];
}

function referenceFor(whole: string, groups: readonly (string | undefined)[], columns: readonly string[]): string {
  const [position, sequence, name, other] = groups;
  if (sequence !== undefined) return `$(${SEQUENCE})`;
  if (name !== undefined) return columns.includes(name) ? `$(${name})` : whole;
  if (other !== undefined) throw usageFailure(refusalOf(whole, other, columns));
  if (position === undefined) {
    if (columns.length === 1) return `$(${columns[0] ?? ''})`;
    throw usageFailure(`{} within a word stands for one value, and there are ${columns.length}: write {1}, {2}, …`);
  }
  const column = columns[Number(position) - 1];
  if (column === undefined)
    throw usageFailure(`${whole}: there ${columns.length === 1 ? 'is 1 column' : `are ${columns.length} columns`}`);
  return `$(${column})`;
}

/** What does the same. */
function refusalOf(whole: string, form: string, columns: readonly string[]): string {
  const digits = /^-?\d+/.exec(form)?.[0];
  const column = columns[digits === undefined ? 0 : Number(digits) - 1] ?? columns[0] ?? '';
  const script = (text: string): string => `${whole} is not replaced here: use a script, sh -c '… ${text} …'`;
  if (/=.*=/.test(form))
    return `${whole} is not replaced here: no Perl is run; use a script, sh -c '…', with $${column}`;
  if (form.endsWith('%')) return `${whole} is not replaced here: tasks have no slots; {#} is the number of the item`;
  if (form.endsWith('//')) return script(`"$(dirname "$${column}")"`);
  if (form.endsWith('/.')) return script(`f=\${${column}##*/}; … "\${f%.*}"`);
  if (form.endsWith('/')) return script(`"\${${column}##*/}"`);
  if (form.endsWith('.')) return script(`"\${${column}%.*}"`);
  return `${whole} is not replaced here: write ${form.startsWith('-') ? `{${columns.length + 1 + Number(form)}}` : '{#}'}`;
}

function refuseInScript(command: readonly string[], columns: readonly string[]): void {
  const found = command.flatMap((word) =>
    [...word.matchAll(PLACEHOLDER)].filter(([, , , name]) => name === undefined || columns.includes(name)),
  );
  const [first] = found;
  const variables = columns.map((name) => `"$${name}"`).join(' ');
  if (first !== undefined) {
    const instead = first[2] === undefined ? variables : `"$${SEQUENCE}"`;
    throw usageFailure(`${first[0]} is not replaced in a script: write ${instead}, which the shell reads safely`);
  }
  if (!command.some((word) => columns.some((name) => word.includes(name))))
    throw usageFailure(`the script does not use the items, and none is appended to it: write ${variables} in it`);
}
