import type { Clock } from '../../ports/clock.ts';
import { errorResponse, tooManyRequests } from './status-error.ts';

/** What is written piece by piece, text or bytes; it checks `isCancelled` where it waits. */
export type Pieces = (isCancelled: () => boolean) => AsyncIterator<string | Uint8Array>;

/**
 * Sends text as it comes, no faster than it is read. The client may disconnect at any time; the source is then cancelled. If
 * the source throws, the connection breaks, so that no client mistakes a part for the whole.
 */
export const streamLines = (contentType: string, pieces: Pieces): Response =>
  startStream(contentType, pieces, { onRead: () => undefined, onSent: () => undefined, onEnd: () => undefined })
    .response;

/** What happens to a stream: it is being read, a piece was sent, nothing more will be sent (once). */
type Observer = { readonly onRead: () => void; readonly onSent: () => void; readonly onEnd: () => void };

function startStream(contentType: string, pieces: Pieces, { onRead, onSent, onEnd }: Observer) {
  let ended = false;
  const end = (): void => {
    if (!ended) onEnd();
    ended = true;
  };
  const iterator = pieces(() => ended);
  const stop = (): void => {
    end();
    // Not awaited: it may be in the middle of a wait.
    void iterator.return?.().then(undefined, () => undefined);
  };
  let breakOff: (why: string) => void = stop;
  const body = new ReadableStream<Uint8Array>(
    {
      start(controller) {
        breakOff = (why) => {
          controller.error(new Error(why));
          stop();
        };
      },
      async pull(controller) {
        onRead();
        try {
          const next = await iterator.next();
          if (ended) return;
          if (next.done !== true) {
            controller.enqueue(bytesOf(next.value));
            onSent();
            return;
          }
          end();
          controller.close();
        } catch (error) {
          end();
          throw error;
        }
      },
      cancel: stop,
    },
    { highWaterMark: 0 },
  );
  const headers = { 'content-type': contentType, 'cache-control': 'no-cache, private' };
  return { response: new Response(body, { headers }), breakOff: (why: string) => breakOff(why) };
}

/** The long-lived streams of one process: watches and followed logs. All users share them: see {@link createOpenStreams}. */
export type OpenStreams = {
  /** Sends text to a user as {@link streamLines} does, or 429 while too many are open. */
  send(user: string, contentType: string, pieces: Pieces): Response;
  /** Waits for text that is sent as a whole; it counts as an open stream too. */
  collect(user: string, contentType: string, pieces: Pieces): Promise<Response>;
  readonly open: () => number;
};

/** `since`: since when it is not being read; null: it is being read. */
type Open = { since: number | null; readonly user: string; readonly breakOff: (why: string) => void };

/** Each holds a connection. */
const OPEN_STREAMS_MAX = 1000;
/** A connected client that has not read for this long gives way to others. */
const STALLED_MS = 60_000;

/**
 * Counts them by user. A user alone may have all; once all are taken, the user who has most gives way to one who has fewer, so that
 * each of n users gets an nth of them, however many the others open.
 *
 * @param max how many may be open in all
 */
export function createOpenStreams({ now }: Pick<Clock, 'now'>, max = OPEN_STREAMS_MAX): OpenStreams {
  const all = new Set<Open>();
  const endStalled = (): void => {
    for (const { since, breakOff } of all)
      if (since !== null && now() - since > STALLED_MS) breakOff('the client has not read for too long');
  };
  /** null: there is a place for one more; otherwise the answer. */
  const refusalTo = (user: string): Response | null => {
    if (all.size < max) return null;
    endStalled();
    if (all.size < max) return null;
    const displaced = givingWay([...all], user);
    displaced?.breakOff('a user who has fewer watches and followed logs open takes its place');
    return displaced === null ? tooMany(countOf([...all], user), max) : null;
  };
  return {
    open: () => all.size,
    send(user, contentType, pieces) {
      const refused = refusalTo(user);
      if (refused !== null) return refused;
      const entry: Open = { since: now(), user, breakOff: (why) => breakOff(why) };
      const { response, breakOff } = startStream(contentType, pieces, {
        onRead: () => void (entry.since = null),
        onSent: () => void (entry.since = now()),
        onEnd: () => all.delete(entry),
      });
      all.add(entry);
      return response;
    },
    async collect(user, contentType, pieces) {
      const refused = refusalTo(user);
      if (refused !== null) return refused;
      const entry: Open = { since: null, user, breakOff: () => all.delete(entry) };
      all.add(entry);
      try {
        const iterator = pieces(() => !all.has(entry));
        const parts: Uint8Array[] = [];
        for (let next = await iterator.next(); next.done !== true; next = await iterator.next())
          parts.push(bytesOf(next.value));
        // Part of a log would look like all of it.
        if (!all.has(entry)) return tooMany(countOf([...all], user), max);
        const headers = { 'content-type': contentType, 'cache-control': 'no-cache, private' };
        return new Response(Buffer.concat(parts), { headers });
      } finally {
        all.delete(entry);
      }
    },
  };
}

const bytesOf = (piece: string | Uint8Array): Uint8Array => (typeof piece === 'string' ? Buffer.from(piece) : piece);

const countOf = (open: readonly Pick<Open, 'user'>[], user: string): number =>
  open.filter((each) => each.user === user).length;

/**
 * The newest stream of the user who has most; null: nobody has so many that this user would still have fewer.
 *
 * @param open from the oldest to the newest
 */
function givingWay(open: readonly Open[], user: string): Open | null {
  const counts = new Map<string, number>();
  for (const each of open) counts.set(each.user, (counts.get(each.user) ?? 0) + 1);
  const most = Math.max(0, ...counts.values());
  if (most <= (counts.get(user) ?? 0) + 1) return null;
  return open.findLast((each) => counts.get(each.user) === most) ?? null;
}

const tooMany = (own: number, max: number): Response =>
  errorResponse(
    tooManyRequests(
      `you have ${own} watches and followed logs open, and ${max} may be open in all; end some, or try again later`,
      1,
    ),
  );
