import type { Command } from 'commander';
import { JobSchema, ListSchema } from '../api-objects.ts';
import { type Candidate, type Completion, completionOf, kindBefore } from '../completion.ts';
import { connect, jobsPath, readAs } from '../kube-client.ts';
import { findTarget } from '../kubeconfig.ts';
import type { Shell } from '../shell.ts';

/** Somebody waits at the Tab key; each of two requests may take as long. */
const ANSWER_MS = 500;
/** One page. */
const JOBS_MAX = 500;

/**
 * Prints what may stand where a command line is being typed, for the scripts of `muster completion`: a line `words`, `files`
 * or `folders`, then the words, each with a tab and a sentence about it. No server, or a slow one: no names of Jobs.
 */
export async function complete(program: Command, words: readonly string[], shell: Shell): Promise<void> {
  const completion = completionOf(program, words);
  const all = [...completion.words, ...(await jobNames(completion, shell))];
  shell.out.write([completion.kind, ...all.map(({ text, about }) => `${text}\t${about}`)].join('\n') + '\n');
}

async function jobNames({ jobs, namespace, kubeconfig }: Completion, shell: Shell): Promise<readonly Candidate[]> {
  if (jobs === null) return [];
  const kind = kindBefore(jobs.prefix);
  try {
    const client = await connect(findTarget(kubeconfig, shell).target, ANSWER_MS);
    const path = jobsPath(namespace ?? client.target.namespace);
    const { items } = readAs(ListSchema, await client.get(path, { limit: JOBS_MAX }), client.target);
    return items
      .map((item) => kind + readAs(JobSchema, item, client.target).metadata.name)
      .filter((name) => name.startsWith(jobs.prefix) && !jobs.except.includes(name))
      .map((text) => ({ text, about: '' }));
  } catch {
    return []; // an error message would land in the middle of what is being typed
  }
}
