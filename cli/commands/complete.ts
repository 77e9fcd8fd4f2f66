import type { Command } from 'commander';
import { JobSchema, ListSchema } from '../client/api-objects.ts';
import { type Candidate, type Completion, completionOf, kindBefore } from '../program/completion.ts';
import { connect, jobsPath, readAs } from '../client/kube-client.ts';
import { findTarget } from '../client/kubeconfig.ts';
import type { Shell } from '../shell.ts';

/** The user waits at the Tab key. Each of the two requests may take this long. */
const ANSWER_MS = 500;
/** One page. */
const JOBS_MAX = 500;

/**
 * Prints completions for a partly typed command line, for the scripts of `muster completion`: a first line `words`,
 * `files`, or `folders`, then the words, each followed by a tab and a description. If there is no server, or a slow one,
 * there are no Job names.
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
    return []; // an error message would land in the line that the user is typing
  }
}
