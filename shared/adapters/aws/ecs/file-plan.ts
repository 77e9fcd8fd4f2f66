import { gzipSync } from 'node:zlib';
import { invariant } from '../../../domain/base/invariant.ts';
import { type TaskFile, fileVariable } from '../../../domain/task/task.ts';

/** How the variable of a file holds its content; `gzip`: base64 of gzip; `token`: it has no variable, and is signed as it is written. */
export type FileForm = 'text' | 'base64' | 'gzip' | 'token';

/** A line of a plan: a file to be written. */
export type PlannedFile = {
  /** Its place in the list: {@link fileVariable}. */
  readonly nth: number;
  readonly form: FileForm;
  readonly mode: number;
  readonly volume: string;
  /** Within the volume: names with a slash between. */
  readonly path: string;
};

/** The variable of the container that writes files: what it writes, one line a file. */
export const FILE_PLAN = 'MUSTER_FILES';

/** A folder that is to belong to a group: that of a volume. */
export type PlannedFolder = { readonly group: number; readonly mode: number; readonly volume: string };

/** The variable of the same container with the folders, one line each. */
export const FOLDER_PLAN = 'MUSTER_FOLDERS';

/** Pure: the plan of folders. */
export const folderPlanOf = (folders: readonly PlannedFolder[]): string =>
  folders.map(({ group, mode, volume }) => `${group} ${formatMode(mode)} ${volume}`).join('\n');

/** Pure: the folders of a plan; null: a line is none. */
export function parseFolderPlan(plan: string): readonly PlannedFolder[] | null {
  const folders = plan.split('\n').map(parseFolder);
  return folders.every((folder) => folder !== null) ? folders : null;
}

function parseFolder(line: string): PlannedFolder | null {
  const [, group, mode = '', volume] = /^(\d{1,10}) ([0-7]{4}) ([\w-]+)$/s.exec(line) ?? [];
  return volume === undefined ? null : { group: Number(group), mode: Number.parseInt(mode, 8), volume };
}

const formatMode = (mode: number): string => mode.toString(8).padStart(4, '0');

/** What is written, and what of it a task definition holds. */
type FilePlan = {
  readonly plan: string;
  readonly known: readonly { readonly name: string; readonly value: string }[];
};

/** Pure: the plan of a task's files, and the variables of those whose content is known. */
export function planOf(files: readonly TaskFile[]): FilePlan {
  const planned = files.map((file, nth) => ({ file, nth, ...formOf(file) }));
  return {
    plan: planned.map(({ file, nth, form }) => formatFile({ ...file, nth, form })).join('\n'),
    known: planned.flatMap(({ nth, value }) => (value === null ? [] : [{ name: fileVariable(nth), value }])),
  };
}

function formatFile({ nth, form, mode, volume, path }: PlannedFile): string {
  invariant(isFilePath(path), 'admission takes paths only that stay in their volume and in one line');
  return `${nth} ${form} ${formatMode(mode)} ${volume}/${path}`;
}

/** `null`: the content is set later. */
function formOf({ content }: TaskFile): { readonly form: FileForm; readonly value: string | null } {
  if (content.kind === 'token') return { form: 'token', value: null };
  if (content.kind === 'known') return shortestForm(Buffer.from(content.base64, 'base64'));
  return { form: content.kind === 'secret' ? (content.from.object?.form ?? 'text') : 'text', value: null };
}

/** What takes the least of a task definition, which is JSON: its 64 KiB hold the files of all volumes. */
function shortestForm(content: Buffer): { readonly form: FileForm; readonly value: string } {
  const text = textOf(content);
  const forms: readonly { readonly form: FileForm; readonly value: string }[] = [
    ...(text === null ? [] : [{ form: 'text', value: text } as const]),
    { form: 'base64', value: content.toString('base64') },
    { form: 'gzip', value: gzipSync(content, { level: 9 }).toString('base64') },
  ];
  const size = (value: string): number => Buffer.byteLength(JSON.stringify(value));
  return forms.reduce((best, each) => (size(each.value) < size(best.value) ? each : best));
}

/** null: bytes that are not UTF-8, or that a variable cannot hold or a service may change on the way. */
function textOf(content: Buffer): string | null {
  const text = content.toString('utf8');
  return UNSAFE.test(text) || !Buffer.from(text).equals(content) ? null : text;
}

/** Control characters but tab and newline, and what XML and terminals have no character for. */
const UNSAFE = /[^\t\n\u0020-\u007E\u00A0-\uD7FF\uE000-\uFEFE\uFF00-\uFFFD\u{10000}-\u{10FFFF}]/u;

/** Pure: the files of a plan; null: a line is none, or would leave its volume. */
export function parsePlan(plan: string): readonly PlannedFile[] | null {
  const files = plan.split('\n').map(parseFile);
  return files.every((file) => file !== null) ? files : null;
}

function parseFile(line: string): PlannedFile | null {
  const [, nth, form, mode, volume, path = ''] =
    /^(\d{1,6}) (text|base64|gzip|token) ([0-7]{4}) ([\w-]+)\/(.+)$/s.exec(line) ?? [];
  return volume === undefined || !isFilePath(path)
    ? null
    : { nth: Number(nth), form: form as FileForm, mode: Number.parseInt(mode ?? '', 8), volume, path };
}

/** Names with a slash between, none of them empty or a way out. */
const isFilePath = (path: string): boolean =>
  !['\n', '\0'].some((end) => path.includes(end)) &&
  path.split('/').every((name) => name !== '' && name !== '.' && name !== '..');
