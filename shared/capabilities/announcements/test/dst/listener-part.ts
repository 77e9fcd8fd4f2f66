import type { Around, WorldPart } from '../../../../../test/dst/parts/world-part.ts';
import { AnnounceWatch } from './announce-watch.ts';

/** A listener, in worlds where others hear of changes. */
export function createListenerPart({ now, law, injector, sights, announced, tellOf }: Around): WorldPart {
  if (!announced) return { ports: () => ({}), everyMinute: [] };
  const watch = new AnnounceWatch({
    now,
    law,
    injector,
    sights,
    tell: (what, about, fault) => tellOf('a listener', what, about, fault ?? null),
  });
  return {
    ports: (kind) => (kind === 'reconcile' ? { announcer: watch.announcer() } : {}),
    watchJobs: (jobs) => watch.watchJobs(jobs),
    everyMinute: [],
    listens: true,
    checkCalm: (clearSince) => watch.checkCalm(clearSince),
    checkEnd: (isCalm) => watch.checkEnd(isCalm),
  };
}
