import { WorkBar } from '../follow/work-bar.ts';
import { reach } from '../client/reach.ts';
import { EXIT, Failure, usageFailure } from '../shell/failure.ts';
import { listOf, objectText } from '../render/object-text.ts';
import type { CarriedList } from '../run-line/item-carrier.ts';
import { fileBytes } from '../run-line/list-file.ts';
import { jobOfCommand } from '../run-line/job-of-command.ts';
import type { Carried } from '../run-line/list-in-manifest.ts';
import type { LineForm, LineObject } from '../run-line/line-form.ts';
import type { LineFlags, ReadFile } from '../run-line/line-flags.ts';
import { splitSources } from '../run-line/parallel-sources.ts';
import type { Shell } from '../shell/shell.ts';
import { type RunFlags, runManifests } from './run.ts';

export type RunLineFlags = RunFlags & {
  readonly name: string;
  /** Those after `--`. */
  readonly words: readonly string[];
  readonly job: LineFlags;
  /** What is created in place of a Job; null: nothing else is. */
  readonly form: LineForm | null;
  /** Print the manifest, create nothing. */
  readonly isDry: boolean;
};

/**
 * `muster run NAME … -- COMMAND`: builds a manifest and runs it as a file's. With an empty list that is fine, it runs nothing.
 *
 * @returns the exit code; with `wait`, the Job's verdict
 */
export async function runLine(flags: RunLineFlags, shell: Shell): Promise<number> {
  const { name, words, job, form, isDry } = flags;
  const made = jobOfCommand(name, job, words, await readerOf(flags, shell));
  if (made === null) return sayNothingToDo(flags, shell);
  for (const note of made.notes) shell.err.write(`Note: ${note}\n`);
  const object = form === null ? made.manifest : form.objectOf(made.manifest, job);
  if (isDry) {
    if (made.carried !== null) shell.err.write(`Note: ${carriedText(made.carried, name)}\n`);
    shell.out.write(dryText(object, flags));
    return EXIT.ok;
  }
  if (made.carried !== null) return withCarried(made.carried, object, flags, shell);
  return create(object, flags, shell);
}

/** Objects are for programs: they get an empty list of them, as kubectl writes it. */
function sayNothingToDo({ output }: RunLineFlags, shell: Shell): number {
  (output === null ? shell.out : shell.err).write('The list has no items: no Job is created.\n');
  if (output === 'json' || output === 'yaml') shell.out.write(objectText(listOf([]), output));
  return EXIT.ok;
}

/** @param onCreated called when it is there, before anything waits for its end */
const create = async (
  object: LineObject,
  flags: RunLineFlags,
  shell: Shell,
  onCreated?: () => Promise<void>,
): Promise<number> =>
  flags.form === null
    ? runManifests([{ value: withNamespace(object, flags.namespace), lineOf: () => null }], flags, shell, onCreated)
    : flags.form.create(object, flags, shell);

const carriedText = ({ list, by }: Carried, name: string): string =>
  `${list.rows.length} items are too much for the manifest: they would be uploaded as ${by.word}/${name}`;

/**
 * Uploads the list before the Job is created. A Job keeps its items, so the list goes when the Job is there; what makes
 * Jobs needs it for each of them. Ctrl-C meanwhile waits for the server's answer, so that nothing is left behind.
 */
async function withCarried(
  { list, by }: Carried,
  object: LineObject,
  flags: RunLineFlags,
  shell: Shell,
): Promise<number> {
  const { name, namespace, kubeconfig, replacing, form } = flags;
  const isKept = form !== null;
  const client = await reach(kubeconfig, shell);
  const at = { namespace: namespace ?? client.target.namespace, name };
  const stop = new AbortController();
  const forget = shell.onInterrupt(() => stop.abort());
  const bar = new WorkBar(shell, LINE_EVERY_MS);
  let carried: CarriedList | null = null;
  const remove = async (): Promise<void> => {
    if (carried !== null) await by.remove(carried, client);
    carried = null;
  };
  try {
    const { signal } = stop;
    carried = await by.upload(at, list, { client, bar, signal, isKept, replaces: replacing !== 'never' });
    bar.close();
    const code = await create(object, flags, shell, async () => {
      await remove();
      forget();
      if (signal.aborted) throw new Failure(`interrupted: ${JOB}/${name} is there and runs`, EXIT.interrupted);
    });
    if (isKept) carried = null;
    return code;
  } finally {
    bar.close();
    await remove();
    forget();
  }
}

const LINE_EVERY_MS = 10_000;

const JOB = 'job.batch';

function dryText(object: LineObject, { name, namespace, output, form }: RunLineFlags): string {
  if (output === 'json' || output === 'yaml') return objectText(withNamespace(object, namespace), output);
  return `${form?.resource ?? JOB}/${name}${output === 'name' ? '' : ' created (dry run)'}\n`;
}

const withNamespace = (object: LineObject, namespace: string | null): object =>
  namespace === null ? object : { ...object, metadata: { ...object.metadata, namespace } };

/** Reads standard input first, if the command line names it. */
async function readerOf({ job, words }: RunLineFlags, shell: Shell): Promise<ReadFile> {
  const { perCompletionEnv = [], items } = job;
  const { sources } = splitSources(words);
  const files = [
    ...perCompletionEnv.flatMap((text) => /^[^=]*=@(.*)$/s.exec(text)?.[1] ?? []),
    ...(items === undefined ? [] : [items.replace(/^@/, '')]),
    ...sources.flatMap((source) => (source.token.startsWith('::::') ? source.words : [])),
  ];
  const uses = files.filter((file) => file === '-').length;
  if (uses > 1) throw usageFailure('standard input can be read only once');
  const stdin = uses === 1 ? await shell.readStdinBytes() : new Uint8Array();
  return (file) => (file === '-' ? stdin : fileBytes(file, shell));
}
