import { themeFor } from '../render/theme.ts';
import { type FailedAttempt, failureKinds, logsToRead } from '../../shared/domain/failures/failure-kinds.ts';
import { type EndedAttempt, type Job, JobSchema } from '../client/api-objects.ts';
import { type KubeClient, jobsPath, readAs } from '../client/kube-client.ts';
import { reach } from '../client/reach.ts';
import { EXIT } from '../shell/failure.ts';
import { WorkBar } from '../follow/work-bar.ts';
import { commandWord } from '../text/command-word.ts';
import { endedAttempts } from '../logs/ended-attempts.ts';
import { readLogEnds } from '../logs/log-ends.ts';
import { type FailureReport, reportObject, reportText } from '../render/failure-report.ts';
import { objectText } from '../render/object-text.ts';
import type { ObjectForm } from '../render/object-forms.ts';
import { shellQuoted } from '../text/shell-quoted.ts';
import type { Shell } from '../shell/shell.ts';

export type FailuresFlags = {
  readonly output: ObjectForm | 'text';
  /** Lines shown from the end of one log of each kind. */
  readonly lines: number;
  readonly namespace: string | null;
  readonly kubeconfig: string | null;
};

/** However many indexes have failed. */
const LOGS_READ_MAX = 200;

/**
 * `muster failures`: how the indexes of a Job have failed, grouped by verdict, exit code, and the last line of their logs. The
 * exit code says whether that could be found out, not what it is.
 */
export async function failures(name: string, flags: FailuresFlags, shell: Shell): Promise<number> {
  const client = await reach(flags.kubeconfig, shell);
  const namespace = flags.namespace ?? client.target.namespace;
  const job = readAs(JobSchema, await client.get(jobsPath(namespace, name)), client.target);
  const stop = new AbortController();
  const bar = new WorkBar(shell, null);
  const forgetInterrupts = shell.onInterrupt(() => stop.abort());
  try {
    const report = await collect(job, flags, { client, bar, signal: stop.signal });
    bar.close();
    const { muster, options } = { muster: commandWord(shell.env), options: namespaceOption(flags.namespace) };
    if (flags.output === 'text')
      shell.out.write(reportText(report, { muster, options, theme: themeFor(shell.out, shell.env) }));
    else shell.out.write(objectText(reportObject(report, { muster, options }), flags.output));
    return EXIT.ok;
  } catch (error) {
    if (!stop.signal.aborted) throw error;
    return EXIT.interrupted;
  } finally {
    bar.close();
    forgetInterrupts();
  }
}

const namespaceOption = (namespace: string | null): string =>
  namespace === null ? '' : ` -n ${shellQuoted(namespace)}`;

async function collect(
  job: Job,
  { lines }: FailuresFlags,
  { client, bar, signal }: { readonly client: KubeClient; readonly bar: WorkBar; readonly signal: AbortSignal },
): Promise<FailureReport> {
  const { namespace } = job.metadata;
  const failed: FailedAttempt[] = [];
  for await (const page of endedAttempts(job.metadata, 'failed', client)) {
    signal.throwIfAborted();
    failed.push(...page.map(failedAttempt));
    bar.show({ done: failed.length, total: null, text: 'failures found' });
  }
  const chosen = logsToRead(failed, LOGS_READ_MAX);
  const show = (read: number): void => bar.show({ done: read, total: chosen.length, text: 'logs read' });
  const logs = await readLogEnds(chosen, { namespace, lines: Math.max(lines, 1), client, signal }, show);
  return {
    job,
    kinds: failureKinds(failed, logs),
    shownLines: lines,
    logs: { read: logs.size, of: failed.filter(({ hasRun }) => hasRun).length },
  };
}

function failedAttempt(ended: EndedAttempt): FailedAttempt {
  const { index = null, item = null, startedAt, exitCode, reason, fate } = ended;
  const { attempt, pod, verdict, outcome, why, cause, stoppedWithJob, container } = ended;
  // A program that could not be started has an exit code, too; an init container's failure is that of a Pod that never started.
  const hasRun = startedAt !== null || (exitCode !== null && reason !== 'StartError');
  const isFinal = fate === 'failed';
  const judged = { verdict, outcome, why, cause, stoppedWithJob };
  return { index, attempt, pod, item, isFinal, exitCode, hasRun, container, ...judged };
}
