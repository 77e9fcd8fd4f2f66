import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createInProcessQueues } from '../../local/queues/in-process-queues.ts';
import { systemClock } from '../../shared/adapters/system-clock.ts';
import { GROUP_PREFIX } from '../../shared/names/env.ts';
import { parseReconcileRequest } from '../../shared/schema/messages/queue-messages.ts';

const FOLDER = join(import.meta.dirname, '../fixtures/ecs-events');
const FILES = readdirSync(FOLDER).filter((name) => name.endsWith('.json'));

/** What the reconciler understands; its error, if it refuses. */
function understood(text: string): unknown {
  try {
    return parseReconcileRequest(text, GROUP_PREFIX);
  } catch (error) {
    return `refused: ${(error as Error).message}`;
  }
}

test.each(FILES)('the message of %s says what the event says, if it has news', async (name) => {
  const text = readFileSync(join(FOLDER, name), 'utf8');
  const queues = createInProcessQueues({ visibilityMs: 60_000, now: () => systemClock.now() });
  await queues.onEvent(JSON.parse(text) as object);
  const messages = await queues.inboxes.facts.receive();
  queues.close();
  const expected = understood(text);
  const hasNews = typeof expected === 'string' || (expected as { readonly uid: string | null }).uid !== null;
  expect(messages.map(({ body }) => understood(body))).toEqual(hasNews ? [expected] : []);
});
