import { POLICY_ACTIONS } from '../../../shared/domain/manifests/manifest.ts';
import type { Judgement, Outcome } from '../../../shared/domain/planner/plan.ts';
import { SENTENCES, type Why, withinBounds } from '../../../shared/domain/scoreboard/why.ts';

/** What the end of an attempt counts as, as rows of earlier formats have it: why is a sentence, cut after 200 characters. */
export type Sentenced = { readonly as: Outcome; readonly because: string };

/**
 * The same as data. Of a sentence that was cut, what is left counts; one that is none of ours is kept as it is.
 *
 * @param judgement as it stands in the row of an attempt
 */
export function whyOfSentence({ as, because }: Sentenced): Judgement {
  return { as, why: withinBounds(whyOf(as, because)) };
}

function whyOf(as: Outcome, because: string): Why {
  // These are ECS's words, whatever they begin with.
  if (as === 'unstarted') return { kind: 'unstarted', reason: because };
  if (as === 'lost' || as === 'lostToSpot') return { kind: 'lost', reason: because };
  const kind = KINDS.find((each) => SENTENCES[each] === because);
  if (kind !== undefined) return { kind };
  for (const [form, read] of FORMS) {
    const parts = form.exec(because);
    if (parts !== null) return read(parts[1] ?? '', parts[2] ?? '');
  }
  return ruleIn(because) ?? { kind: 'said', sentence: because };
}

const KINDS = Object.keys(SENTENCES) as (keyof typeof SENTENCES)[];

const FORMS: readonly (readonly [form: RegExp, read: (first: string, rest: string) => Why])[] = [
  [/^exit code (\d+)$/, (code) => ({ kind: 'exited', exitCode: Number(code) })],
  [/^exit code unknown$/, () => ({ kind: 'exited', exitCode: null })],
  [/^the Job failed: (\w+) \(([^]*)$/, (reason, rest) => ({ kind: 'jobFailed', reason, ...decidedIn(rest) })],
  [/^the Job succeeded: (\w+) \(([^]*)$/, (reason, rest) => ({ kind: 'jobSucceeded', reason, ...decidedIn(rest) })],
  [/^all start again: ([^]*)$/, (message) => ({ kind: 'regrouped', message })],
  [/^it ran longer than (\d+) s \(/, (sec) => ({ kind: 'pastDeadline', of: 'attempt', sec: Number(sec) })],
  [/^its index took longer than (\d+) s \(/, (sec) => ({ kind: 'pastDeadline', of: 'index', sec: Number(sec) })],
  [/^it did not start within (\d+) s \(/, (sec) => ({ kind: 'notStartedInTime', sec: Number(sec) })],
  [
    /^it could not be started for (\d+) s: ([^]*)$/,
    (sec, reason) => ({ kind: 'startTimedOut', sec: Number(sec), reason }),
  ],
  [/^lost (\d+) times: ([^]*)$/, (times, reason) => ({ kind: 'lostTooOften', times: Number(times), reason })],
];

/** The end of a verdict on a Job: `message)`, or `message; decided by index 7)`; the last such words count. */
function decidedIn(rest: string): { readonly message: string; readonly decidedBy: number | null } {
  const [, decided, index] = /^([^]*); decided by index (\d+)\)$/.exec(rest) ?? [];
  if (decided !== undefined) return { message: decided, decidedBy: Number(index) };
  return { message: rest.endsWith(')') ? rest.slice(0, -1) : `${rest}…`, decidedBy: null };
}

function ruleIn(because: string): Why | null {
  const [, rule, word, what = ''] = /^podFailurePolicy rule (\d+) \((\w+)\): ([^]*)$/.exec(because) ?? [];
  const action = POLICY_ACTIONS.find((each) => each === word);
  return action === undefined ? null : { kind: 'policyRule', rule: Number(rule), action, what };
}
