import { failureOf } from '../client/job-end.ts';
import { JobSchema } from '../client/api-objects.ts';
import { ApiFailure, EXIT, Failure } from '../shell/failure.ts';
import { type Ending, followJob } from '../follow/follow-job.ts';
import { awaitGone } from '../client/await-gone.ts';
import type { JobSelection } from '../shell/job-names.ts';
import { selectedNames } from '../client/selected-jobs.ts';
import { type KubeClient, jobsPath, readAs } from '../client/kube-client.ts';
import type { Awaited } from '../shell/option-values.ts';
import { reach, reachAgain } from '../client/reach.ts';
import { formatDuration } from '../text/age.ts';
import { onOneLine } from '../text/table.ts';
import type { Shell, Signal } from '../shell/shell.ts';
import { EXIT_BY_SIGNAL } from '../follow/wait-for-job.ts';
import { worstOf } from '../follow/wait-for-jobs.ts';

export type WaitFlags = {
  readonly awaited: Awaited;
  readonly namespace: string | null;
  readonly kubeconfig: string | null;
  /** null: no timeout */
  readonly timeoutMs: number | null;
};

/**
 * `muster wait`: waits, without a view, until Jobs reach the requested state or can no longer reach it.
 *
 * @returns the exit code: 0 if they did, 1 if they ended otherwise, 3 if they were deleted, 124 if it timed out
 */
export async function waitFor(selection: JobSelection, flags: WaitFlags, shell: Shell): Promise<number> {
  const client = await reach(flags.kubeconfig, shell);
  const namespace = flags.namespace ?? client.target.namespace;
  const names = await selectedNames(selection, namespace, client);
  const stop = new AbortController();
  let why: Signal | 'timeout' | null = null;
  const stopFor = (reason: Signal | 'timeout'): void => {
    why ??= reason;
    stop.abort();
  };
  const forgetInterrupts = shell.onInterrupt(stopFor);
  const timeout = flags.timeoutMs === null ? undefined : setTimeout(stopFor, flags.timeoutMs, 'timeout');
  const waiting: Waiting = { client, namespace, flags, signal: stop.signal, why: () => why };
  try {
    return worstOf(await Promise.all(names.map(async (name) => waitForOne(name, waiting, shell))));
  } finally {
    clearTimeout(timeout);
    forgetInterrupts();
  }
}

type Waiting = {
  readonly client: KubeClient;
  readonly namespace: string;
  readonly flags: WaitFlags;
  readonly signal: AbortSignal;
  /** Why the wait ended. */
  readonly why: () => Signal | 'timeout' | null;
};

async function waitForOne(name: string, waiting: Waiting, shell: Shell): Promise<number> {
  try {
    const ending = await endingOf(name, waiting, shell);
    const { text, exitCode } = conditionOf(ending, name, waiting);
    (exitCode === EXIT.ok ? shell.out : shell.err).write(`${text}\n`);
    return exitCode;
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    shell.err.write(`${error.message}\n`);
    return error.exitCode;
  }
}

async function endingOf(name: string, waiting: Waiting, shell: Shell): Promise<Ending> {
  const { client, namespace, flags, signal } = waiting;
  const path = jobsPath(namespace, name);
  const read = await client.get(path).catch((error: unknown) => {
    if (flags.awaited === 'delete' && error instanceof ApiFailure && error.status.code === 404) return null;
    throw error;
  });
  if (read === null) return { kind: 'deleted' };
  const { uid } = readAs(JobSchema, read, client.target).metadata;
  if (flags.awaited === 'delete')
    return (await awaitGone(path, uid, client, signal)) ? { kind: 'deleted' } : { kind: 'aborted' };
  const reconnect = async () => reachAgain(flags.kubeconfig, shell);
  const options = { client, reconnect, signal, now: shell.now, onProgress: () => undefined, verdictOnly: true };
  return followJob({ namespace, name, uid }, options);
}

function conditionOf(
  ending: Ending,
  name: string,
  { flags, why }: Waiting,
): { readonly text: string; readonly exitCode: number } {
  const job = `job.batch/${name}`;
  switch (ending.kind) {
    case 'complete':
      return flags.awaited === 'failed'
        ? { text: `${job} is complete: it can no longer fail`, exitCode: EXIT.failed }
        : { text: `${job} complete`, exitCode: EXIT.ok };
    case 'failed':
      return {
        text: `${job} failed: ${onOneLine(failureOf(ending.job))}`,
        exitCode: flags.awaited === 'failed' ? EXIT.ok : EXIT.failed,
      };
    case 'deleted':
      return flags.awaited === 'delete'
        ? { text: `${job} deleted`, exitCode: EXIT.ok }
        : { text: `${job} was deleted`, exitCode: EXIT.deleted };
    case 'unreachable':
      return { text: ending.reason, exitCode: EXIT.failed };
    case 'aborted': {
      const reason = why();
      return reason === null || reason === 'timeout'
        ? { text: `${job}: timed out after ${formatDuration(flags.timeoutMs ?? 0)}`, exitCode: EXIT.timedOut }
        : { text: `No longer waiting for ${job}.`, exitCode: EXIT_BY_SIGNAL[reason] };
    }
  }
}
