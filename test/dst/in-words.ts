import type { JobUid } from '../../shared/domain/base/ids.ts';
import type { AttemptId, Fact } from '../../shared/domain/base/fact.ts';
import type { Transition } from '../../shared/domain/scoreboard/transition.ts';
import type { DispatchMessage } from '../../shared/ports/queues.ts';
import type { CronRequest } from '../../shared/control/schedulers/look-often.ts';
import type { ReconcileRequest } from '../../shared/control/reconcile/reconcile.ts';

const SHOWN_MAX = 12;

/** Index, attempt, nonce. */
export const attemptText = ({ index, attempt, nonce }: AttemptId): string => `${index}/${attempt}/${nonce}`;

/** What a commit steps: `: claim 3/1/0, running 4/1/2`. */
export function inWords(steps: readonly (AttemptId & Pick<Transition, 'op'>)[]): string {
  if (steps.length === 0) return '';
  return `: ${some(steps.map((step) => `${step.op} ${attemptText(step)}`))}`;
}

/** What a look was sent for. */
export function requestText({ facts, inspect }: ReconcileRequest): string {
  const told = facts.length === 0 ? 'a wake-up' : some(facts.map(factText));
  return inspect === true ? `${told}, look-up` : told;
}

/** What a dispatch message asks. */
export function orderText(message: DispatchMessage | CronRequest): string {
  if ('jobs' in message) return 'look at the CronJob';
  if (message.kind === 'inspect') return `look up what runs from index ${message.from} on`;
  if (message.kind === 'stopTask') return `stop task ${message.taskArn.slice(-4)}, which is no current attempt`;
  if (message.kind === 'sweepTasks') return 'go through all tasks';
  if (message.kind === 'sweepDefinitions' || message.kind === 'retireDefinitions') return 'look for unused definitions';
  const { kind } = message;
  if (kind !== 'pack') return kind;
  const launch = message.launch.length === 0 ? [] : [`launch ${some(message.launch.map(attemptText))}`];
  const stop = message.stop.length === 0 ? [] : [`stop ${some(message.stop.map(attemptText))}`];
  return [...launch, ...stop].join(', ');
}

/** Jobs that a message is about; null: all. */
export function jobsOf(message: Letter): readonly JobUid[] | null {
  if ('jobs' in message) return [];
  return 'uid' in message ? [message.uid] : null;
}

/** What our queues carry. */
export type Letter = ReconcileRequest | CronRequest | DispatchMessage;

/** Indexes that a message is about; null: any. */
export function indexesOf(message: DispatchMessage | CronRequest): readonly number[] | null {
  if ('jobs' in message) return null;
  return message.kind === 'pack' ? [...message.launch, ...message.stop].map(({ index }) => index) : null;
}

const factText = (fact: Fact): string =>
  fact.kind === 'stopped'
    ? `${attemptText(fact)} stopped (${fact.ending.cause}${fact.times.stoppedAt === null ? ', says a look-up' : ''})`
    : `${attemptText(fact)} ${fact.kind}`;

const some = (words: readonly string[]): string =>
  words.length <= SHOWN_MAX
    ? words.join(', ')
    : `${words.slice(0, SHOWN_MAX).join(', ')} and ${words.length - SHOWN_MAX} more`;
