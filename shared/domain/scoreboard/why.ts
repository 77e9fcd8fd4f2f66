import { indexWithin } from '../base/shown-index.ts';
import type { PolicyAction } from '../manifests/manifest.ts';

/**
 * Why the end of an attempt counts as what it does: data, which is stored with the attempt. Whatever decides reads it;
 * {@link whyText} is only for people. `reason`, `message`, `what`, and `sentence` are texts of others.
 */
export type Why =
  /** its container has ended by itself; `exitCode`: null if ECS names none */
  | { readonly kind: 'exited'; readonly exitCode: number | null }
  | { readonly kind: 'outOfMemory' }
  | ({ readonly kind: 'policyRule' } & RuleThatMatched)
  // its Job has stopped it
  | ({ readonly kind: 'jobFailed' | 'jobSucceeded' } & Decided)
  | { readonly kind: 'jobSuspended' | 'jobDeleted' }
  /** the indexes belong together, and all start again */
  | { readonly kind: 'regrouped'; readonly message: string }
  | { readonly kind: 'completionsLowered' }
  /** parallelism was lowered */
  | { readonly kind: 'scaledDown' }
  /** a user has given up its index, or wants it to start again */
  | { readonly kind: 'indexCancelled' | 'indexRequeued' }
  // something else has stopped it
  | { readonly kind: 'podEvicted' | 'podDeleted' | 'taskStopped' }
  /** its Pod was deleted while it ran: its index had another attempt at once, or none was left */
  | { readonly kind: 'podReplaced' | 'podGivenUp' }
  /** `of`: whose time was up, its Pod's or its index's */
  | { readonly kind: 'pastDeadline'; readonly of: 'attempt' | 'index'; readonly sec: number }
  | { readonly kind: 'notStartedInTime'; readonly sec: number }
  // it did not start, or was lost
  | { readonly kind: 'unstarted' | 'lost'; readonly reason: string }
  /** it could not be started for so long that it counts */
  | { readonly kind: 'startTimedOut'; readonly sec: number; readonly reason: string }
  /** the last of so many losses, which are more than the Job allows */
  | { readonly kind: 'lostTooOften'; readonly times: number; readonly reason: string }
  /** what an earlier version of Muster has said, and did not keep as data */
  | { readonly kind: 'said'; readonly sentence: string };

type RuleThatMatched = { readonly rule: number; readonly action: PolicyAction; readonly what: string };

/** The verdict on a Job. `decidedBy`: the index whose end decided; `item`: what that works on, for people, never stored. */
type Decided = {
  readonly reason: string;
  readonly message: string;
  readonly decidedBy: number | null;
  readonly item?: string | undefined;
};

/** The sentence for people. */
export function whyText(why: Why): string {
  switch (why.kind) {
    case 'exited':
      return `exit code ${why.exitCode ?? 'unknown'}`;
    case 'policyRule':
      return `podFailurePolicy rule ${why.rule} (${why.action}): ${why.what}`;
    case 'jobFailed':
      return `the Job failed: ${decidedText(why)}`;
    case 'jobSucceeded':
      return `the Job succeeded: ${decidedText(why)}`;
    case 'regrouped':
      return `all start again: ${why.message}`;
    case 'pastDeadline':
      return `${why.of === 'index' ? 'its index took' : 'it ran'} longer than ${why.sec} s (DeadlineExceeded)`;
    case 'notStartedInTime':
      return `it did not start within ${why.sec} s (PendingTimeout)`;
    case 'unstarted':
    case 'lost':
      return why.reason;
    case 'startTimedOut':
      return `it could not be started for ${why.sec} s: ${why.reason}`;
    case 'lostTooOften':
      return `lost ${why.times} times: ${why.reason}`;
    case 'said':
      return why.sentence;
    case 'outOfMemory':
    case 'jobSuspended':
    case 'jobDeleted':
    case 'completionsLowered':
    case 'scaledDown':
    case 'indexCancelled':
    case 'indexRequeued':
    case 'podEvicted':
    case 'podDeleted':
    case 'taskStopped':
    case 'podReplaced':
    case 'podGivenUp':
      return SENTENCES[why.kind];
  }
}

/** What an end counts as, and why, for people: `failed: exit code 1`. */
export const verdictText = ({ as, why }: { readonly as: string; readonly why: Why }): string =>
  `${as}: ${whyText(why)}`;

/** Of each kind that has no more data. */
export const SENTENCES = {
  outOfMemory: 'out of memory',
  jobSuspended: 'the Job was suspended',
  jobDeleted: 'the Job was deleted',
  completionsLowered: 'completions were lowered',
  scaledDown: 'parallelism was lowered',
  indexCancelled: 'its index was cancelled',
  indexRequeued: 'its index was requeued',
  podEvicted: 'its Pod was evicted',
  podDeleted: 'its Pod was deleted',
  taskStopped: 'its task was stopped',
  podReplaced: 'its Pod was deleted, and replaced at once',
  podGivenUp: 'its Pod was deleted, and its index had no attempt left',
} as const satisfies Partial<Record<Why['kind'], string>>;

const decidedText = ({ reason, message, decidedBy, item }: Decided): string =>
  `${reason} (${message}${decidedBy === null ? '' : `; decided by ${indexWithin(decidedBy, item ?? null)}`})`;

/** It counts as failed because the Job had failed, not because of anything that it did. */
export const isFailureOfJob = ({ kind }: Why): boolean => kind === 'jobFailed';

/** A deadline has ended it: its Pod's, or its index's. */
export const isPastDeadline = ({ kind }: Why): boolean => kind === 'pastDeadline';

/** The index whose end decided a Job, if the attempt was stopped for that; null: it was not, or no index did. */
export const decidingIndex = (why: Why): number | null => ('decidedBy' in why ? why.decidedBy : null);

/** The same for people: the index that decided has its item beside it. */
export const withDecidingItem = (why: Why, item: string): Why => ('decidedBy' in why ? { ...why, item } : why);

/** Records of attempts stay below 1 KB as they are stored. A user may give the reason of a success, of 128 characters at most. */
const TEXT_BYTES_MAX = 200;
const REASON_BYTES_MAX = 128;
const UTF8 = new TextEncoder();

/** The same as it is stored: texts of others are cut, what is known beside them never is. */
export function withinBounds(why: Why): Why {
  if (why.kind === 'jobFailed' || why.kind === 'jobSucceeded') {
    const reason = cut(why.reason, REASON_BYTES_MAX);
    return { ...why, reason, message: cut(why.message, TEXT_BYTES_MAX - UTF8.encode(reason).length) };
  }
  if ('message' in why) return { ...why, message: cut(why.message) };
  if ('reason' in why) return { ...why, reason: cut(why.reason) };
  if ('what' in why) return { ...why, what: cut(why.what) };
  return 'sentence' in why ? { ...why, sentence: cut(why.sentence) } : why;
}

/** No character is cut in two. */
function cut(text: string, bytesMax = TEXT_BYTES_MAX): string {
  const charsWithin = (bytes: number): number => UTF8.encodeInto(text, new Uint8Array(bytes)).read;
  return charsWithin(bytesMax) === text.length ? text : `${text.slice(0, charsWithin(bytesMax - 3))}…`;
}
