import { type ItemList, columnFault, duplicatesIn } from '../../shared/domain/items/item-list.ts';
import { ANNOTATIONS, CAPACITY_SELECTOR } from '../../shared/domain/manifests/annotations.ts';
import { usageFailure } from '../shell/failure.ts';
import {
  SEQUENCE,
  isScript,
  sequenceEnv,
  withPlaceholders,
  withReferences,
  withReferencesIn,
  withShell,
} from './command-words.ts';
import { failureLimits } from './failure-limits.ts';
import { type Carried, type ListInManifest, listInManifest } from './list-in-manifest.ts';
import { type ListedItems, itemsOfArray, itemsOfFile, itemsOfMatrix, perCompletionEnv } from './listed-items.ts';
import { type Source, itemsOfSources, optionsAmongItems, splitSources } from './parallel-sources.ts';
import type { EnvFlag } from '../shell/env-flags.ts';
import type { ReadFile, LineFlags } from './line-flags.ts';
import { dependencyAnnotations } from './dependency-flags.ts';
import { taskColumnAnnotations, templateImage } from './task-columns-flags.ts';

export type JobOfCommand = {
  readonly manifest: {
    readonly apiVersion: 'batch/v1';
    readonly kind: 'Job';
    readonly metadata: { readonly name: string; readonly annotations?: Readonly<Record<string, string>> };
    readonly spec: object;
  };
  /** The list, if it is too large for the manifest, which names what has it by the Job's own name; null: it is not. */
  readonly carried: Carried | null;
  /** What to tell the user. */
  readonly notes: readonly string[];
};

/** Without `--parallelism`, so many tasks run at once at most. */
const PARALLELISM_DEFAULT = 10;

const INDEX = 'JOB_COMPLETION_INDEX';
const COMPLETIONS = 'MUSTER_COMPLETIONS';
/** What a task with an item has in addition to its columns. */
const OF_ITEMS = ['MUSTER_ITEM', 'MUSTER_RESULT_NAME'];

/**
 * The manifest that a command line describes.
 *
 * @param name the Job's
 * @param words those after `--`
 * @returns null: the list has no items, and the flags allow that
 * @throws Failure (invalid command line) that says what is wrong and what would be right
 */
export function jobOfCommand(
  name: string,
  flags: LineFlags,
  words: readonly string[],
  readFile: ReadFile,
): JobOfCommand | null {
  const { command: given, sources } = splitSources(words);
  if (flags.imageFromItems !== true) templateImage(flags, null);
  const listed = listedItems(flags, sources, given, readFile);
  const list = listed?.list ?? null;
  if (list?.rows.length === 0) return null;
  const fixed = listed?.env ?? [];
  const all = { ...flags, env: [...fixed, ...(flags.env ?? [])] };
  const command = commandOf(given, list, sources.length > 0, all);
  refuseVariablesTwice(flags, list, fixed);
  const ofColumns = taskColumnAnnotations(flags, list);
  const spec = specOf({ ...flags, image: templateImage(flags, list) }, command, listed);
  const inManifest = list === null ? null : listInManifest(list, name);
  const carried = inManifest?.carried ?? null;
  const annotations = { ...annotationsOf(flags, inManifest), ...ofColumns, ...dependencyAnnotations(name, flags) };
  const metadata = Object.keys(annotations).length === 0 ? {} : { annotations };
  const notes = [...(listed?.notes ?? []), ...notesOn(all, given, command, list)];
  return {
    manifest: { apiVersion: 'batch/v1', kind: 'Job', metadata: { name, ...metadata }, spec },
    carried,
    notes,
  };
}

/** The one list of a command line, which has items unless the flags allow that it has none; null: there is no list. */
function listedItems(
  flags: LineFlags,
  sources: readonly Source[],
  command: readonly string[],
  readFile: ReadFile,
): ListedItems | null {
  const { perCompletionEnv: columns = [], items, matrix = [], array } = flags;
  const any = { ...flags, allowEmpty: true } as const;
  const lists: readonly (readonly [option: string, isGiven: boolean, read: () => ListedItems])[] = [
    ['--per-completion-env', columns.length > 0, () => perCompletionEnv(columns, any, readFile)],
    ['--items', items !== undefined, () => itemsOfFile(items ?? '', any, readFile)],
    ['--matrix', matrix.length > 0, () => itemsOfMatrix(matrix)],
    ['--array', array !== undefined, () => itemsOfArray(array ?? '')],
    [sources[0]?.token ?? ':::', sources.length > 0, () => parallelItems(sources, any, command, readFile)],
  ];
  const given = lists.filter(([, isGiven]) => isGiven);
  const [one, two] = given;
  if (one !== undefined && two !== undefined) throw usageFailure(`two lists at once: ${one[0]} and ${two[0]}`);
  refuseIdleOptions(flags, sources.length > 0, one !== undefined);
  if (one === undefined) return null;
  const listed = one[2]();
  if (listed.list.rows.length === 0 && flags.allowEmpty !== true)
    throw usageFailure(`the list has no items (${saidList(flags, sources)}); with --allow-empty that is fine`);
  return listed;
}

/** What the command line says of its list, without its values. */
function saidList(
  { perCompletionEnv: [column] = [], items, matrix = [], array }: LineFlags,
  sources: readonly Source[],
) {
  if (column !== undefined) return `--per-completion-env ${column}`;
  if (items !== undefined) return `--items ${items}`;
  if (array !== undefined) return `--array ${JSON.stringify(array)}`;
  const [name] = matrix.filter((text) => text.endsWith('='));
  if (name !== undefined) return `--matrix ${name}`;
  return sources.map(({ token, words }) => (token.startsWith('::::') ? [token, ...words].join(' ') : token)).join(' ');
}

/** An option that would do nothing is a slip. */
function refuseIdleOptions(flags: LineFlags, hasSources: boolean, hasList: boolean): void {
  const hasFile = flags.items !== undefined || flags.perCompletionEnv?.some((text) => text.includes('=@')) === true;
  const idle: readonly (readonly [isIdle: boolean, message: string])[] = [
    [flags.header === true && flags.items === undefined, '--header is for --items'],
    [flags.columns !== undefined && flags.items === undefined && !hasSources, '--columns is for --items and :::'],
    [flags.format !== undefined && !hasFile, '--format is for --items and --per-completion-env NAME=@FILE'],
    [flags.skipEmpty === true && !hasFile && !hasSources, '--skip-empty is for lists in files'],
    [flags.allowEmpty === true && !hasList, '--allow-empty is for a list'],
    [flags.colsep !== undefined && !hasSources, '--colsep is for ::: and ::::; for --items say --format csv or tsv'],
  ];
  const found = idle.find(([isIdle]) => isIdle);
  if (found !== undefined) throw usageFailure(found[1]);
}

/** GNU parallel's items, and the number of each where the command asks for it. */
function parallelItems(
  sources: readonly Source[],
  flags: LineFlags,
  command: readonly string[],
  readFile: ReadFile,
): ListedItems {
  if (command.length === 0)
    throw usageFailure(
      `${sources[0]?.token ?? ':::'} needs a command before it; sh -c 'eval "$ITEM"' runs items as commands`,
    );
  const { columns, rows } = itemsOfSources(sources, flags, readFile);
  const slip = optionsAmongItems(sources);
  return { list: { columns, rows }, notes: slip === null ? [] : [slip], parallelism: null, env: sequenceEnv(command) };
}

/** The command of the container; null: the image's own. */
function commandOf(
  given: readonly string[],
  list: ItemList | null,
  hasSources: boolean,
  flags: LineFlags,
): readonly string[] | null {
  if (given.length === 0) return null;
  const shelled = withShell(given);
  const command = hasSources ? withPlaceholders(shelled, list?.columns ?? []) : shelled;
  if (isScript(command)) return command;
  const words = withReferences(command, variablesOf(flags, list));
  const varying = [...(list?.columns ?? []), SEQUENCE].find((name) => words[0]?.includes(`$(${name})`));
  if (varying !== undefined)
    throw usageFailure(`every index runs the same program: let a shell choose it, sh -c '"$${varying}" …'`);
  return words;
}

/** The names that the command line itself gives to variables, and those of every task. */
const variablesOf = ({ completionIndexVarName: index, env = [] }: LineFlags, list: ItemList | null) =>
  new Set([
    INDEX,
    COMPLETIONS,
    ...(list === null ? [] : [...OF_ITEMS, ...list.columns]),
    ...env.map(({ name }) => name),
    ...(index === undefined ? [] : [index]),
  ]);

function refuseVariablesTwice(flags: LineFlags, list: ItemList | null, fixed: readonly EnvFlag[]): void {
  const { completionIndexVarName: index, env = [] } = flags;
  const indexFault = index === undefined || index === INDEX ? null : columnFault(index);
  if (indexFault !== null)
    throw usageFailure(`--completion-index-var-name: ${indexFault.replace('column', 'variable')}`);
  const names = [
    ...(list?.columns ?? []).map((name) => ({ name, of: 'a column of the list' })),
    ...fixed.map(({ name }) => ({ name, of: flags.array === undefined ? 'the number of the item' : 'set by --array' })),
    ...(index === undefined ? [] : [{ name: index, of: '--completion-index-var-name' }]),
    ...env.map(({ name }) => ({ name, of: '--env' })),
  ];
  for (const [i, { name, of }] of names.entries()) {
    const before = names.slice(0, i).find((each) => each.name === name);
    if (before !== undefined) throw usageFailure(`the variable ${name} is said twice: ${before.of}, and ${of}`);
  }
}

function annotationsOf(flags: LineFlags, list: ListInManifest | null): Readonly<Record<string, string>> {
  const { batch, failedOf } = flags;
  return {
    ...list?.annotations,
    ...(batch === undefined ? {} : { [ANNOTATIONS.batch]: `${batch}` }),
    ...(failedOf === undefined ? {} : { [ANNOTATIONS.rerunOf]: failedOf }),
  };
}

function specOf(flags: LineFlags, command: readonly string[] | null, listed: ListedItems | null): object {
  const completions = completionsOf(flags, listed?.list ?? null);
  const limits = failureLimits(flags, listed !== null, completions);
  return {
    completionMode: 'Indexed',
    completions,
    parallelism: parallelismOf(flags, listed) ?? Math.min(Math.max(completions, 1), PARALLELISM_DEFAULT),
    ...limits.fields,
    template: { spec: podOf(flags, command, listed?.env ?? [], limits.restartPolicy) },
  };
}

function completionsOf({ completions, batch }: LineFlags, list: ItemList | null): number {
  if (list === null) {
    if (batch !== undefined) throw usageFailure('--batch needs a list');
    return completions ?? 1;
  }
  const implied = Math.ceil(list.rows.length / (batch ?? 1));
  if (completions === undefined || completions === implied) return implied;
  const each = batch === undefined ? '' : ` in batches of ${batch}, which are ${implied}`;
  throw usageFailure(`--completions ${completions}: the list has ${list.rows.length} items${each}; leave it out`);
}

function parallelismOf({ parallelism, array }: LineFlags, listed: ListedItems | null): number | null {
  const said = listed?.parallelism ?? null;
  if (said !== null && parallelism !== undefined && said !== parallelism)
    throw usageFailure(`--parallelism ${parallelism} and --array ${array ?? ''} say two numbers`);
  return parallelism ?? said;
}

const INDEX_ANNOTATION = "metadata.annotations['batch.kubernetes.io/job-completion-index']";

function podOf(
  flags: LineFlags,
  command: readonly string[] | null,
  fixed: readonly EnvFlag[],
  restartPolicy: string,
): object {
  const { image, completionIndexVarName: index, env = [], chdir, cpu, memory, serviceAccount, spot } = flags;
  const isOwnVariable = index !== undefined && index !== INDEX;
  const variables = [
    ...(isOwnVariable ? [{ name: index, valueFrom: { fieldRef: { fieldPath: INDEX_ANNOTATION } } }] : []),
    ...fixed,
    ...env,
  ];
  const requests = { ...(cpu === undefined ? {} : { cpu }), ...(memory === undefined ? {} : { memory }) };
  const container = {
    name: 'main',
    image,
    ...(command === null ? {} : { command }),
    ...(chdir === undefined ? {} : { workingDir: chdir }),
    ...(variables.length === 0 ? {} : { env: variables }),
    ...(Object.keys(requests).length === 0 ? {} : { resources: { requests } }),
  };
  return {
    restartPolicy,
    ...(serviceAccount === undefined ? {} : { serviceAccountName: serviceAccount }),
    ...(spot === undefined ? {} : { nodeSelector: { [CAPACITY_SELECTOR]: 'spot' } }),
    containers: [container],
  };
}

/** What is allowed, and may be a slip. */
function notesOn(
  flags: LineFlags,
  given: readonly string[],
  command: readonly string[] | null,
  list: ItemList | null,
): readonly string[] {
  const notes: string[] = [];
  const duplicates = list === null ? 0 : duplicatesIn(list);
  if (duplicates > 0) notes.push(`${duplicates} of ${list?.rows.length ?? 0} items equal an earlier one`);
  if (command === null) return notes;
  if (isScript(command)) {
    const inserted = list?.columns.find((name) => command.some((word) => word.includes(`$(${name})`)));
    if (inserted !== undefined)
      notes.push(
        `$(${inserted}) makes the value a part of the script, whatever is in it: the shell reads "$${inserted}"`,
      );
    return notes;
  }
  const names = variablesOf(flags, list);
  const untouched = command.find((word) => withReferencesIn(word, names) !== word);
  if (untouched !== undefined)
    notes.push(
      `${JSON.stringify(untouched)} has blanks, so it may be a program, and is left as it is: $(NAME) is replaced in it, $NAME is not`,
    );
  if (list === null || untouched !== undefined) return notes;
  const [name = ''] = list.columns;
  const quoted = `'$${name}'`;
  const refersTo = list.columns.some((column) => command.some((word) => word.includes(`$(${column})`)));
  if (!refersTo && (flags.perCompletionEnv !== undefined || given.includes('')))
    notes.push(
      `no argument is ${quoted} (in single quotes, or your shell replaces it): tasks find ${name} in their environment only`,
    );
  if (given.includes('{}') && !refersTo)
    notes.push(`{} is replaced only with ::: or :::: after the command: write ${quoted}`);
  return notes;
}
