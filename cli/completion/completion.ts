import type { Argument, Command, Option } from 'commander';
import { API_KINDS, OWNERS, type OwnerKind } from '../../shared/domain/kinds/api-kinds.ts';
import { JOBS_WORDS, wordsOf } from '../shell/job-names.ts';

/** What may follow in a partly typed command line. */
export type Completion = {
  /** Paths are left to the shell. */
  readonly kind: 'words' | 'files' | 'folders';
  /** The words that start with the typed prefix. */
  readonly words: readonly Candidate[];
  /** Names of such objects are completed, too: with this prefix, and without the names already on the line. */
  readonly named: {
    readonly kind: NamedKind;
    readonly prefix: string;
    readonly except: readonly string[];
  } | null;
  /** The options that select the server and the namespace; null: not given */
  readonly namespace: string | null;
  readonly kubeconfig: string | null;
};

export type NamedKind = 'Job' | OwnerKind;

export type Candidate = { readonly text: string; readonly about: string };

/**
 * Completes a command line. Reads everything from the commands themselves: an option or argument whose value is called
 * `file`, `folder`, `job`, `jobs`, `cron`, `crons`, the plural of a kind that makes Jobs, `what`, or `command` takes that kind of
 * value; one with choices takes these. An argument called `name` may be what users make Jobs of.
 *
 * @param words those after the program's name; the last one is partly typed, and may be empty
 */
export function completionOf(program: Command, words: readonly string[]): Completion {
  const whole = glued(words);
  const current = whole.at(-1) ?? '';
  const line = readLine(program, whole.slice(0, -1));
  const nothing: Completion = {
    kind: 'words',
    words: [],
    named: null,
    namespace: line.values.get('namespace') ?? null,
    kubeconfig: line.values.get('kubeconfig') ?? null,
  };
  const begins = (all: readonly Candidate[]) => all.filter(({ text }) => text.startsWith(current));
  const valuesOf = (of: Option | Argument, prefix: string): Completion => {
    const kind = kindOf(of, line);
    if (kind === 'files' || kind === 'folders') return { ...nothing, kind };
    if (kind === 'commands') return { ...nothing, words: begins(line.given.length === 0 ? subcommands(program) : []) };
    const objects = kind === 'objects' && line.given.length === 0 ? OBJECTS : [];
    const choices = [...(of.argChoices ?? []), ...objects].map((text) => ({ text: prefix + text, about: '' }));
    if (kind === 'words') return { ...nothing, words: begins(choices) };
    const named = kind === 'objects' ? 'Job' : kind;
    return { ...nothing, words: begins(choices), named: { kind: named, prefix: current, except: line.given } };
  };
  if (line.awaiting !== null) return valuesOf(line.awaiting, '');
  if (!line.isOnlyArguments && current.startsWith('-')) {
    const name = /^--[^=]+(?==)/.exec(current)?.[0];
    if (name === undefined) return { ...nothing, words: begins(flags(line.command)) };
    const option = optionOf(line.command, name);
    return option?.required === true ? valuesOf(option, `${name}=`) : nothing;
  }
  if (isGroup(line.command)) return { ...nothing, words: begins(line.isKnown ? subcommands(line.command) : []) };
  const of = argumentAt(line.command, line.given.length);
  return of === null ? nothing : valuesOf(of, '');
}

type ValueKind = NamedKind | 'files' | 'folders' | 'objects' | 'commands';

/** What makes a Job for each slot of a schedule. */
const SLOTS = OWNERS.find(({ ownsJobs }) => ownsJobs === 'slots')?.name;

/** The kind of a value, by its name in the help. */
const KINDS: Readonly<Record<string, ValueKind>> = {
  file: 'files',
  folder: 'folders',
  job: 'Job',
  jobs: 'Job',
  ...(SLOTS === undefined ? {} : { cron: SLOTS, crons: SLOTS }),
  ...Object.fromEntries(OWNERS.map(({ plural, name }) => [plural, name])),
  what: 'objects',
  command: 'commands',
};
/** An option's `name` is that of something else, and after `--` stands what a new Job runs. */
function kindOf(of: Option | Argument, { isOnlyArguments }: Line): ValueKind | 'words' {
  if (!('flags' in of) && of.name() === 'name') return isOnlyArguments ? 'words' : (PLACES ?? 'words');
  return KINDS[valueName(of)] ?? 'words';
}

/** What users make Jobs of by its name. */
const PLACES = OWNERS.find(({ ownsJobs }) => ownsJobs === 'places')?.name;

/** The kinds that `get` takes. */
const OBJECTS = ['jobs', 'pods', 'waits'];

const valueName = (of: Option | Argument): string =>
  'flags' in of ? (/[<[]([^>\]=[]+)/.exec(of.flags)?.[1] ?? '') : of.name();

/** bash splits `--output=json` and times at `=` and `:`. */
function glued(words: readonly string[]): readonly string[] {
  const whole: string[] = [];
  let joins = false;
  for (const word of words) {
    const isBreak = /^[=:]+$/.test(word);
    if (whole.length > 0 && (joins || isBreak)) whole.push((whole.pop() ?? '') + word);
    else whole.push(word);
    joins = isBreak;
  }
  return whole;
}

type Line = {
  readonly command: Command;
  /** False if its name is unknown. */
  readonly isKnown: boolean;
  /** The command's positional arguments. */
  readonly given: readonly string[];
  /** Values of options, by long name. */
  readonly values: ReadonlyMap<string, string>;
  /** The option whose value comes next. */
  readonly awaiting: Option | null;
  /** After `--`. */
  readonly isOnlyArguments: boolean;
};

/** Reads the finished words. */
function readLine(program: Command, words: readonly string[]): Line {
  let command = program;
  let isKnown = true;
  let awaiting: Option | null = null;
  let isOnlyArguments = false;
  const given: string[] = [];
  const values = new Map<string, string>();
  for (const word of words) {
    if (awaiting !== null) {
      values.set(awaiting.name(), word);
      awaiting = null;
    } else if (isOnlyArguments || !word.startsWith('-') || word === '-') {
      if (!isGroup(command)) given.push(word);
      else {
        const named = allSubcommands(command).find((each) => each.name() === word);
        isKnown = isKnown && named !== undefined;
        command = named ?? command;
      }
    } else if (word === '--') isOnlyArguments = true;
    else {
      const [, name = word, value = null] = /^(--[^=]+)=([^]*)$/.exec(word) ?? [];
      const option = optionOf(command, name);
      if (option !== null && value !== null) values.set(option.name(), value);
      else if (option?.required === true) awaiting = option;
    }
  }
  return { command, isKnown, given, values, awaiting, isOnlyArguments };
}

/** `muster`, and `muster cron`: a command comes next. */
const isGroup = ({ commands }: Command): boolean => commands.length > 0;

/** The commands in the help, including `help`. */
const allSubcommands = (group: Command): readonly Command[] => group.createHelp().visibleCommands(group);

const subcommands = (group: Command): readonly Candidate[] =>
  allSubcommands(group).map((each) => ({ text: each.name(), about: each.summary() || each.description() }));

/** A command also accepts the program's options. */
function optionsOf(command: Command): readonly Option[] {
  const help = command.createHelp();
  help.showGlobalOptions = true;
  return [...help.visibleOptions(command), ...help.visibleGlobalOptions(command)];
}

const optionOf = (command: Command, name: string): Option | null =>
  optionsOf(command).find(({ long, short }) => long === name || short === name) ?? null;

const flags = (command: Command): readonly Candidate[] => {
  const candidates = optionsOf(command).flatMap(({ long, short, description }) =>
    [long, short].flatMap((text) => (typeof text === 'string' ? [{ text, about: description }] : [])),
  );
  return [...new Map(candidates.map((each) => [each.text, each])).values()];
};

function argumentAt({ registeredArguments }: Command, position: number): Argument | null {
  const last = registeredArguments.at(-1);
  return registeredArguments[position] ?? (last?.variadic === true ? last : null);
}

/** `job.batch/frames` also names a Job, and `cronjob/nightly` a CronJob. */
export const kindBefore = (kind: NamedKind, text: string): string =>
  (kind === 'Job' ? JOBS_WORDS : wordsOf(API_KINDS[kind]))
    .map((word) => `${word}/`)
    .find((word) => text.startsWith(word)) ?? '';
