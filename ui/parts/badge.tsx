import type { JSX } from 'preact';
import type { JobState } from '../model/job-row.ts';

const WORDS: Readonly<Record<JobState, { readonly sign: string; readonly words: string }>> = {
  running: { sign: '▸', words: 'Running' },
  quiet: { sign: '◦', words: 'Waiting' },
  suspended: { sign: '‖', words: 'Suspended' },
  ending: { sign: '■', words: 'Ending' },
  failed: { sign: '×', words: 'Failed' },
  complete: { sign: '✓', words: 'Complete' },
};

/** The word of a Job's state. */
export const stateWords = (state: JobState): string => WORDS[state].words;

/** Where a Job stands: a colour, a sign, and a word. */
export function Badge({ state }: { readonly state: JobState }): JSX.Element {
  const { sign, words } = WORDS[state];
  return (
    <span class={`badge state-${state}`}>
      <span class="sign" aria-hidden="true">
        {sign}
      </span>
      {words}
    </span>
  );
}
