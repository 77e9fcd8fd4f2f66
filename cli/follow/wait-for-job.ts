import { endOf, failureOf } from '../client/job-end.ts';
import { ANNOTATIONS } from '../../shared/domain/manifests/annotations.ts';
import { indexesToSucceed } from '../../shared/domain/manifests/selection.ts';
import { FailuresSchema, type Job, type JobFailures, conditionOf } from '../client/api-objects.ts';
import { commandWord } from '../text/command-word.ts';
import { EXIT, Failure } from '../shell/failure.ts';
import { type Ending, type Followed, type FollowOptions, followJob } from './follow-job.ts';
import { type JobView, openView } from './job-view.ts';
import { type KubeClient, failuresPath } from '../client/kube-client.ts';
import { formatDuration } from '../text/age.ts';
import { failureLines } from '../render/failures.ts';
import { failedAttemptsText, limitHint } from './limit-hint.ts';
import { onOneLine } from '../text/table.ts';
import { wrapWords } from './wrap-words.ts';
import type { Output } from '../shell/output.ts';
import type { Shell, Signal } from '../shell/shell.ts';

export type WaitOptions = {
  readonly client: KubeClient;
  readonly reconnect: () => Promise<KubeClient>;
  /** null: no timeout */
  readonly timeoutMs: number | null;
  /** Where the progress and the verdict are printed. */
  readonly output: Output;
  /** A view shared with other Jobs. Otherwise one is created, and closed at the end. */
  readonly view?: JobView | undefined;
  /** Says nothing if the wait is stopped: who waits for several Jobs says it once. */
  readonly stopsQuietly?: boolean;
} & Pick<FollowOptions, 'lookAgainMs' | 'giveUpMs'>;

export type Waited = {
  readonly exitCode: number;
  /** The final Job as the server sent it; null if its end was not seen. */
  readonly object: unknown;
  /** Why the wait was stopped before the Job's end was seen; null: it was not. */
  readonly stopped: StopReason | null;
};

export type StopReason = Signal | 'timeout';

/**
 * Shows a Job's progress until it is over, prints the verdict, and returns the matching exit code. Ctrl-C and a timeout end
 * the wait, not the Job.
 */
export async function waitForJob(followed: Followed, options: WaitOptions, shell: Shell): Promise<Waited> {
  const { output, timeoutMs } = options;
  const stop = new AbortController();
  let why: StopReason | null = null;
  const stopFor = (reason: StopReason): void => {
    why ??= reason;
    stop.abort();
  };
  const forgetInterrupts = shell.onInterrupt(stopFor);
  const timeout = timeoutMs === null ? undefined : setTimeout(stopFor, timeoutMs, 'timeout');
  const view = options.view ?? openView(output, shell);
  let ending: Ending;
  try {
    ending = await followJob(followed, {
      ...options,
      signal: stop.signal,
      now: shell.now,
      onProgress: (progress) => view.show(progress),
    });
  } finally {
    view.close();
    clearTimeout(timeout);
    forgetInterrupts();
  }
  const failures = ending.kind === 'failed' ? await failuresOf(followed, options) : null;
  const { text, exitCode } = tell(ending, followed, { why, timeoutMs, failures, muster: commandWord(shell.env) });
  const stopped = ending.kind === 'aborted' ? (why ?? 'timeout') : null;
  if (stopped === null || options.stopsQuietly !== true) output.write(`${shownOn(output, text)}\n`);
  return { exitCode, object: 'object' in ending ? ending.object : null, stopped };
}

/** On a terminal the verdict is broken between words; the lines below it have logs and commands, which stay as they are. */
function shownOn({ terminal }: Output, text: string): string {
  if (terminal === null) return text;
  const [verdict = '', ...others] = text.split('\n');
  return ['', wrapWords(verdict, terminal.size().columns), ...others].join('\n');
}

/** What to say of Jobs that a wait was stopped for; they continue. All are of one namespace. */
export function stoppedText(
  jobs: readonly Followed[],
  { why, timeoutMs, muster }: { readonly why: StopReason; readonly timeoutMs: number | null; readonly muster: string },
): string {
  const [first] = jobs;
  const isOne = jobs.length === 1;
  const who = isOne ? `job.batch/${first?.name ?? ''}` : `${jobs.length} Jobs`;
  const inNamespace = first === undefined || first.namespace === 'default' ? '' : ` -n ${first.namespace}`;
  const names = jobs.map(({ name }) => name).join(' ');
  const again = `${isOne ? 'It continues. Watch it' : 'They continue. Watch them'} with: ${muster} watch ${names}${inNamespace}`;
  if (why !== 'timeout') return `No longer waiting for ${who}. ${again}`;
  return `${who} ${isOne ? 'is' : 'are'} not over after ${formatDuration(timeoutMs ?? 0)}. ${again}`;
}

/** The Job's failures; null if the server does not report them. */
async function failuresOf(
  { namespace, name }: Followed,
  { client, reconnect }: WaitOptions,
): Promise<JobFailures | null> {
  const ask = async (from: KubeClient) => FailuresSchema.parse(await from.get(failuresPath(namespace, name)));
  return ask(client).catch(async () => ask(await reconnect()).catch(() => null));
}

function tell(
  ending: Ending,
  followed: Followed,
  known: {
    readonly why: StopReason | null;
    readonly timeoutMs: number | null;
    readonly failures: JobFailures | null;
    readonly muster: string;
  },
): { readonly text: string; readonly exitCode: number } {
  const { why, timeoutMs, failures, muster } = known;
  const { namespace, name } = followed;
  const job = `job.batch/${name}`;
  const inNamespace = namespace === 'default' ? '' : ` -n ${namespace}`;
  const hint = ending.kind === 'failed' ? limitHint(ending.job) : null;
  switch (ending.kind) {
    case 'complete':
      return { text: `${job} complete: ${sumOf(ending.job, null)}`, exitCode: EXIT.ok };
    case 'failed':
      return {
        text: [
          `${job} failed: ${onOneLine(failureOf(ending.job))} (${sumOf(ending.job, failures)})`,
          ...failureLines(failures),
          ...(hint === null ? [] : [`Its limit: ${hint}`]),
          `See why: ${whereToLook(name, failures, muster)
            .map((command) => `${command}${inNamespace}`)
            .join(', ')}`,
        ].join('\n'),
        exitCode: EXIT.failed,
      };
    case 'deleted':
      return { text: `${job} was deleted`, exitCode: EXIT.deleted };
    case 'aborted':
      return {
        text: stoppedText([followed], { why: why ?? 'timeout', timeoutMs, muster }),
        exitCode: why === null || why === 'timeout' ? EXIT.timedOut : EXIT_BY_SIGNAL[why],
      };
    case 'unreachable':
      throw new Failure(ending.reason);
  }
}

/** All that failed, and a log of an attempt that failed by itself; if none has a log, the doctor says why they never started. */
function whereToLook(name: string, failures: JobFailures | null, muster: string): readonly string[] {
  const shown = failures?.groups.find(({ example }) => example.log.length > 0)?.example;
  const index = shown?.index === undefined ? '' : ` --index ${shown.index} --attempt ${shown.attempt}`;
  return [
    `${muster} failures ${name}`,
    shown === undefined ? `${muster} doctor ${name}` : `${muster} logs ${name}${index}`,
  ];
}

/** A shell's exit codes for processes that a signal ended. */
export const EXIT_BY_SIGNAL: Readonly<Record<Signal, number>> = { SIGHUP: 129, SIGINT: EXIT.interrupted, SIGTERM: 143 };

function sumOf(job: Job, known: JobFailures | null): string {
  const { succeeded, startTime, completedIndexes } = job.status;
  const { completions } = job.spec;
  const chosen = job.metadata.annotations[ANNOTATIONS.indexes];
  const total = completions === undefined ? '' : `/${indexesToSucceed(completions, chosen, completedIndexes)}`;
  const endMs = endOf(job);
  const took = startTime === undefined || endMs === null ? '' : ` in ${formatDuration(endMs - startTime)}`;
  const failed = failedAttemptsText(job, known);
  const failures = failed === '' ? '' : `, ${failed}`;
  // Fewer successes than completions were enough. The text says so, or it would look like an error.
  const reason = conditionOf(job, 'Complete')?.reason ?? 'CompletionsReached';
  const policy = reason === 'CompletionsReached' ? '' : ', success policy met';
  return `${succeeded}${total} succeeded${policy}${failures}${took}`;
}
