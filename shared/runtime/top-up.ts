import type { Inbox, Received } from '../ports/inbox.ts';
import type { Clock } from '../ports/clock.ts';

/** One invocation's worth of facts, and the longest that collecting them may take. */
const FACTS_MAX = 200;
const GATHER_MAX_MS = 300;

/**
 * Takes more messages from the queue than Lambda hands out, so that one pass counts many facts: ten per request, until there
 * are {@link FACTS_MAX}, an empty answer, or the time is up. The caller must remove or return what was taken.
 */
export async function topUp(inbox: Inbox, have: number, clock: Clock): Promise<readonly Received[]> {
  const taken: Received[] = [];
  const until = clock.now() + GATHER_MAX_MS;
  while (have + taken.length < FACTS_MAX && clock.now() < until) {
    const more = await receiveSafely(inbox);
    if (more.length === 0) break;
    taken.push(...more);
  }
  return taken;
}

/** The given facts are enough without more. */
async function receiveSafely(inbox: Inbox): Promise<readonly Received[]> {
  try {
    return await inbox.receive();
  } catch {
    return [];
  }
}
