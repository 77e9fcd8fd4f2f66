import { JobSchema } from './api-objects.ts';
import { type KubeClient, jobsPath, readAs } from './kube-client.ts';
import { Failure } from '../shell/failure.ts';
import type { JobSelection } from '../shell/job-names.ts';

/**
 * The names of the selected Jobs. Named Jobs need not exist.
 *
 * @throws Failure when a selection matches nothing
 */
export async function selectedNames(
  selection: JobSelection,
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
