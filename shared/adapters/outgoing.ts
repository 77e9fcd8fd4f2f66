import type { JobUid } from '../domain/base/ids.ts';
import type { CronWakeUp, DispatchMessage, FactMessage, WakeUp } from '../ports/queues.ts';
import {
  formatCronWakeUp,
  formatDispatch,
  formatFactMessage,
  formatWakeUp,
} from '../schema/messages/queue-messages.ts';

/** A message as a queue takes it. A queue is fair by group; null: no Job in particular. */
export type Outgoing = { readonly body: string; readonly delaySec: number; readonly group: JobUid | null };

/** Longest delay of a message, in seconds. */
export const DELAY_MAX_SEC = 900;
/** A message of 100 facts is about 30 KB: one billing unit of SQS. */
const FACTS_PER_MESSAGE_MAX = 100;

export const outgoingWakeUps = (wakeUps: readonly WakeUp[]): readonly Outgoing[] =>
  wakeUps.map((wakeUp) => ({ body: formatWakeUp(wakeUp), delaySec: wakeUp.delaySec, group: null }));

export const outgoingCronWakeUps = (wakeUps: readonly CronWakeUp[]): readonly Outgoing[] =>
  wakeUps.map((wakeUp) => ({ body: formatCronWakeUp(wakeUp), delaySec: wakeUp.delaySec, group: null }));

export const outgoingFacts = (messages: readonly FactMessage[], delaySec: number): readonly Outgoing[] =>
  messages.flatMap(inParts).map((message) => ({ body: formatFactMessage(message), delaySec, group: null }));

export const outgoingDispatches = (messages: readonly DispatchMessage[], delaySec: number): readonly Outgoing[] =>
  messages.map((message) => ({
    body: formatDispatch(message),
    delaySec,
    group: 'uid' in message ? message.uid : null,
  }));

/** Cuts a Job's facts into messages of a bounded size. */
function inParts({ uid, facts }: FactMessage): FactMessage[] {
  const parts: FactMessage[] = [];
  for (let from = 0; from < facts.length; from += FACTS_PER_MESSAGE_MAX) {
    parts.push({ uid, facts: facts.slice(from, from + FACTS_PER_MESSAGE_MAX) });
  }
  return parts;
}
