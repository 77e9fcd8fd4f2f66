import { JobSchema } from '../client/api-objects.ts';
import type { Followed } from '../follow/follow-job.ts';
import type { JobSelection } from '../shell/job-names.ts';
import { selectedNames } from '../client/selected-jobs.ts';
import { type KubeClient, jobsPath, readAs } from '../client/kube-client.ts';
import { reach, reachAgain } from '../client/reach.ts';
import type { ObjectForm } from '../render/object-forms.ts';
import { listOf, objectText } from '../render/object-text.ts';
import type { Shell } from '../shell/shell.ts';
import { waitForJobs, worstOf } from '../follow/wait-for-jobs.ts';

export type WatchFlags = {
  readonly namespace: string | null;
  readonly kubeconfig: string | null;
  /** null: no timeout */
  readonly timeoutMs: number | null;
  /** null: prints only progress and verdicts */
  readonly output: ObjectForm | null;
};

/**
 * `muster watch`: the live view of existing Jobs until they are over.
 *
 * @returns the exit code: the Jobs' verdict
 */
export async function watchJobs(selection: JobSelection, flags: WatchFlags, shell: Shell): Promise<number> {
  const client = await reach(flags.kubeconfig, shell);
  const namespace = flags.namespace ?? client.target.namespace;
  const followed: Followed[] = [];
  for (const name of await selectedNames(selection, namespace, client)) {
    const { metadata } = readAs(JobSchema, await client.get(jobsPath(namespace, name)), client.target);
    followed.push({ namespace, name, uid: metadata.uid });
  }
  return followToVerdict(followed, client, flags, shell);
}

/**
 * Shows Jobs until they are over, prints their verdicts, and prints the final objects if the caller wants them.
 *
 * @returns the exit code: the Jobs' verdict
 */
export async function followToVerdict(
  followed: readonly Followed[],
  client: KubeClient,
  { kubeconfig, timeoutMs, output: form }: Omit<WatchFlags, 'namespace'>,
  shell: Shell,
): Promise<number> {
  // If standard output carries objects, messages go to standard error.
  const output = form === null ? shell.out : shell.err;
  if (output.terminal !== null) output.write('\n');
  const reconnect = async () => reachAgain(kubeconfig, shell);
  const waited = await waitForJobs(followed, { client, reconnect, timeoutMs, output }, shell);
  const ended = waited.flatMap(({ object }) => (object === null ? [] : [object]));
  if (form !== null && ended.length > 0)
    shell.out.write(objectText(followed.length === 1 ? ended[0] : listOf(ended), form));
  return worstOf(waited.map(({ exitCode }) => exitCode));
}
