import type { Clock } from '../../ports/clock.ts';
import { errorResponse, tooManyRequests } from './status-error.ts';

/** What is written piece by piece; it checks `isCancelled` where it waits. */
export type Pieces = (isCancelled: () => boolean) => AsyncIterator<string>;

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
  const encoder = new TextEncoder();
  let breakOff = stop;
  const body = new ReadableStream<Uint8Array>(
    {
      start(controller) {
        breakOff = () => {
          controller.error(new Error('the client has not read for too long'));
          stop();
        };
      },
      async pull(controller) {
        onRead();
        try {
          const next = await iterator.next();
          if (ended) return;
          if (next.done !== true) {
            controller.enqueue(encoder.encode(next.value));
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
  return { response: new Response(body, { headers }), breakOff: () => breakOff() };
}

/** The long-lived streams of one process: watches and followed logs. */
export type OpenStreams = {
  /** Sends text as {@link streamLines} does, or 429 while too many are open. */
  send(contentType: string, pieces: Pieces): Response;
  /** Waits for text that is sent as a whole; it counts as an open stream too. */
  collect(contentType: string, pieces: Pieces): Promise<Response>;
  readonly open: () => number;
};

/** Each holds a connection. */
const OPEN_STREAMS_MAX = 1000;
/** A connected client that has not read for this long gives way to others. */
const STALLED_MS = 60_000;

export function createOpenStreams({ now }: Pick<Clock, 'now'>, max = OPEN_STREAMS_MAX): OpenStreams {
  /** Since when the stream is not being read; null: it is being read. */
  const idle = new Map<symbol, { since: number | null; readonly breakOff: () => void }>();
  const isFull = (): boolean => {
    if (idle.size < max) return false;
    for (const { since, breakOff } of idle.values()) if (since !== null && now() - since > STALLED_MS) breakOff();
    return idle.size >= max;
  };
  return {
    open: () => idle.size,
    send(contentType, pieces) {
      if (isFull()) return refusal(max);
      const id = Symbol('stream');
      const mark = (since: number | null): void => {
        const entry = idle.get(id);
        if (entry !== undefined) entry.since = since;
      };
      const { response, breakOff } = startStream(contentType, pieces, {
        onRead: () => mark(null),
        onSent: () => mark(now()),
        onEnd: () => idle.delete(id),
      });
      idle.set(id, { since: now(), breakOff });
      return response;
    },
    async collect(contentType, pieces) {
      if (isFull()) return refusal(max);
      const id = Symbol('collection');
      idle.set(id, { since: null, breakOff: () => undefined });
      try {
        const iterator = pieces(() => false);
        const texts: string[] = [];
        for (let next = await iterator.next(); next.done !== true; next = await iterator.next()) texts.push(next.value);
        const headers = { 'content-type': contentType, 'cache-control': 'no-cache, private' };
        return new Response(texts.join(''), { headers });
      } finally {
        idle.delete(id);
      }
    },
  };
}

const refusal = (max: number): Response =>
  errorResponse(tooManyRequests(`${max} watches and followed logs are open already; try again later`, 1));
