import { createInterface } from 'node:readline';
import * as z from 'zod';
import type { Engine } from './engine.ts';
import { LABELS } from './names.ts';

/** What happened to one of our containers (Docker Engine API, SystemEvents). */
export type EngineEvent = { readonly id: string; readonly what: 'killed' | 'ended' | 'removed' };

const EventSchema = z.looseObject({
  Action: z.string(),
  Actor: z.looseObject({ ID: z.string() }),
});

const ACTIONS: Readonly<Record<string, EngineEvent['what']>> = { kill: 'killed', die: 'ended', destroy: 'removed' };

/**
 * Calls `onEvent` for what happens to the installation's containers until the engine goes away, or `signal` aborts: then it
 * resolves. `onOpen` is called first, when nothing more can be missed. Throws if the engine cannot be reached.
 */
export async function followEvents(
  engine: Engine,
  installation: string,
  signal: AbortSignal,
  onOpen: () => void,
  onEvent: (event: EngineEvent) => void,
): Promise<void> {
  const filters = {
    type: ['container'],
    event: Object.keys(ACTIONS),
    label: [`${LABELS.installation}=${installation}`],
  };
  const query = { filters: JSON.stringify(filters) };
  const answer = await engine.stream({ method: 'GET', path: '/events', query }, signal);
  onOpen();
  try {
    for await (const text of createInterface({ input: answer })) {
      if (text.trim() === '') continue;
      const { Action, Actor } = EventSchema.parse(JSON.parse(text));
      const what = ACTIONS[Action];
      if (what !== undefined) onEvent({ id: Actor.ID, what });
    }
  } catch {
    // it broke off: the engine is away
  }
}
