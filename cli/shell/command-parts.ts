import { type Command, Option } from 'commander';
import { LIST_FORMATS } from '../../shared/schema/items/list-formats.ts';
import { duration } from './option-values.ts';

/** Receives a command's exit code. */
export type Done = (exitCode: number) => void;

/** The end of a command's help. */
export const examples = (...lines: readonly string[]): string =>
  `\nExamples:\n${lines.map((line) => `  ${line}\n`).join('')}`;

export const namespaceOption = (): Option => new Option('-n, --namespace <name>', "(default: the kubeconfig's)");

export const timeoutOption = (): Option =>
  new Option('--timeout <duration>', 'stop waiting after this, such as 90s, 5m, 1h30m (Jobs continue)').argParser(
    duration,
  );

/** The options that most commands take: the namespace and the kubeconfig; null if not given. */
export function common(program: Command, { namespace = null }: { readonly namespace?: string | null }) {
  const { kubeconfig }: { kubeconfig?: string } = program.opts();
  return { namespace, kubeconfig: kubeconfig ?? null };
}

/** Items of a work list, by which indexes are chosen. */
export const itemOption = (): Option =>
  new Option('--item <item>', 'the indexes that work on this item of a work list; repeatable').argParser(oneMore);

/** commander gives nothing before the first. */
const oneMore = (item: string, before: readonly string[] | undefined): readonly string[] => [...(before ?? []), item];

/** How the file of `--items` is written. */
export const listFileOptions = (): readonly Option[] => [
  new Option('--header', 'the first row of --items names the columns'),
  new Option('--columns <names>', 'the columns, with commas between them').argParser(commaSeparated),
  new Option('--format <format>', 'how the list is written').choices(LIST_FORMATS),
  new Option('--skip-empty', 'leave out empty lines, which are refused otherwise'),
];

const commaSeparated = (text: string): readonly string[] => text.split(',');
