import type { Command } from 'commander';
import { JobSchema } from './client/api-objects.ts';
import { Failure, usageFailure } from './failure.ts';
import { type KubeClient, jobsPath, readAs } from './client/kube-client.ts';

export const JOBS_WORDS: readonly string[] = ['job', 'jobs', 'job.batch', 'jobs.batch'];

/**
 * Parses the name of a Job, also in the form that `run` prints: job.batch/frames.
 *
 * @throws Failure when it names another kind
 */
export function jobName(text: string): string {
  const [kind = '', name] = text.split('/');
  if (name === undefined) return text;
  if (!JOBS_WORDS.includes(kind) || name === '') throw usageFailure(`${JSON.stringify(text)} is not the name of a Job`);
  return name;
}

/** Which Jobs of a namespace a command applies to. */
export type Selection =
  | { readonly kind: 'named'; readonly names: readonly string[] }
  | { readonly kind: 'selected'; readonly labels: string }
  | { readonly kind: 'all' };

export type SelectionFlags = { readonly selector?: string; readonly all?: true };

/** Adds the ways to select Jobs to a command: names, `-l`, `--all`. */
export const selectsJobs = (command: Command): Command =>
  command
    .argument('[jobs...]', 'the Jobs', [])
    .option('-l, --selector <labels>', 'Jobs with these labels, such as app=x,tier!=test')
    .option('--all', 'all Jobs of the namespace');

/**
 * Reads the options that `selectsJobs` added.
 *
 * @throws Failure unless exactly one way to select Jobs was used
 */
export function selectionOf(jobs: readonly string[], { selector, all }: SelectionFlags): Selection {
  const ways = [jobs.length > 0, selector !== undefined, all === true].filter(Boolean).length;
  if (ways !== 1)
    throw usageFailure(ways === 0 ? 'specify Job names, -l, or --all' : 'names, -l, and --all cannot be combined');
  if (all === true) return { kind: 'all' };
  return selector === undefined ? { kind: 'named', names: jobs.map(jobName) } : { kind: 'selected', labels: selector };
}

/**
 * The names of the selected Jobs. Named Jobs need not exist.
 *
 * @throws Failure when a selection matches nothing
 */
export async function selectedNames(
  selection: Selection,
  namespace: string,
  client: KubeClient,
): Promise<readonly string[]> {
  if (selection.kind === 'named') return [...new Set(selection.names)];
  const query = selection.kind === 'all' ? {} : { labelSelector: selection.labels };
  const { items } = await client.list(jobsPath(namespace), query);
  if (items.length === 0) throw new Failure(`No resources found in ${namespace} namespace.`);
  return items.map((item) => readAs(JobSchema, item, client.target).metadata.name);
}

/**
 * Applies an action to each Job. As in kubectl, a refused or missing Job does not stop the others.
 *
 * @returns the exit code: 0, or that of the last refusal
 */
export async function forEachJob(
  names: readonly string[],
  tell: (text: string) => void,
  act: (name: string) => Promise<void>,
): Promise<number> {
  let exitCode = 0;
  for (const name of names) {
    try {
      await act(name);
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      tell(`${error.message}\n`);
      exitCode = error.exitCode;
    }
  }
  return exitCode;
}
