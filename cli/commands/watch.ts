import { JobSchema } from '../api-objects.ts';
import type { Followed } from '../follow-job.ts';
import { type Selection, selectedNames } from '../job-names.ts';
import { type KubeClient, jobsPath, readAs } from '../kube-client.ts';
import { reach, reachAgain } from '../reach.ts';
import { type ObjectForm, listOf, objectText } from '../render/object-forms.ts';
import type { Shell } from '../shell.ts';
import { waitForJobs, worstOf } from '../wait-for-jobs.ts';

export type WatchFlags = {
  readonly namespace: string | null;
  readonly kubeconfig: string | null;
  /** null: as long as it takes */
  readonly timeoutMs: number | null;
  /** null: nothing is printed beside progress and verdicts */
  readonly output: ObjectForm | null;
};

/**
 * `muster watch`: the live view of Jobs that are there, until they are over.
 *
 * @returns the exit code: their verdict
 */
export async function watchJobs(selection: Selection, flags: WatchFlags, shell: Shell): Promise<number> {
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
 * Shows Jobs until they are over, says what has become of them, and prints them as they are then if that is wanted.
 *
 * @returns the exit code: their verdict
 */
export async function followToVerdict(
  followed: readonly Followed[],
  client: KubeClient,
  { kubeconfig, timeoutMs, output: form }: Omit<WatchFlags, 'namespace'>,
  shell: Shell,
): Promise<number> {
  // Where standard output carries objects, people are told on the other.
  const output = form === null ? shell.out : shell.err;
  if (output.terminal !== null) output.write('\n');
  const reconnect = async () => reachAgain(kubeconfig, shell);
  const waited = await waitForJobs(followed, { client, reconnect, timeoutMs, output }, shell);
  const ended = waited.flatMap(({ object }) => (object === null ? [] : [object]));
  if (form !== null && ended.length > 0)
    shell.out.write(objectText(followed.length === 1 ? ended[0] : listOf(ended), form));
  return worstOf(waited.map(({ exitCode }) => exitCode));
}
