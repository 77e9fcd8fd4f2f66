import { commandWord } from '../text/command-word.ts';
import { EXIT } from '../shell/failure.ts';
import type { Followed } from './follow-job.ts';
import { openViews } from './many-views.ts';
import { type Output, outputTo } from '../shell/output.ts';
import type { Shell } from '../shell/shell.ts';
import { type WaitOptions, type Waited, stoppedText, waitForJob } from './wait-for-job.ts';

/**
 * Shows the progress of Jobs until all are over, and then each verdict. One Job shows all of its indexes; several show one
 * line each.
 *
 * @returns one result per Job, in order
 */
export async function waitForJobs(
  followed: readonly Followed[],
  options: WaitOptions,
  shell: Shell,
): Promise<readonly Waited[]> {
  const { output } = options;
  const [only, ...others] = followed;
  if (only !== undefined && others.length === 0) return [await waitForJob(only, options, shell)];
  const many = openViews(followed.length, output, shell);
  // Nothing may be written between the pictures on a terminal.
  const verdicts: string[] = [];
  const later: Output =
    output.terminal === null ? output : outputTo((data) => void verdicts.push(Buffer.from(data).toString()), null);
  try {
    const waits = followed.map(async (each, i) =>
      waitForJob(each, { ...options, output: later, view: many.views[i], stopsQuietly: true }, shell),
    );
    const settled = await Promise.allSettled(waits);
    const waited = settled.map((each) => {
      if (each.status === 'rejected') throw each.reason;
      return each.value;
    });
    verdicts.push(...stoppedTexts(followed, waited, options, shell));
    return waited;
  } finally {
    many.close();
    for (const text of verdicts) output.write(text);
  }
}

/** One line for the Jobs of each namespace whose ends were not waited for. */
function stoppedTexts(
  followed: readonly Followed[],
  waited: readonly Waited[],
  { timeoutMs }: WaitOptions,
  { env }: Pick<Shell, 'env'>,
): readonly string[] {
  const why = waited.find(({ stopped }) => stopped !== null)?.stopped ?? null;
  if (why === null) return [];
  const open = followed.filter((_, i) => waited[i]?.stopped !== null);
  return [...new Set(open.map(({ namespace }) => namespace))].map((namespace) => {
    const ofNamespace = open.filter((each) => each.namespace === namespace);
    return `${stoppedText(ofNamespace, { why, timeoutMs, muster: commandWord(env) })}\n`;
  });
}

/** The most important first: whether the wait was interrupted, then the Jobs' verdicts. */
const BY_WEIGHT: readonly number[] = [EXIT.interrupted, 143, 129, EXIT.timedOut, EXIT.failed, EXIT.deleted];

/** One exit code for several Jobs: 0 only if all are complete. */
export const worstOf = (exitCodes: readonly number[]): number =>
  BY_WEIGHT.find((code) => exitCodes.includes(code)) ?? EXIT.ok;
