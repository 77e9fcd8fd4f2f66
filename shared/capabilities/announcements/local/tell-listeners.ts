import { setTimeout as sleep } from 'node:timers/promises';
import type { Announcement } from '../domain/announcement.ts';
import type { JobUid } from '../../../domain/base/ids.ts';
import type { Announcer } from '../ports/announcer.ts';
import type { Warn } from '../../../../local/warnings.ts';
import { waitAtMost } from '../../../../local/stopping/wait-at-most.ts';
import type { Listener } from './listener.ts';

export type Listeners = Announcer & {
  /** Ends what is under way, in `ms` at most; what was not taken by then is announced by the next runtime. */
  close(ms: number): Promise<void>;
};

/** Changes that one listener hears at a time; those of one Job come one after the other. */
const AT_ONCE = 4;
/** Changes that wait for one listener. More stay in STATUS, and come again. */
const WAITING_MAX = 1_000;
/** Jobs with changes that some have taken and others have refused. Of more the oldest are forgotten: all hear their changes again. */
const HALF_TAKEN_MAX = 1_000;
const TRIES_WAITS_MS: readonly number[] = [1_000, 5_000];

/** A change of a Job: which listeners have taken it, and which are to hear it yet. One that refused it is in neither. */
type Waiting = { readonly change: Announcement; readonly done: Set<Listener>; readonly open: Set<Listener> };

/**
 * {@link Announcer} for listeners that may take their time: it answers at once, without saying that anything was taken, and tells
 * them one after the other. A listener that hangs keeps no pass, no Job, and no other listener waiting. What a listener refuses a
 * few times in a row is dropped: its Job hands it over again.
 *
 * @param taken told when all listeners have taken a Job's changes up to this version of STATUS
 */
export function tellListeners(
  listeners: readonly Listener[],
  taken: (uid: JobUid, version: number) => Promise<void>,
  warn: Warn,
  waitsMs: readonly number[] = TRIES_WAITS_MS,
): Listeners {
  const jobs = new Map<JobUid, Map<number, Waiting>>();
  /** Those of `jobs` of which nothing waits, oldest first. */
  const halfTaken = new Set<JobUid>();
  const ending = new AbortController();
  const lines = listeners.map((listener) =>
    createLine(listener, ending.signal, settled, async (change) =>
      tell(listener, change, ending.signal, waitsMs, warn),
    ),
  );

  function settled(waiting: Waiting, listener: Listener, isTaken: boolean): void {
    waiting.open.delete(listener);
    if (isTaken) waiting.done.add(listener);
    if (waiting.done.size === listeners.length) noteTaken(waiting.change.uid);
    forget(waiting.change.uid);
  }

  /** A Job of which nothing waits hands all its changes over again: what was taken of them is remembered, within bounds. */
  function forget(uid: JobUid): void {
    const all = [...(jobs.get(uid)?.values() ?? [])];
    halfTaken.delete(uid);
    if (all.some(({ open }) => open.size > 0)) return;
    if (all.some(({ done }) => done.size > 0)) halfTaken.add(uid);
    else jobs.delete(uid);
    const [oldest] = halfTaken.size > HALF_TAKEN_MAX ? halfTaken : [];
    if (oldest === undefined) return;
    halfTaken.delete(oldest);
    jobs.delete(oldest);
  }

  /** All that comes before the first change which somebody has not taken. */
  function noteTaken(uid: JobUid): void {
    const ofJob = jobs.get(uid) ?? new Map<number, Waiting>();
    let last: number | null = null;
    for (const [version, { done }] of [...ofJob].toSorted(([a], [b]) => a - b)) {
      if (done.size < listeners.length) break;
      last = version;
      ofJob.delete(version);
    }
    if (ofJob.size === 0) jobs.delete(uid);
    if (last === null) return;
    taken(uid, last).catch((error: unknown) => warn('what was announced could not be noted', { error }));
  }

  return {
    async announce(changes) {
      for (const change of changes) {
        const ofJob = jobs.get(change.uid) ?? new Map<number, Waiting>();
        const waiting = ofJob.get(change.version) ?? { change, done: new Set(), open: new Set() };
        jobs.set(change.uid, ofJob.set(change.version, waiting));
        for (const line of lines) {
          if (waiting.done.has(line.listener) || waiting.open.has(line.listener)) continue;
          if (line.add(waiting)) waiting.open.add(line.listener);
        }
      }
      for (const { uid } of changes) forget(uid);
      return new Set();
    },
    async close(ms) {
      ending.abort();
      await waitAtMost(Promise.all(lines.map((line) => line.idle())), ms);
    },
  };
}

/** What one listener is to hear. */
function createLine(
  listener: Listener,
  signal: AbortSignal,
  settled: (waiting: Waiting, listener: Listener, isTaken: boolean) => void,
  tells: (change: Announcement) => Promise<boolean>,
) {
  let queue: Waiting[] = [];
  const busy = new Map<JobUid, Promise<void>>();
  const next = (): void => {
    if (signal.aborted) return;
    while (busy.size < AT_ONCE) {
      const waiting = queue.find(({ change }) => !busy.has(change.uid));
      if (waiting === undefined) return;
      queue = queue.filter((each) => each !== waiting);
      const { uid } = waiting.change;
      const work = tells(waiting.change).then((isTaken) => {
        busy.delete(uid);
        settled(waiting, listener, isTaken);
        next();
      });
      busy.set(uid, work);
    }
  };
  return {
    listener,
    /** false: it has too much to hear already. */
    add(waiting: Waiting): boolean {
      if (queue.length >= WAITING_MAX || signal.aborted) return false;
      queue.push(waiting);
      // Not at once: who adds it says first that it waits.
      setImmediate(next);
      return true;
    },
    async idle(): Promise<void> {
      await Promise.all(busy.values());
    },
  };
}

/** Tells it a few times at most; whether it was taken. */
async function tell(
  listener: Listener,
  change: Announcement,
  signal: AbortSignal,
  waitsMs: readonly number[],
  warn: Warn,
): Promise<boolean> {
  const { namespace, name, state } = change.detail;
  for (const waitMs of [...waitsMs, null]) {
    const told = await listener.tell(change, signal);
    if (told.kind === 'taken') return true;
    if (signal.aborted) return false;
    warn(`${listener.name} did not take ${namespace}/${name} ${state}`, { reason: told.why });
    if (waitMs !== null) await sleep(waitMs, null, { signal }).catch(() => null);
  }
  return false;
}
